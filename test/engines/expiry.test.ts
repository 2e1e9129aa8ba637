import '../support/quick-scrypt.ts';
import type {ExecutionContext} from 'ava';
import Koa from 'koa';
import {type CreateLink, type ShortUrl, shortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {range} from '../support/engines/crowd.ts';
import {storeTimeout, waysTo} from '../support/engines/cuts.ts';
import {eachOf, protocolEngines, racingEngines} from '../support/engines/each.ts';
import {type Engine, type EngineOptions, storeOn} from '../support/engines/engines.ts';
import {siteProcesses} from '../support/engines/site-processes.ts';
import {together} from '../support/engines/together.ts';
import {visitorOf} from '../support/examples/visitor.ts';
import {eventually} from '../support/store/eventually.ts';

const onEach = await eachOf(racingEngines);
const onSome = await eachOf(protocolEngines);
const start = siteProcesses();
const account = 'ann';
const url = 'https://destination.example/page';
const hour = 60 * 60_000;

/** A shortener whose clock is a day behind, for which links that have expired still work. */
function earlier(t: ExecutionContext, engine: Engine, options: EngineOptions): ShortUrl {
  const store = storeOn(engine, options.store, t);
  const now = (): number => Date.now() - 24 * hour;
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options, store, now});
  t.teardown(() => shortener.close());
  return shortener;
}

/** A moment so many hours ago. */
const ago = (hours: number): string => new Date(Date.now() - hours * hour).toISOString();

function countsOf(announced: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of announced) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

onEach((check) => {
  check('of two processes and a sweep at once one announces a link that has expired', async (t, engine) => {
    const {sites, shortener, options} = await together(t, engine, {start, size: 2, account});
    const before = earlier(t, engine, options);
    const swept: string[] = [];
    shortener.events.on('expired', ({link}) => swept.push(link.shortUrl));
    const sweep = () => collect(shortener.admin.sweep({expiredFor: 10_000}));
    const create = async (input: Omit<CreateLink, 'url'>): Promise<string> =>
      (await before.links.create(account, {url, ...input})).shortUrl;
    const dated = await Promise.all(range(8).map(() => create({expiryDate: ago(12)})));
    const limited = await Promise.all(range(8).map(() => create({maxVisits: 2})));
    const all = [...dated, ...limited];
    const announced = () => countsOf([...swept, ...sites.flatMap((site) => site.expired)]);
    const visitAll = async (): Promise<void> => {
      const visits = all.flatMap((each) => range(6).map((turn) => sites[turn % 2]?.visit(each)));
      await Promise.all([...visits, sweep()]);
      // What no visit has announced yet.
      await sweep();
    };
    const times = (count: number, of: readonly string[]) => Object.fromEntries(of.map((each) => [each, count]));
    const expect = (expected: Record<string, number>) =>
      eventually(() => {
        const seen = announced();
        // One that is announced too often stays so.
        return all.every((each) => (seen[each] ?? 0) >= (expected[each] ?? 0))
          ? Promise.resolve()
          : Promise.reject(new Error(JSON.stringify(seen)));
      });
    await visitAll();
    await expect(times(1, all));
    await visitAll();
    t.deepEqual(announced(), times(1, all));
    for (const each of dated) await before.links.update(account, each, {expiryDate: ago(6)});
    for (const each of limited) await shortener.links.update(account, each, {maxVisits: 3});
    await visitAll();
    await expect(times(2, all));
    await visitAll();
    t.deepEqual(announced(), times(2, all));
    t.deepEqual(
      sites.flatMap(({failures}) => failures),
      [],
    );
  });
});

onSome((check) => {
  check('however often connections are cut, each link that has expired is announced once', async (t, engine) => {
    const {options, ways} = await waysTo(engine, t, 2);
    const before = earlier(t, engine, options);
    await before.accounts.create(account);
    const created = range(40).map(() => ({url, expiryDate: ago(12)}));
    const urls: string[] = [];
    for await (const {link, error} of before.links.createMany(account, created)) {
      if (error) throw error;
      urls.push(link.shortUrl);
    }
    const announced: string[] = [];
    const sites = await Promise.all(
      ways.map(async ({store, cuts}) => {
        const site = shortUrl({
          baseUrl: 'https://example.com',
          ...options,
          store: storeOn(engine, store, t),
          storeTimeout,
        });
        t.teardown(() => site.close());
        site.events.on('expired', ({link}) => announced.push(link.shortUrl));
        site.events.on('error', () => undefined);
        return {site, cuts: Object.values(cuts), ask: await visitorOf(t, new Koa().use(site))};
      }),
    );
    for (const [index, each] of urls.entries()) {
      const work = sites.map(async ({ask, cuts}, turn) => {
        const visits = range(3).map(() => ask(each));
        await cuts[(index + turn) % cuts.length]?.(5);
        await Promise.all(visits);
      });
      await Promise.all(work);
    }
    await eventually(async () => {
      for (const each of urls) await sites[0]?.ask(each);
      for (const each of urls) if (!announced.includes(each)) throw new Error(`${each} is not announced`);
    }, 60_000);
    // A busy machine may be slower than the timeout of the store.
    for (const {site} of sites) await eventually(() => collect(site.admin.sweep({expiredFor: 10_000})), 60_000);
    for (const {site} of sites) await site.close();
    t.deepEqual(countsOf(announced), Object.fromEntries(urls.map((each) => [each, 1])));
  });
});
