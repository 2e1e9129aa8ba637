import {range} from '../test/support/engines/crowd.ts';
import {type Engine, type EngineOptions, freshOn, type Owner} from '../test/support/engines/engines.ts';
import type {EngineMeter} from './engine-use.ts';
import type {Series, Slice} from './figures.ts';
import {type Generator, type LoadedServer, type LoadShape, type MeasuredServer, sliceOf} from './measured-server.ts';
import type {Peer} from './peer.ts';
import type {ServerKind} from './redirect-server.ts';
import {SlowProxy} from './slow-proxy.ts';

export interface Bench {
  readonly rounds: number;
  /** How long the rounds of a phase may take, in milliseconds. */
  readonly bound: number;
  /** The length of a slice. */
  readonly seconds: number;
  readonly links: number;
  /** Another shortener, which is compared in the same rounds. */
  readonly peer: Peer | undefined;
  readonly generator: Generator;
  readonly owner: Owner;
  readonly start: (kind: ServerKind, options: Partial<EngineOptions>, core?: number) => Promise<MeasuredServer>;
}

export interface MeasuredEngine {
  readonly engine: Engine;
  readonly options: EngineOptions;
  readonly meter: EngineMeter | undefined;
  /** The counter written by hand, if there is one for the engine. It has a namespace of its own. */
  readonly byHand?: MeasuredServer;
  /** All use the same namespace of the engine. The first one is pinned to a core. */
  readonly servers: MeasuredServer[];
}

/** A series with the function that measures its next slice. */
interface Subject extends Series {
  readonly measure: () => Promise<Slice>;
}

export const connections = 50;
const processes = 4;
/** The delay of the slow proxy in each direction, in milliseconds. */
export const delay = 10;
/** How many requests a server answers before it is measured. After a third of them some functions were not optimised yet. */
const warm = 30_000;
/**
 * The same for another shortener, and the length of its slices in milliseconds. Its queue has to be empty before the next
 * subject is measured, and stores far fewer visits in a second than are redirected.
 */
const peerLoad = {warm: 300, milliseconds: 200, reconnects: true};
/** How many rounds at the beginning of a phase are discarded. */
const warmUps = 2;

/** Measures the subjects in turn, so that slow periods of the machine affect all of them. */
async function inTurns(
  phase: string,
  subjects: readonly Subject[],
  rounds: number,
  bound = Infinity,
): Promise<Series[]> {
  const begin = performance.now();
  for (const round of range(rounds + warmUps)) {
    if (round > warmUps && performance.now() - begin > bound) break;
    for (const {slices, measure} of subjects) {
      const slice = await measure();
      if (round >= warmUps) slices.push(slice);
    }
    console.log(`${phase}: ${round + 1} of ${rounds + warmUps} rounds`);
  }
  return subjects.map(({group, name, slices}) => ({group, name, slices}));
}

export async function creates(
  {rounds, links, generator}: Bench,
  engines: readonly MeasuredEngine[],
): Promise<Series[]> {
  const paths = new Map<string, string[]>();
  const count = Math.ceil(links / (rounds + warmUps));
  const subjects = engines.map(({engine: {name}, servers: [server]}): Subject => {
    const all: string[] = [];
    paths.set(name, all);
    const measure = async (): Promise<Slice> => {
      if (server === undefined) throw new Error(`There is no server on ${name}`);
      const made = await server.create(count, connections);
      all.push(...made.paths);
      return made.slice;
    };
    return {group: 'create', name, slices: [], measure};
  });
  const series = await inTurns('creates', subjects, rounds);
  for (const [name, all] of paths) await definePaths(generator, name, all);
  return series;
}

async function definePaths(generator: Generator, name: string, paths: readonly string[]): Promise<void> {
  await generator.ask({do: 'define', name: `one ${name}`, paths: paths.slice(0, 1)});
  await generator.ask({do: 'define', name: `many ${name}`, paths});
}

/** Redirects on every engine, and pages of a host, each with its baseline. */
export async function redirectsAndPages(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  for (const {engine, byHand} of engines) {
    const made = await byHand?.create(bench.links, connections);
    if (made) await definePaths(bench.generator, `${engine.name} by hand`, made.paths);
  }
  await bench.generator.ask({do: 'define', name: 'page', paths: ['/about']});
  const start = async (kind: ServerKind, group: Series['group'], name: string): Promise<Subject> =>
    loaded(bench, group, name, [await bench.start(kind, {store: 'memory:'}, 0)], 'page');
  const subjects = [
    await start('koa', 'baseline', 'Koa, only `ctx.redirect(url)`'),
    ...engines.flatMap(({engine: {name}, meter, servers: [server], byHand}) =>
      (['one', 'many'] as const).flatMap((group) => [
        ...(server ? [loaded(bench, group, name, [server], `${group} ${name}`, meter)] : []),
        ...(byHand ? [loaded(bench, `${group} by hand`, name, [byHand], `${group} ${name} by hand`, meter)] : []),
      ]),
    ),
    ...(await peers(bench)),
    await start('page', 'bare page', 'without the middleware'),
    await start('page-deferred', 'page', 'with it, `defer: true`'),
    await start('page-links-first', 'page', 'with it, `defer: false`, the name not reserved'),
  ];
  return inTurns('redirects and pages', subjects, bench.rounds, bench.bound);
}

async function peers(bench: Bench): Promise<Subject[]> {
  const {peer} = bench;
  if (peer === undefined) return [];
  await definePaths(bench.generator, peer.name, peer.paths);
  return (['one', 'many'] as const).map((group) =>
    loaded(bench, `${group} of a peer`, peer.name, [peer.server], `${group} ${peer.name}`, undefined, peerLoad),
  );
}

/** One process and several processes on one engine. They are not pinned: figures are for the whole machine. */
export async function manyProcesses(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const subjects: Subject[] = [];
  for (const {engine, options, servers} of engines.filter(({engine: {isShared}}) => isShared)) {
    const free = await Promise.all(range(processes).map(() => bench.start('links', options)));
    servers.push(...free);
    for (const count of [1, processes]) {
      const name = `${engine.name}, ${count === 1 ? '1 process' : `${count} processes`}`;
      subjects.push(loaded(bench, 'processes', name, free.slice(0, count), `many ${engine.name}`));
    }
  }
  return inTurns('processes', subjects, Math.ceil(bench.rounds / 4));
}

/** Visits one link, one visit at a time, with a slow proxy in front of the engine. */
export async function roundTrips(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const subjects: Subject[] = [];
  for (const {engine} of engines.filter(({options}) => /^(?:redis|postgres|mysql):/.test(options.store))) {
    const options = await freshOn(engine, bench.owner);
    const store = new URL(options.store);
    const proxy = await SlowProxy.start(Number(store.port), delay);
    bench.owner.teardown(() => {
      proxy.close();
    });
    store.port = `${proxy.port}`;
    const server = await bench.start('links', {...options, store: store.href}, 0);
    const {paths} = await server.create(1, 1);
    await bench.generator.ask({do: 'define', name: `far ${engine.name}`, paths});
    const load = {name: `far ${engine.name}`, connections: 1, milliseconds: bench.seconds * 1000, warm: 0};
    const measureTrips = async (): Promise<Slice> => {
      const [trips, answered] = [proxy.roundTrips, server.answered];
      const slice = await sliceOf(bench.generator, [server], load);
      return {...slice, trips: (proxy.roundTrips - trips) / (server.answered - answered)};
    };
    subjects.push({group: 'trip', name: engine.name, slices: [], measure: measureTrips});
  }
  return inTurns('round trips', subjects, Math.ceil(bench.rounds / 3));
}

/** A subject that is measured with the load generator. */
function loaded(
  {generator, seconds}: Bench,
  group: Series['group'],
  name: string,
  servers: readonly LoadedServer[],
  paths: string,
  meter?: EngineMeter,
  own: Partial<LoadShape> = {},
): Subject {
  const load = {name: paths, connections: connections * servers.length, milliseconds: seconds * 1000, warm, ...own};
  return {group, name, slices: [], measure: () => sliceOf(generator, servers, load, meter)};
}
