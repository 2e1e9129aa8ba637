/** Measures the cost of a counted redirect compared with a bare one, on every engine: `npm run bench`. */
import {engines, freshOn, whyMissing} from '../test/support/engines/engines.ts';
import type {Owner} from '../test/support/owner.ts';
import {withOwner} from '../test/support/owner.ts';
import {Child} from './child.ts';
import {engineMeter} from './engine-use.ts';
import type {Load, Question} from './generator.ts';
import {isWrittenFor} from './hand-written.ts';
import {engineVersion, machine} from './machine.ts';
import {MeasuredSite, randomPaths} from './measured-site.ts';
import {type Bench, creates, manyProcesses, type MeasuredEngine, redirectsAndPages, roundTrips} from './phases.ts';
import {type Peer, startKutt} from './peer.ts';
import {publish} from './publish.ts';
import type {Series} from './figures.ts';
import type {Results} from './report.ts';

/** The engines, and `pages` for pages of a host. */
const names = (process.env['BENCH_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql,pages').split(',');
const wanted = engines.filter(({name}) => names.includes(name));
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 39);
const roundsOfStart = Math.ceil(rounds / 3);
const shape = {
  roundsOfStart,
  starts: Math.ceil(rounds / roundsOfStart),
  seconds: Number(process.env['BENCH_SECONDS'] ?? 1),
  links: Number(process.env['BENCH_LINKS'] ?? 20_000),
};
const isUsual = !Object.keys(process.env).some((name) => name.startsWith('BENCH_'));

const loadedMachine = machine();
await withOwner(async (owner) => {
  const generator = new Child<Question, Load>('generator.ts', 1);
  owner.teardown(() => generator.close());
  const bench: Bench = {
    ...shape,
    hasPages: names.includes('pages'),
    peer: await startPeer(owner),
    generator,
    owner,
  };
  const measured = await findEngines(owner);
  const versions = await Promise.all(measured.map(({site}) => engineVersion(site.options.store)));
  const found = versions.filter((version) => version !== undefined);
  const results = (series: readonly Series[]): Results => ({...shape, machine: loadedMachine, engines: found, series});
  const created = await creates(bench, measured);
  const compared = await redirectsAndPages(bench, measured);
  const series = [
    ...created,
    ...compared,
    ...(await manyProcesses(bench, measured)),
    ...(await roundTrips(bench, measured)),
  ];
  await publish(results(series), isUsual && measured.length === wanted.length);
});
process.exit();

async function findEngines(owner: Owner): Promise<MeasuredEngine[]> {
  const found = wanted.map(async (engine): Promise<MeasuredEngine | undefined> => {
    const missing = await whyMissing(engine);
    if (missing !== undefined) {
      console.warn(`Left out: ${missing}`);
      return undefined;
    }
    const {name} = engine;
    const keepsLinks = engine.place !== 'memory';
    const site = new MeasuredSite({name, kind: 'links', options: await freshOn(engine, owner), keepsLinks}, owner);
    const meter = await engineMeter(site.options.store);
    owner.teardown(() => meter?.close());
    if (!isWrittenFor(site.options.store)) return {engine, meter, site, byHand: undefined};
    const place = {name: `${name} by hand`, kind: 'hand-written', keepsLinks} as const;
    const byHand = new MeasuredSite({...place, options: await freshOn(engine, owner)}, owner);
    byHand.paths = randomPaths(shape.links);
    return {engine, meter, site, byHand};
  });
  return (await Promise.all(found)).filter((engine) => engine !== undefined);
}

/** The Kutt in the folder after `--peer`, if there is one. */
async function startPeer(owner: Owner): Promise<Peer | undefined> {
  const at = process.argv.indexOf('--peer');
  const folder = process.argv[at + 1];
  if (at < 0) return undefined;
  if (folder === undefined) throw new Error('Expected the folder of an installed Kutt after --peer');
  return startKutt(folder, shape.links, owner);
}
