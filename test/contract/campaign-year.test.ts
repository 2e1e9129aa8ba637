import test from 'ava';
import type {ConversionStats, Rule, ShortUrl} from '../../src/index.ts';
import {importNdjson} from '../../src/tools/import/import-ndjson.ts';
import {range} from '../support/engines/crowd.ts';
import {exported, partsOf} from '../support/tools/text.ts';
import {noon, type Place, runSite} from '../support/tools/world.ts';
import {viaOf} from '../support/visitor.ts';

const day = 86_400_000;
const campaigns = ['spring', 'summer', 'autumn'] as const;

/** What a campaign or a page had, in cents. */
interface Entry {
  visits: number;
  orders: number;
  value: number;
  refunded: number;
}

/** A book that is kept apart from the site. */
class Book {
  readonly #entries = new Map<string, Entry>();

  add(names: readonly string[], more: Partial<Entry>): void {
    for (const name of names) {
      const entry = this.of(name);
      this.#entries.set(name, entry);
      for (const [part, n] of Object.entries(more)) entry[part as keyof Entry] += n;
    }
  }

  of(name: string): Entry {
    return this.#entries.get(name) ?? {visits: 0, orders: 0, value: 0, refunded: 0};
  }
}

function entryOf(visits: number, conversions: ReadonlyArray<Omit<ConversionStats, 'name'>>): Entry {
  const sum = (part: 'conversions' | 'value' | 'refunded'): number =>
    conversions.reduce((all, each) => all + each[part], 0);
  return {visits, orders: sum('conversions'), value: sum('value'), refunded: sum('refunded')};
}

/** What the site shows, by the names of the book. */
async function shownBy({links}: ShortUrl, shortUrls: readonly string[], year: object): Promise<Map<string, Entry>> {
  const shown = new Map<string, Entry>();
  for (const by of ['campaign', 'source'] as const) {
    const {tags} = await links.compareTags('ann', {...year, by});
    for (const {tag, visits, conversions, values} of tags) {
      const [value] = values;
      shown.set(`${by} ${tag}`, {
        visits,
        orders: conversions,
        value: value?.value ?? 0,
        refunded: value?.refunded ?? 0,
      });
    }
  }
  for (const [index, shortUrl] of shortUrls.entries()) {
    const {variants = [], totalVisits, conversions} = await links.stats('ann', shortUrl);
    shown.set(`link ${index}`, entryOf(totalVisits, conversions));
    for (const {name, visits, conversions: own} of variants) shown.set(`${index} ${name}`, entryOf(visits, own));
  }
  return shown;
}

test('a year of campaigns and of tests of pages is the same as in a book that was kept apart, also after an export and its import', async (t) => {
  const place: Place = {store: new Map(), attribution: {currency: 'EUR'}};
  const site = await runSite(t, place);
  const {links, accounts, conversions} = site.shortener;
  await accounts.create('ann');
  const book = new Book();
  const rules = (names: readonly string[]): Rule[] =>
    names.map((name) => ({share: 30, name, url: `https://${name}.example/`}));
  const shortUrls: string[] = [];
  for (const index of range(6)) {
    const utm = {source: index % 2 === 0 ? 'mail' : 'poster', campaign: campaigns[index % 3] ?? ''};
    shortUrls.push((await links.create('ann', {url: 'https://a.example/', utm, rules: rules(['b', 'c'])})).shortUrl);
  }
  // The draws are the same in each run, because the secret and the agents are.
  for (const visit of range(360)) {
    site.clock.now = noon + visit * day;
    const index = (visit * 7) % shortUrls.length;
    const shortUrl = shortUrls[index] ?? '';
    // A rule is renamed, and then the other one removed.
    if (visit % 90 === 60) await links.update('ann', shortUrl, {rules: rules(['blue', 'c'])});
    if (visit % 90 === 75) await links.update('ann', shortUrl, {rules: rules(['blue'])});
    const headers = {'User-Agent': `Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.${visit}`};
    const reply = await site.ask(shortUrl, {headers});
    const page = /\/\/(.*)\.example/.exec(reply.headers.location ?? '')?.[1] ?? '';
    t.true(reply.headers.location?.includes(`utm_campaign=${campaigns[index % 3]}`));
    const names = [
      `campaign ${campaigns[index % 3]}`,
      `source ${index % 2 === 0 ? 'mail' : 'poster'}`,
      `link ${index}`,
      `${index} ${page === 'a' ? 'A' : page}`,
    ];
    book.add(names, {visits: 1});
    if (visit % 3 === 0) continue;
    const value = 1999 + visit * 7;
    await conversions.record({via: viaOf(reply.headers['set-cookie'])}, {name: 'order', id: visit, value});
    book.add(names, {orders: 1, value});
    if (visit % 5 !== 0) continue;
    await conversions.refund({name: 'order', id: visit, refund: 'a', value: 333});
    book.add(names, {refunded: 333});
  }
  const year = {from: '2031-05-06', until: '2032-05-04'};
  const shown = await shownBy(site.shortener, shortUrls, year);
  t.true(shown.size >= 3 + 2 + 6 * 4);
  for (const [name, entry] of shown) t.deepEqual(entry, book.of(name), name);

  const copied: Place = {store: new Map(), attribution: {currency: 'EUR'}};
  await importNdjson({store: copied.store, file: partsOf((await exported({store: place.store})).text)});
  const again = await runSite(t, copied);
  again.clock.now = site.clock.now;
  t.deepEqual(await shownBy(again.shortener, shortUrls, year), shown);
});
