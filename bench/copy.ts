/** Measures how many links per second `copyStore` copies, and its memory: `node --import tsx bench/copy.ts`. */
import {dayCounter, visitsCounter} from '../src/link/counters.ts';
import {countersKey, linkKey, positionsKey} from '../src/keys.ts';
import {loadavg} from 'node:os';
import {shortUrl} from '../src/index.ts';
import {packing} from '../src/link/packing.ts';
import {accountList, LinkIndex} from '../src/links/list/link-index.ts';
import {type LinkRecord} from '../src/link/record.ts';
import {openStore} from '../src/store/opening/open.ts';
import {copyStore} from '../src/tools/copy/copy.ts';
import {type EngineOptions, type Engine, engines, freshOn} from '../test/support/engines/engines.ts';

const links = Number(process.env['COPY_LINKS'] ?? 100_000);
const ways = (process.env['COPY_WAYS'] ?? 'sqlite-redis,sqlite-postgres').split(',').map((way) => way.split('-'));
const atOnce = 500;

/** Fills a store with links that have visits on one day, faster than through `links.create`. */
async function fill(options: EngineOptions): Promise<void> {
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
  await shortener.accounts.create('ann');
  const {shortUrl: first} = await shortener.links.create('ann', {
    url: 'https://destination.example/',
    customUrl: 'first',
  });
  await shortener.close();
  const store = openStore(options.store, {namespace: options.namespace, packing, timeout: 30_000});
  const slug = first.slice(first.lastIndexOf('/') + 1);
  const template = (await store.get<LinkRecord>(linkKey({domain: 'example.com', slug})))?.value;
  if (template === undefined) throw new Error('The first link is missing from the store');
  const linkIndex = new LinkIndex(store);
  for (let start = 2; start <= links; start += atOnce) {
    const numbers = Array.from({length: Math.min(atOnce, links - start + 1)}, (_, index) => start + index);
    const records = numbers.map((number): LinkRecord => {
      const name = {domain: 'example.com', slug: `x${number.toString(36).padStart(6, '0')}`};
      const url = `https://destination.example/a/page/of/some/length?number=${number}`;
      return {
        ...template,
        ...name,
        id: number,
        position: number,
        url,
        counters: `c${number.toString(36).padStart(5, '0')}`,
      };
    });
    await Promise.all(
      records.map((record) => linkIndex.reserveAt(accountList(record.generation), record.position, record)),
    );
    await store.insertMany(records.map((record) => [linkKey(record), record] as const));
    await store.setCounters(
      records.map((record) => [
        countersKey(record),
        {
          counts: new Map([
            [visitsCounter, 3],
            [dayCounter(20_000), 3],
          ]),
          at: 1_728_000_000_000,
        },
      ]),
    );
  }
  await store.setCounters([[positionsKey(template.generation), {counts: new Map([['next', links]]), at: undefined}]]);
  await store.close();
}

function engineNamed(name: string | undefined): Engine {
  const engine = engines.find((one) => one.name === name);
  if (engine === undefined) throw new Error(`There is no engine ${name}`);
  return engine;
}

async function measure(from: Engine, to: Engine): Promise<void> {
  const undos: Array<() => unknown> = [];
  const generation = {teardown: (undo: () => unknown) => void undos.push(undo)};
  try {
    const source = await freshOn(from, generation);
    const target = await freshOn(to, generation);
    await fill(source);
    for (const run of ['first', 'second']) {
      let phase = '';
      const phases: string[] = [];
      let since = performance.now();
      const begin = performance.now();
      let peak = 0;
      const cpu = process.cpuUsage();
      const summary = await copyStore({
        from: source.store,
        to: target.store,
        namespace: source.namespace,
        toNamespace: target.namespace,
        onProgress: (progress) => {
          peak = Math.max(peak, process.memoryUsage.rss());
          if (progress.phase === phase) return;
          if (phase !== '') phases.push(`${phase} ${Math.round(performance.now() - since)} ms`);
          phase = progress.phase;
          since = performance.now();
        },
      });
      phases.push(`${phase} ${Math.round(performance.now() - since)} ms`);
      const seconds = (performance.now() - begin) / 1000;
      const used = process.cpuUsage(cpu);
      console.log(
        `${from.name} to ${to.name}, ${run} run: ${Math.round(summary.links / seconds)} links per second ` +
          `(${Math.round((used.user + used.system) / summary.links)} us of CPU time per link), ` +
          `at most ${Math.round(peak / 2 ** 20)} MB, load ${loadavg()
            .map((load) => load.toFixed(1))
            .join(' ')}; ${phases.join(', ')}; ${JSON.stringify(summary)}`,
      );
    }
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

for (const [from, to] of ways) await measure(engineNamed(from), engineNamed(to));
