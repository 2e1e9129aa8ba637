import {randomBytes} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {hasRedisServer, redisCluster} from './cluster.ts';
import {mysqlDatabase, postgresDatabase, redisNamespace} from './servers.ts';

/** What a shortener is given to live on an engine; alike in every process that shares it. */
export interface EngineOptions {
  readonly store: string;
  readonly namespace: string;
  readonly secret: string;
  readonly storeTimeout: number;
}

/** Whoever asks for something that has to be taken away again: a test, or a bench. */
export interface Owner {
  teardown(undo: () => unknown): void;
}

export interface Engine {
  readonly name: string;
  /** Whether several processes can share it, and what one stored outlasts it. */
  readonly isShared: boolean;
  /** Gives a place where nothing is yet, gone with its owner. Rejects where the engine cannot be reached. */
  readonly fresh: (owner: Owner) => Promise<Partial<EngineOptions> & {readonly store: string}>;
  /** A quicker look than `fresh` whether the engine is here; rejects where it is not. */
  readonly probe?: () => Promise<unknown>;
}

/** Everything that is said of "each engine" is said of these. */
export const engines: readonly Engine[] = [
  {name: 'memory', isShared: false, fresh: () => Promise.resolve({store: 'memory:'})},
  {name: 'sqlite', isShared: true, fresh: temporaryFile},
  {name: 'redis', isShared: true, fresh: redisNamespace},
  {name: 'redis+cluster', isShared: true, fresh: redisCluster, probe: hasRedisServer},
  {name: 'postgres', isShared: true, fresh: postgresDatabase},
  {name: 'mysql', isShared: true, fresh: mysqlDatabase},
];

/** A fresh place on the engine, with all that a shortener has to be told to live there. */
export async function freshOn(engine: Engine, owner: Owner): Promise<EngineOptions> {
  const secret = randomBytes(24).toString('base64url');
  // What is right must be right also on a machine that has a lot to do; how soon an outage shows is tested elsewhere.
  return {namespace: 'links', secret, storeTimeout: 20_000, ...(await engine.fresh(owner))};
}

/** Why an engine cannot be tested here; where CI runs, a missing one fails instead. */
export async function whyMissing(engine: Engine): Promise<string | undefined> {
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
