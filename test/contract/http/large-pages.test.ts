import test from 'ava';
import {accepted} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';

/** Each character takes five in XML. */
const long = (index: number): string => `https://destination.example/${index}?`.padEnd(8192, '&');

for (const operation of ['list_urls', 'list_active_urls']) {
  test(`pages of ${operation} with very long URLs end early, and together have every link once`, async (t) => {
    const site = await startSite(t);
    const inputs = Array.from({length: 300}, (_, index) => ({url: long(index), customUrl: `long-${index}`}));
    const created: string[] = [];
    for await (const {link} of site.shortener.links.createMany('user-42', inputs)) created.push(link?.shortUrl ?? '');
    for (const suffix of ['.json', '.xml']) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const reply = await site.api(operation, {limit: '1000', ...(cursor && {cursor})}, {suffix});
        t.is(reply.status, 200);
        t.true(reply.text.length < 7_000_000, `${reply.text.length}`);
        const {urls, next_cursor} =
          suffix === '.json' ? accepted(t, reply) : {urls: urlsIn(reply.text), next_cursor: cursorIn(reply.text)};
        if (found.length === 0) t.true(urls.length < 200 && next_cursor !== undefined);
        found.push(...urls.map(({short_url}) => short_url));
        cursor = next_cursor;
      } while (cursor !== undefined);
      t.deepEqual(found.toSorted(), created.toSorted());
    }
  });
}

function urlsIn(xml: string): Array<{short_url: string}> {
  return Array.from(xml.matchAll(/<short_url>([^<]*)/g), ([, short_url = '']) => ({short_url}));
}

function cursorIn(xml: string): string | undefined {
  return /<next_cursor>([^<]*)/.exec(xml)?.[1];
}
