import '../support/quick-scrypt.ts';
import {performance} from 'node:perf_hooks';
import Koa from 'koa';
import {type CheckResult, type Link, type Rechecked, type ShortUrl, shortUrl} from '../../src/index.ts';
import {range} from '../support/engines/crowd.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {visitorOf} from '../support/examples/visitor.ts';
import {collectGarbage} from '../support/heap.ts';
import {isNight} from '../support/night.ts';

const onEach = await eachOf(engines);

const size = isNight ? 20_000 : 200;
const url = 'https://destination.example/page';

/** How much more memory a run may use, in bytes, whatever the number of links. */
const maxHeap = 20_000_000;

function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const verdict = ({urlId}: Link): CheckResult => (urlId % 100 === 1 ? 'forbidden' : urlId % 10 === 0 ? 'broken' : 'ok');

function middle(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

onEach((check) => {
  check('two runs at once beside visitors mark and block each link once, in bounded memory', async (t, engine) => {
    t.timeout(600_000);
    const options = {baseUrl: 'https://example.com', ...(await freshOn(engine, t))};
    const first = shortUrl(options);
    // A store in memory belongs to one shortener.
    const all: readonly ShortUrl[] = engine.place === 'memory' ? [first] : [first, shortUrl(options)];
    const seen = {broken: 0, block: 0};
    for (const each of all) {
      t.teardown(() => each.close());
      for (const name of ['broken', 'block'] as const) each.events.on(name, () => (seen[name] += 1));
    }
    const {accounts, admin, links} = first;
    await accounts.create('ann');
    const inputs = range(size).map((index) => ({url, customUrl: `link-${index}`}));
    for await (const {error} of links.createMany('ann', inputs)) if (error) throw error;
    const ask = await visitorOf(t, new Koa().use(first));
    let redirects = 0;
    /** Visits links until the work is done. Returns how long each visit took, in milliseconds. */
    const visitDuring = async (work: Promise<unknown>): Promise<number[]> => {
      const state = {isOver: false};
      const end = work.finally(() => (state.isOver = true));
      const times: number[] = [];
      for (let index = 0; !state.isOver; index = (index + 7) % size) {
        const began = performance.now();
        const {status} = await ask(`https://example.com/link-${index}`);
        times.push(performance.now() - began);
        if (status === 302) redirects += 1;
        else t.is(status, 410);
      }
      await end;
      return times;
    };
    const quiet = await visitDuring(new Promise((resolve) => setTimeout(resolve, isNight ? 5000 : 200)));

    const before = usedHeap();
    let most = 0;
    const run = async ({admin: operator}: ShortUrl): Promise<number> => {
      let results = 0;
      const counted = (result: Rechecked['result']): boolean => result !== undefined && result !== 'changed';
      for await (const {result} of operator.recheck(verdict, {concurrency: 20})) {
        if (counted(result)) results += 1;
        if (results % 2000 === 1000) most = Math.max(most, usedHeap() - before);
      }
      return results;
    };
    const began = performance.now();
    const runs = Promise.all([run(first), run(all.at(-1) ?? first)]);
    const busy = await visitDuring(runs);
    const seconds = (performance.now() - began) / 1000;

    const ids = range(size).map((index) => index + 1);
    const blocked = ids.filter((id) => id % 100 === 1).length;
    const broken = ids.filter((id) => id % 10 === 0).length;
    // The second run need not have seen the links that the first one has blocked.
    for (const results of await runs) t.true(results >= size - blocked && results <= size, `${results}`);
    t.deepEqual(seen, {broken, block: blocked});
    t.like(await accounts.stats('ann'), {links: size, brokenLinks: broken, totalVisits: redirects});
    t.like(await admin.stats(), {links: size, brokenLinks: broken});
    t.true(most < maxHeap, `${most}`);
    const per = (times: readonly number[]): string => middle(times).toFixed(2);
    t.log(
      `${size} links twice in ${seconds.toFixed(1)} s; a visit takes ${per(quiet)} ms, during the runs ${per(busy)} ms; ${most} bytes`,
    );
  });
});
