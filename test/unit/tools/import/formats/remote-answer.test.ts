import test from 'ava';
import {readAnswer} from '../../../../../src/tools/import/formats/remote-answer.ts';

test('tags in CDATA, comments and attributes of XML are not nested, and nested elements and document types are refused', async (t) => {
  const titles = `<![CDATA[${'<b>'.repeat(100)} <!DOCTYPE]]>`;
  const comment = `<!-- ${'<a>'.repeat(100)} --><?note ${'<a>'.repeat(100)}?>`;
  const body = `<response>${comment}<code>200</code><data note="${'<a>'.repeat(100)}"><title a='>' b="/">${titles}</title></data></response>`;
  const answer = await readAnswer(body, true);
  t.is(answer?.data['title'], `${'<b>'.repeat(100)} <!DOCTYPE`);
  const data = (text: string): string => `<response><code>200</code><data>${text}</data></response>`;
  t.is((await readAnswer(data(''.padStart(800, '<url/>')), true))?.code, 200);
  for (const hostile of [
    `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`,
    `${'<ä b=">">'.repeat(100)}${'</ä>'.repeat(100)}`,
    '<!DOCTYPE a>',
    '<!-- ',
    '<![CDATA[ ',
    '<a b="',
  ]) {
    t.is(await readAnswer(data(hostile), true), undefined, hostile.slice(0, 20));
  }
});
