import test from 'ava';
import {listPages, partsOf} from '../../support/list-pages.ts';
import {startSite} from '../../support/site.ts';

/** Each character takes five in XML. */
const long = (index: number): string => `https://destination.example/${index}?`.padEnd(8192, '&');

for (const operation of ['list_urls', 'list_active_urls']) {
  test(`pages of ${operation} with very long URLs end early, and together have every link once`, async (t) => {
    const site = await startSite(t);
    const inputs = Array.from({length: 300}, (_, index) => ({url: long(index), customUrl: `long-${index}`}));
    for await (const {error} of site.shortener.links.createMany('user-42', inputs)) t.is(error, undefined);
    for (const suffix of ['.json', '.xml']) {
      const found: string[] = [];
      for await (const page of listPages(site, operation, {limit: '1000'}, suffix)) {
        t.true(page.text.length < 7_000_000, `${page.text.length}`);
        t.true(page.urls.length < 200);
        found.push(...partsOf(page));
      }
      t.deepEqual(found.toSorted(), inputs.map(({customUrl}) => customUrl).toSorted());
    }
  });
}
