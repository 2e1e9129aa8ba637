import {Child} from './child.ts';
import type {EngineMeter, EngineUse} from './engine-use.ts';
import {quantile, type Slice} from './figures.ts';
import type {Load, Question as LoadQuestion} from './generator.ts';
import type {Answer, Question, ServerKind} from './redirect-server.ts';

export type Generator = Child<LoadQuestion, Load>;

export interface LoadShape {
  /** The name of the list of paths in the generator. */
  readonly name: string;
  readonly connections: number;
  readonly milliseconds: number;
  /** How many requests each server answers before its first slice, so that its code is compiled. */
  readonly warm: number;
  /** Whether the server closes idle connections. */
  readonly reconnects?: boolean;
}

/** A server under load, with a count of the redirects that it has answered. */
export interface LoadedServer {
  readonly port: number;
  answered: number;
  /** What it has used since its start. */
  use(): Promise<EngineUse>;
}

/** A measured server, with a count of the redirects that it has answered. */
export class MeasuredServer implements LoadedServer {
  readonly #child: Child<Question, Answer>;
  port = 0;
  answered = 0;

  private constructor(child: Child<Question, Answer>) {
    this.#child = child;
  }

  /**
   * @param core the only core that the server may use; by default all
   * @param paths the paths of the links, for the counter written by hand
   */
  static async start(
    kind: ServerKind,
    options: Extract<Question, {do: 'start'}>['options'],
    {core, paths = []}: {readonly core?: number | undefined; readonly paths?: readonly string[]} = {},
  ): Promise<MeasuredServer> {
    const server = new MeasuredServer(new Child<Question, Answer>('redirect-server.ts', core));
    const {port = 0} = await server.#child.ask({do: 'start', kind, options, paths});
    server.port = port;
    return server;
  }

  async use(): Promise<EngineUse> {
    const {cpu = Number.NaN, written: bytes = Number.NaN} = await this.#child.ask({do: 'usage'});
    return {cpu, bytes};
  }

  async visits(): Promise<number> {
    return (await this.#child.ask({do: 'visits'})).visits ?? Number.NaN;
  }

  /** Creates links through the programmatic interface, and returns their paths. */
  async create(count: number, atOnce: number): Promise<{slice: Slice; paths: readonly string[]}> {
    const before = await this.use();
    const {milliseconds = 0, latencies = [], paths = []} = await this.#child.ask({do: 'create', count, atOnce});
    const cpu = ((await this.use()).cpu - before.cpu) / count;
    const slice = {
      perSecond: (count / milliseconds) * 1000,
      cpu,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    };
    return {slice, paths};
  }

  async close(): Promise<void> {
    await this.#child.close();
  }
}

/** How long the load runs before a slice is measured, in milliseconds, so that the processor's caches are filled. */
const leadIn = 100;

/**
 * How long a new server gets one request at a time, in milliseconds. V8 soon decides which objects it allocates in the
 * old generation. If a server began with many requests at once, their objects outlived a garbage collection together.
 * In a third of the runs V8 then allocated objects of every later request there, and each kept its request alive. Garbage
 * collection took a quarter of the CPU time until the process ended.
 */
const gentleStart = 1500;

/** Runs the load without measuring it. */
async function run(
  generator: Generator,
  servers: readonly LoadedServer[],
  {name, connections, reconnects}: LoadShape,
  milliseconds: number,
): Promise<Load> {
  const ports = servers.map(({port}) => port);
  const load = await generator.ask({do: 'run', name, ports, connections, milliseconds, reconnects});
  for (const server of servers) server.answered += load.requests / servers.length;
  return load;
}

/** Sends the requests that precede the first slice. */
export async function warmUp(generator: Generator, servers: readonly LoadedServer[], load: LoadShape): Promise<void> {
  let requests = 0;
  const more = async (shape: LoadShape, milliseconds: number): Promise<void> => {
    const answered = await run(generator, servers, shape, milliseconds);
    requests += answered.requests;
  };
  if (servers.some(({answered}) => answered === 0)) await more({...load, connections: servers.length}, gentleStart);
  while (requests < load.warm * servers.length) await more(load, leadIn);
}

/** Measures one slice. */
export async function sliceOf(
  generator: Generator,
  servers: readonly LoadedServer[],
  load: LoadShape,
  meter?: EngineMeter,
): Promise<Slice> {
  const use = async (): Promise<readonly [servers: EngineUse, engine: EngineUse | undefined]> => {
    const used = await Promise.all(servers.map((server) => server.use()));
    return [used.reduce((sum, {cpu, bytes}) => ({cpu: sum.cpu + cpu, bytes: sum.bytes + bytes})), await meter?.use()];
  };
  await run(generator, servers, load, leadIn);
  const [serverBefore, engineBefore] = await use();
  const {requests, milliseconds: took, p50, p99} = await run(generator, servers, load, load.milliseconds);
  const [server, engine] = await use();
  const bytes = server.bytes - serverBefore.bytes + (engine?.bytes ?? 0) - (engineBefore?.bytes ?? 0);
  return {
    perSecond: (requests / took) * 1000,
    cpu: (server.cpu - serverBefore.cpu) / requests,
    ...{p50, p99, bytes: bytes / requests},
    engineCpu: engine && engineBefore && (engine.cpu - engineBefore.cpu) / requests,
  };
}
