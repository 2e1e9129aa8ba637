import '../support/quick-scrypt.ts';
import {randomInt} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import fc from 'fast-check';
import {range} from '../support/engines/crowd.ts';
import {storeTimeout, type Way, waysTo} from '../support/engines/cuts.ts';
import {eachOf, racingEngines} from '../support/engines/each.ts';
import {storeOn} from '../support/engines/engines.ts';
import {VisitLoad} from '../support/engines/visit-load.ts';
import {eventually} from '../support/store/eventually.ts';
import {type Site, startSite} from '../support/site.ts';

// CUTS=1000 runs longer. CUTS_SEED repeats the cuts of a run, at other moments.
const maxCuts = Number(process.env['CUTS'] ?? 10);
const seed = Number(process.env['CUTS_SEED'] ?? randomInt(2 ** 31));

/** The sites that share an engine, each with its own connection if the engine is a server. */
const sitesAtOnce = 6;
const links = 10;
/** Milliseconds. On a busy machine it can take long until all sites of a way are served again. */
const timeout = 120_000;

/** A failure of a way, after a pause. */
interface Planned {
  readonly kind: string;
  readonly pause: number;
  readonly length: number;
}

function plan(kinds: readonly string[], cuts: number): Planned[] {
  const cut = fc.record({kind: fc.constantFrom(...kinds), pause: fc.nat(40), length: fc.nat(50)});
  return fc.sample(cut, {seed, numRuns: cuts});
}

/** Runs a plan on many ways at once. Each failure begins once the sites of its way are served again. */
async function cutAll(planned: readonly Planned[], ways: ReadonlyArray<{way: Way; sites: readonly Site[]}>) {
  const queue = planned.values();
  await Promise.all(
    ways.map(async ({way, sites}) => {
      for (const {kind, pause, length} of queue) {
        await delay(pause);
        await way.cuts[kind]?.(length);
        await Promise.all(sites.map(({shortener}) => eventually(() => shortener.ready(), timeout)));
      }
    }),
  );
}

function sumOf(parts: ReadonlyArray<{readonly visits: number}>): number {
  return parts.reduce((sum, {visits}) => sum + visits, 0);
}

const onEach = await eachOf(racingEngines);

onEach((check) => {
  check(
    'every answered redirect counts once with its details, however often the connection is cut',
    async (t, engine) => {
      t.timeout(600_000);
      // A cluster takes ten times as long to recover, because all of its nodes have to, and a sentinel of the site pauses.
      const cuts = ['cluster', 'sentinel'].includes(engine.place) ? Math.ceil(maxCuts / 5) : maxCuts;
      t.log(`${cuts} cuts; CUTS=${maxCuts} CUTS_SEED=${seed}`);
      const {options, ways} = await waysTo(engine, t, sitesAtOnce);
      const steady = await startSite(t, {shortUrl: {...options, store: storeOn(engine, options.store, t)}});
      const load = new VisitLoad();
      for (const index of range(links)) load.add((await steady.create({custom_url: `link-${index}`})).short_url);

      const lost: string[] = [];
      const start = async ({store}: Way): Promise<Site> => {
        const own = storeOn(engine, store, t);
        const site = await eventually(() => startSite(t, {shortUrl: {...options, store: own, storeTimeout}}), timeout);
        site.shortener.events.on('error', ({code, message}) => {
          if (code !== 'store_unavailable' || message.includes('did not accept')) lost.push(`${code}: ${message}`);
        });
        return site;
      };
      const served = await Promise.all(
        ways.map(async (way) => ({
          way,
          sites: await Promise.all(range(sitesAtOnce / ways.length).map(() => start(way))),
        })),
      );
      const sites = served.flatMap((each) => each.sites);
      const planned = plan(Object.keys(ways[0]?.cuts ?? {}), cuts);
      const began = performance.now();
      const visiting = load.visit(sites);
      await cutAll(planned, served);
      load.stop();
      await visiting;
      for (const {shortener} of sites) await shortener.close();

      await eventually(() => steady.shortener.ready());
      const {answered, refused, surprises} = load;
      t.log(`${answered} redirects and ${refused} refusals in ${Math.round((performance.now() - began) / 1000)} s`);
      t.deepEqual(surprises, []);
      t.deepEqual(lost, []);
      t.true(answered > cuts);
      const counts = load.links.map((link) => link.answered);
      const {links: stored} = steady.shortener;
      const stats = await Promise.all(load.links.map(({shortUrl}) => stored.stats('user-42', shortUrl)));
      const totals = await steady.shortener.accounts.stats('user-42');
      t.log(`${totals.totalVisits} visits in the totals of the account`);
      t.deepEqual(
        stats.map(({totalVisits}) => totalVisits),
        counts,
      );
      t.deepEqual(
        stats.map(({days}) => sumOf(days)),
        counts,
      );
      for (const [index, {from}] of load.links.entries()) {
        const told = stats[index]?.details['referrer'] ?? [];
        t.is(sumOf(told), counts[index] ?? 0, 'every visit has its detail');
        // Each process counts about a hundred values by themselves, and further ones as `other`.
        t.true(told.length <= 100 * sites.length + 1);
        for (const {value, visits} of told) t.true(value === 'other' || visits <= (from.get(value) ?? 0), value);
      }
      t.deepEqual([totals.links, totals.totalVisits, sumOf(totals.days)], [links, answered, answered]);
      t.is(sumOf(totals.details['referrer'] ?? []), answered);
    },
  );
});
