import {randomBytes} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {hasRedisServer, redisCluster} from './cluster.ts';
import {mysqlDatabase, postgresDatabase, redisNamespace} from './servers.ts';

/** The options of a shortener on an engine, the same for all processes that share it. */
export interface EngineOptions {
  readonly store: string;
  readonly namespace: string;
  readonly secret: string;
  readonly storeTimeout: number;
}

/** The user of a resource: a test, or a bench. Its teardown releases the resource. */
export interface Owner {
  teardown(undo: () => unknown): void;
}

export interface Engine {
  readonly name: string;
  /** Whether several processes can share it, and it outlasts them. */
  readonly isShared: boolean;
  /** Gives an empty place, removed with its owner. Rejects if the engine cannot be reached. */
  readonly fresh: (owner: Owner) => Promise<Partial<EngineOptions> & {readonly store: string}>;
  /** A quicker check than `fresh` that the engine is available; rejects if it is not. */
  readonly probe?: () => Promise<unknown>;
}

/** The engines of every test of "each engine". */
export const engines: readonly Engine[] = [
  {name: 'memory', isShared: false, fresh: () => Promise.resolve({store: 'memory:'})},
  {name: 'sqlite', isShared: true, fresh: temporaryFile},
  {name: 'redis', isShared: true, fresh: redisNamespace},
  {name: 'redis+cluster', isShared: true, fresh: redisCluster, probe: hasRedisServer},
  {name: 'postgres', isShared: true, fresh: postgresDatabase},
  {name: 'mysql', isShared: true, fresh: mysqlDatabase},
];

/** An empty place on the engine, with all options that a shortener needs there. */
export async function freshOn(engine: Engine, owner: Owner): Promise<EngineOptions> {
  const secret = randomBytes(24).toString('base64url');
  // Long enough for a busy machine. Other tests measure how soon an outage is noticed.
  return {namespace: 'links', secret, storeTimeout: 20_000, ...(await engine.fresh(owner))};
}

/** Why an engine cannot be tested here. In CI a missing engine fails instead. */
export function whyMissing(engine: Engine): Promise<string | undefined> {
  const reason = reasons.get(engine) ?? findOut(engine);
  reasons.set(engine, reason);
  return reason;
}

const reasons = new Map<Engine, Promise<string | undefined>>();

async function findOut(engine: Engine): Promise<string | undefined> {
  const undos: Array<() => unknown> = [];
  try {
    await (engine.probe?.() ?? engine.fresh({teardown: (undo) => void undos.push(undo)}));
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return `${engine.name} cannot be reached: ${String(error)}`;
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

async function temporaryFile(owner: Owner): Promise<{store: string}> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-'));
  owner.teardown(() => rm(folder, {recursive: true, force: true}));
  return {store: `sqlite:${join(folder, 'links.db')}`};
}
