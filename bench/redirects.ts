/**
 * Measures the cost of a counted redirect compared with a bare one, on every engine: `npm run bench`. With `--quick` it
 * leaves out most of it, and answers in five minutes.
 */
import {engines, freshOn, type Owner, whyMissing} from '../test/support/engines/engines.ts';
import {Child} from './child.ts';
import {engineMeter} from './engine-use.ts';
import type {Load, Question} from './generator.ts';
import {isWrittenFor} from './hand-written.ts';
import {engineVersion, machine} from './machine.ts';
import {MeasuredServer} from './measured-server.ts';
import {type Bench, creates, manyProcesses, type MeasuredEngine, redirectsAndPages, roundTrips} from './phases.ts';
import {type Peer, startKutt} from './peer.ts';
import {publish} from './publish.ts';
import type {Series} from './figures.ts';
import {quickReportOf, type Results} from './report.ts';

const names = (process.env['BENCH_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql').split(',');
const shape = {
  rounds: Number(process.env['BENCH_ROUNDS'] ?? 120),
  seconds: Number(process.env['BENCH_SECONDS'] ?? 1),
  links: Number(process.env['BENCH_LINKS'] ?? 20_000),
};
const isQuick = process.argv.includes('--quick');
/** How long the rounds of a quick bench take, in milliseconds. Starting, filling and warming up take the rest of five minutes. */
const quickBound = 200_000;
const isUsual = !Object.keys(process.env).some((name) => name.startsWith('BENCH_'));

const undos: Array<() => unknown> = [];
const owner: Owner = {teardown: (undo) => void undos.push(undo)};
const loadedMachine = machine();
try {
  const generator = new Child<Question, Load>('generator.ts', 1);
  owner.teardown(() => generator.close());
  const bench: Bench = {
    ...shape,
    bound: isQuick ? quickBound : Infinity,
    peer: await startPeer(),
    generator,
    owner,
    start: async (kind, options, core) => {
      const server = await MeasuredServer.start(kind, options, core);
      owner.teardown(() => server.close());
      return server;
    },
  };
  const measured = await startEngines(bench);
  const versions = await Promise.all(measured.map(({options}) => engineVersion(options.store)));
  const found = versions.filter((version) => version !== undefined);
  const results = (series: readonly Series[]): Results => ({...shape, machine: loadedMachine, engines: found, series});
  const series = await creates(isQuick ? {...bench, rounds: 1} : bench, measured);
  series.push(...(await redirectsAndPages(bench, measured)));
  if (!isQuick) series.push(...(await manyProcesses(bench, measured)));
  for (const engine of measured) await checkVisits(engine);
  if (isQuick) {
    console.log(quickReportOf(results(series)));
  } else {
    series.push(...(await roundTrips(bench, measured)));
    process.exitCode = await publish(results(series), isUsual && measured.length === names.length);
  }
} finally {
  for (const undo of undos.reverse()) await undo();
}
process.exit();

async function startEngines({start}: Bench): Promise<MeasuredEngine[]> {
  const wanted = engines.filter(({name}) => names.includes(name));
  const started = wanted.map(async (engine): Promise<MeasuredEngine | undefined> => {
    const missing = await whyMissing(engine);
    if (missing !== undefined) {
      console.warn(`Left out: ${missing}`);
      return undefined;
    }
    const options = await freshOn(engine, owner);
    const meter = await engineMeter(options.store);
    owner.teardown(() => meter?.close());
    const servers = [await start('links', options, 0)];
    if (!isWrittenFor(options.store)) return {engine, options, meter, servers};
    return {engine, options, meter, servers, byHand: await start('hand-written', await freshOn(engine, owner), 0)};
  });
  return (await Promise.all(started)).filter((engine) => engine !== undefined);
}

/** The Kutt in the folder after `--peer`, if there is one. */
async function startPeer(): Promise<Peer | undefined> {
  const at = process.argv.indexOf('--peer');
  const folder = process.argv[at + 1];
  if (at < 0) return undefined;
  if (folder === undefined) throw new Error('Expected the folder of an installed Kutt after --peer');
  return startKutt(folder, shape.links, owner);
}

/** Checks that every answered redirect was stored exactly once. */
async function checkVisits({engine, servers, byHand}: MeasuredEngine): Promise<void> {
  await checkSum(engine.name, servers);
  if (byHand) await checkSum(`${engine.name} by hand`, [byHand]);
}

async function checkSum(name: string, servers: readonly MeasuredServer[]): Promise<void> {
  const visits = await servers[0]?.visits();
  const answered = servers.reduce((sum, server) => sum + server.answered, 0);
  if (visits !== answered)
    throw new Error(`${name}: ${answered} redirects were answered, but ${visits} visits are stored`);
}
