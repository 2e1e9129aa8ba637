import '../support/quick-scrypt.ts';
import type {LinkQuery, ShortUrl} from '../../src/index.ts';
import {shortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {openedOn} from '../support/engines/engines.ts';

const onEach = await eachOf(protocolEngines);

const created = [
  {customUrl: 'plain', url: 'https://destination.example/page'},
  {customUrl: 'Spring-Sale', url: 'https://destination.example/a'},
  {customUrl: 'in-url', url: 'https://destination.example/SPRING?a=%41_b'},
  {customUrl: 'in-title', url: 'https://destination.example/b', title: 'The "SPRING" \\ sale: 100 %_ off'},
  {customUrl: 'accents', url: 'https://destination.example/c', title: 'FRÜHLING – Spring'},
  {customUrl: 'kelvin', url: 'https://destination.example/d', title: '300 \u212A'},
  {customUrl: 'tagged', url: 'https://destination.example/e', tags: ['Spring', 'two words']},
  {customUrl: 'not-tagged', url: 'https://destination.example/f', tags: ['springs']},
];

/** What each search finds, the newest first. */
const searches: ReadonlyArray<readonly [LinkQuery, readonly string[]]> = [
  [{search: 'sPrInG'}, ['not-tagged', 'tagged', 'accents', 'in-title', 'in-url', 'Spring-Sale']],
  [{search: 'sale off SPRING'}, ['in-title']],
  [{search: 'words example/e'}, ['tagged']],
  [{search: 'https://sho.rt/in-url'}, ['in-url']],
  [{search: 'sho.rt/Spring-Sale?a=b'}, ['Spring-Sale']],
  [{search: 'sho.rt/tagged', tag: 'springs'}, []],
  [{search: '"spring" \\ sale: 100 %_'}, ['in-title']],
  [{search: '?a=%41_'}, ['in-url']],
  [{search: '%'}, ['in-title', 'in-url']],
  [{search: 'frühling'}, ['accents']],
  [{search: '300 k'}, ['kelvin']],
  [{search: 'destination.example/p'}, ['plain']],
  [{search: 'autumn'}, []],
  [{tag: 'SPRING'}, ['tagged']],
  [{tag: 'two words', search: 'destination', status: 'active'}, ['tagged']],
];

async function parts({links}: ShortUrl, query: LinkQuery): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await links.page('ann', {...query, limit: 2, cursor});
    found.push(...page.links.map(({shortUrlPart}) => shortUrlPart));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

onEach((check) => {
  check(
    'a search finds words of the long URL, short part, title or tags, in any case, and a short URL',
    async (t, engine) => {
      const site = shortUrl({baseUrl: 'https://sho.rt', ...(await openedOn(engine, t))});
      t.teardown(() => site.close());
      await site.accounts.create('ann');
      for (const link of created) await site.links.create('ann', link);
      for (const [query, names] of searches) {
        t.deepEqual(await parts(site, query), names, JSON.stringify(query));
        const listed = await collect(site.links.list('ann', {...query, order: 'newest'}));
        t.deepEqual(
          listed.map(({shortUrlPart}) => shortUrlPart),
          names,
        );
      }
    },
  );
});
