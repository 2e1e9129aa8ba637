import {range} from '../test/support/engines/crowd.ts';
import {type Engine, freshOn} from '../test/support/engines/engines.ts';
import type {Owner} from '../test/support/owner.ts';
import {TcpProxy} from '../test/support/store/tcp-proxy.ts';
import type {EngineMeter} from './engine-use.ts';
import type {Series, Slice} from './figures.ts';
import {type Generator, type LoadedServer, type LoadShape, MeasuredServer, sliceOf, warmUp} from './measured-server.ts';
import type {MeasuredSite} from './measured-site.ts';
import type {Peer} from './peer.ts';
import type {ServerKind} from './redirect-server.ts';

export interface Bench {
  /** How often the servers are started. */
  readonly starts: number;
  /** How many rounds each start has. */
  readonly roundsOfStart: number;
  /** The length of a slice. */
  readonly seconds: number;
  readonly links: number;
  /** Whether pages of a host are measured. */
  readonly hasPages: boolean;
  /** Another shortener, which is compared in the same rounds. */
  readonly peer: Peer | undefined;
  readonly generator: Generator;
  readonly owner: Owner;
}

export interface MeasuredEngine {
  readonly engine: Engine;
  readonly meter: EngineMeter | undefined;
  readonly site: MeasuredSite;
  /** The counter written by hand, if there is one for the engine. It has a namespace of its own. */
  readonly byHand: MeasuredSite | undefined;
}

/** A series with the function that measures its next slice. */
interface Subject extends Series {
  /** Precedes the first slice. */
  readonly warmUp?: () => Promise<void>;
  readonly measure: () => Promise<Slice>;
}

export const connections = 50;
const processes = 4;
/** The delay of the slow proxy in each direction, in milliseconds. */
export const delay = 10;
/** How many requests a server answers before it is measured. After a third of them some functions were not optimised yet. */
const warm = 30_000;
/**
 * How many requests another shortener answers first, and the length of its slices in milliseconds. Its queue has to be empty before the next
 * subject is measured, and stores far fewer visits in a second than are redirected.
 */
const peerLoad = {warm: 300, milliseconds: 200, reconnects: true};

/** How many rounds after the start of the servers are discarded. */
const discarded = 1;

/** Measures the subjects in turn, so that slow periods of the machine affect all of them. */
async function inTurns(phase: string, subjects: readonly Subject[], rounds: number): Promise<Series[]> {
  for (const {warmUp: warmedUp} of subjects) await warmedUp?.();
  for (const round of range(rounds + discarded)) {
    for (const {slices, measure} of subjects) {
      const slice = await measure();
      if (round >= discarded) slices.push(slice);
    }
    console.log(`${phase}: ${round + 1} of ${rounds + discarded} rounds`);
  }
  return subjects.map(({group, name, slices}) => ({group, name, slices}));
}

export async function creates(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const rounds = bench.starts * bench.roundsOfStart;
  const count = Math.ceil(bench.links / (rounds + discarded));
  const servers: MeasuredServer[] = [];
  const subjects: Subject[] = [];
  for (const {engine, site} of engines) {
    const server = await site.start(0);
    servers.push(server);
    const measure = async (): Promise<Slice> => {
      const made = await server.create(count, connections);
      site.paths = [...site.paths, ...made.paths];
      return made.slice;
    };
    subjects.push({group: 'create', name: engine.name, slices: [], measure});
  }
  const series = await inTurns('creates', subjects, rounds);
  for (const server of servers) await server.close();
  return series;
}

/** @param isEachFirst whether each link is visited once first, so that it is in the cache of the process */
async function definePaths(
  generator: Generator,
  {name, paths}: {readonly name: string; readonly paths: readonly string[]},
  isEachFirst: boolean,
): Promise<void> {
  await generator.ask({do: 'define', name: `one ${name}`, paths: paths.slice(0, 1)});
  await generator.ask({do: 'define', name: `many ${name}`, paths, isEachFirst});
}

/**
 * Redirects on every engine, and pages of a host, each with its baseline. Two processes of the same server differ by up
 * to 12 % of CPU time as long as they live, because the compiler decides differently and their memory is laid out
 * differently. So the servers are started several times.
 */
export async function redirectsAndPages(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const {generator, peer} = bench;
  await generator.ask({do: 'define', name: 'page', paths: ['/about']});
  if (peer) await definePaths(generator, peer, false);
  const all: Series[][] = [];
  while (all.length < bench.starts) {
    all.push(await oneStart(bench, engines, `redirects and pages, start ${all.length + 1}`));
  }
  const [first = []] = all;
  return first.map(({group, name}, place) => ({
    group,
    name,
    slices: all.flatMap((series) => series[place]?.slices ?? []),
  }));
}

/** The rounds of one start of all servers. */
async function oneStart(bench: Bench, engines: readonly MeasuredEngine[], phase: string): Promise<Series[]> {
  const others: MeasuredServer[] = [];
  const withoutLinks = async (kind: ServerKind, group: Series['group'], name: string): Promise<Subject> => {
    const server = await MeasuredServer.start(kind, {store: 'memory:'}, {core: 0});
    bench.owner.teardown(() => server.close());
    others.push(server);
    return loaded(bench, group, name, [server], 'page');
  };
  const baseline = await withoutLinks('koa', 'baseline', 'Koa, only `ctx.redirect(url)`');
  const pages = bench.hasPages
    ? [
        await withoutLinks('page', 'bare page', 'without the middleware'),
        await withoutLinks('page-deferred', 'page', 'with it, `defer: true`'),
        await withoutLinks('page-links-first', 'page', 'with it, `defer: false`, the name not reserved'),
      ]
    : [];
  const running = await Promise.all(engines.map((engine) => startSites(bench, engine)));
  for (const {site} of running.flatMap(({sites}) => sites)) await definePaths(bench.generator, site, true);
  const redirects = running.flatMap(({engine: {engine, meter}, sites}) =>
    (['one', 'many'] as const).flatMap((group) =>
      sites.map(({site, server}) => {
        const kind = site.kind === 'links' ? group : (`${group} by hand` as const);
        const own = group === 'one' ? {} : {warm: bench.links};
        return loaded(bench, kind, engine.name, [server], `${group} ${site.name}`, meter, own);
      }),
    ),
  );
  const series = await inTurns(phase, [baseline, ...redirects, ...peers(bench), ...pages], bench.roundsOfStart);
  await checkAndClose(running.flatMap(({sites}) => sites));
  for (const server of others) await server.close();
  return series;
}

interface RunningSite {
  readonly site: MeasuredSite;
  readonly server: MeasuredServer;
}

interface RunningSites {
  readonly engine: MeasuredEngine;
  readonly sites: readonly RunningSite[];
}

async function checkAndClose(running: readonly RunningSite[]): Promise<void> {
  await Promise.all(running.map(({site, server}) => site.check(server)));
  await Promise.all(running.map(({server}) => server.close()));
}

async function startSites({links}: Bench, engine: MeasuredEngine): Promise<RunningSites> {
  const {site, byHand} = engine;
  const server = await site.start(0);
  await site.fill(server, links, connections);
  const started = [{site, server}];
  if (byHand) started.push({site: byHand, server: await byHand.start(0)});
  return {engine, sites: started};
}

function peers(bench: Bench): Subject[] {
  const {peer} = bench;
  if (peer === undefined) return [];
  return (['one', 'many'] as const).map((group) =>
    loaded(bench, `${group} of a peer`, peer.name, [peer.server], `${group} ${peer.name}`, undefined, peerLoad),
  );
}

/** One process and several processes on one engine. They are not pinned: figures are for the whole machine. */
export async function manyProcesses(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const subjects: Subject[] = [];
  const sites = engines.filter(({site}) => site.keepsLinks).map(({site}) => site);
  const running: RunningSite[] = [];
  for (const site of sites) {
    const servers = await Promise.all(range(processes).map(() => site.start()));
    running.push(...servers.map((server) => ({site, server})));
    for (const count of [1, processes]) {
      const name = `${site.name}, ${count === 1 ? '1 process' : `${count} processes`}`;
      subjects.push(loaded(bench, 'processes', name, servers.slice(0, count), `many ${site.name}`));
    }
  }
  const series = await inTurns('processes', subjects, Math.ceil((bench.starts * bench.roundsOfStart) / 4));
  await checkAndClose(running);
  return series;
}

/** Visits one link, one visit at a time, with a slow proxy in front of the engine. */
export async function roundTrips(bench: Bench, engines: readonly MeasuredEngine[]): Promise<Series[]> {
  const subjects: Subject[] = [];
  for (const {engine} of engines.filter(({site}) => /^(?:redis|postgres|mysql):/.test(site.options.store))) {
    const options = await freshOn(engine, bench.owner);
    const proxy = await TcpProxy.start(bench.owner, Number(new URL(options.store).port));
    proxy.slow(delay);
    const server = await MeasuredServer.start('links', {...options, store: proxy.through(options.store)}, {core: 0});
    bench.owner.teardown(() => server.close());
    const {paths} = await server.create(1, 1);
    await bench.generator.ask({do: 'define', name: `far ${engine.name}`, paths});
    const load = {name: `far ${engine.name}`, connections: 1, milliseconds: bench.seconds * 1000, warm: 0};
    const measureTrips = async (): Promise<Slice> => {
      const [trips, answered] = [proxy.roundTrips, server.answered];
      const slice = await sliceOf(bench.generator, [server], load);
      return {...slice, trips: (proxy.roundTrips - trips) / (server.answered - answered)};
    };
    const gently = (): Promise<void> => warmUp(bench.generator, [server], load);
    subjects.push({group: 'trip', name: engine.name, slices: [], warmUp: gently, measure: measureTrips});
  }
  return inTurns('round trips', subjects, Math.ceil((bench.starts * bench.roundsOfStart) / 3));
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
  return {
    ...{group, name, slices: []},
    warmUp: () => warmUp(generator, servers, load),
    measure: () => sliceOf(generator, servers, load, meter),
  };
}
