import {Calendar} from '../../../src/values/calendar.ts';
import {ReservedSlugs} from '../../../src/site/reserved.ts';
import test from 'ava';
import fc from 'fast-check';
import {ShortUrlError} from '../../../src/index.ts';
import {streamEnvelope, writeEnvelope} from '../../../src/http/envelope.ts';
import {Bases} from '../../../src/link/bases.ts';
import {checkNewLink} from '../../../src/link/new-link.ts';
import {readXml, type XmlElement} from '../../support/documents.ts';
import {text} from '../../long/fuzz/texts.ts';

/** Any text, often with characters that XML cannot hold. */
const anyText = fc.oneof(
  text,
  fc.string({unit: 'binary'}),
  fc
    .array(
      fc.constantFrom('\0', '\u001f', '\ud800', '\udfff', '\ufffe', '\uffff', ']]>', '&', '<', '>', '"', "'", ' ', 'a'),
    )
    .map((pieces) => pieces.join('')),
);

/** The text as XML holds it: U+FFFD for each character that XML forbids, and a line feed for every line ending. */
function asXmlCarries(value: string): string {
  const allowed = /^[\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]$/u;
  const lines = value.replaceAll(/\r\n?/g, '\n');
  return Array.from(lines, (character) => (allowed.test(character) ? character : '\ufffd')).join('');
}

function textsOf({name, text: own, children}: XmlElement): Array<[string, string]> {
  return [[name, own], ...children.flatMap(textsOf)];
}

test('XML and JSON have the same texts in the same places, also in lists and in details', async (t) => {
  const names = fc.constantFrom('referrer', 'a', '1', '__proto__', 'constructor', 'x_2');
  const values = fc.array(fc.record({value: anyText, visits: fc.nat()}), {minLength: 1, maxLength: 3});
  const byName = fc.uniqueArray(fc.tuple(names, values), {maxLength: 3, selector: ([name]) => name});
  const element = (name: string, value: string): [string, string] => [name, asXmlCarries(value)];
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, {maxLength: 3}), byName, async (tags, lists) => {
      const details = Object.fromEntries(lists);
      const envelope = {code: 200, data: {urls: [{title: null, tags}], tags, details}};
      t.deepEqual(JSON.parse(await writeEnvelope(envelope, 'json')), envelope);
      const inTags = [element('tags', ''), ...tags.map((tag) => element('tag', tag))];
      t.deepEqual(textsOf(readXml(await writeEnvelope(envelope, 'xml'))).slice(3), [
        ...[element('urls', ''), element('url', ''), element('title', ''), ...inTags],
        ...inTags,
        element('details', ''),
        ...Object.entries(details).flatMap(([name, rows]) =>
          rows.flatMap(({value, visits}) => [
            element('detail', ''),
            element('name', name),
            element('value', value),
            element('visits', String(visits)),
          ]),
        ),
      ]);
    }),
    {numRuns: 300},
  );
});

test('XML holds every title and tag that a link may have, unchanged', async (t) => {
  const rules = {
    bases: new Bases('https://example.com', []),
    reserved: new ReservedSlugs(),
    calendar: new Calendar(),
    now: 0,
  };
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyText, {maxLength: 3}), async (title, tags) => {
      try {
        checkNewLink({url: 'https://a.example/', title, tags}, rules);
      } catch (error) {
        return error instanceof ShortUrlError && error.code === 'malformed_parameter';
      }
      taken += 1;
      const texts = textsOf(readXml(await writeEnvelope({code: 200, data: {title, tags}}, 'xml'))).slice(3);
      const expected = [['title', title], ['tags', ''], ...tags.map((tag) => ['tag', tag])];
      return JSON.stringify(texts) === JSON.stringify(expected);
    }),
    {numRuns: 500},
  );
  t.true(taken > 100, `${taken} were taken`);
});

test('a list that is written in chunks is the same as one that is written at once', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(anyText, {maxLength: 3}), {maxLength: 4}), async (lists) => {
      const items = lists.map((list) => list.map((short_url) => ({short_url})));
      const whole = {code: 200, data: {urls: items.flat(), date_time: '2031-05-06 12:00:00'}};
      for (const format of ['json', 'xml'] as const) {
        const chunks = (async function* () {
          yield* items;
        })();
        let written = '';
        for await (const piece of streamEnvelope(
          {...whole, data: {...whole.data, urls: []}},
          {name: 'urls', chunks},
          format,
        )) {
          written += piece;
        }
        if (written !== (await writeEnvelope(whole, format))) return false;
      }
      return true;
    }),
    {numRuns: 500},
  );
  t.pass();
});
