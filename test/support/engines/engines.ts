import {randomBytes} from 'node:crypto';
import {join} from 'node:path';
import type {OpenClient, StoreOption} from '../../../src/store/opening/option.ts';
import {temporaryFolder} from '../folder.ts';
import {type Owner, withOwner} from '../owner.ts';
import {hasRedisServer, redisCluster} from './cluster.ts';
import {
  ioredisClient,
  ioredisCluster,
  mysqlPool,
  postgresPool,
  redisClient,
  redisClusterClient,
  sqliteClients,
  sqliteDatabase,
} from './host-clients.ts';
import {mysqlDatabase, postgresDatabase, redisNamespace} from './servers.ts';

/** The options of a shortener on an engine, the same for all processes that share it. */
export interface EngineOptions {
  readonly store: string;
  readonly namespace: string;
  readonly secret: string;
  readonly storeTimeout: number;
}

export interface Engine {
  readonly name: string;
  /** Whether several processes can share it, and it outlasts them. */
  readonly isShared: boolean;
  /** Gives an empty place, removed with its owner. Rejects if the engine cannot be reached. */
  readonly fresh: (owner: Owner) => Promise<Partial<EngineOptions> & {readonly store: string}>;
  /** Opens a client, as the site has one, on a place. By default the place is passed as a connection string. */
  readonly open?: (store: string, owner: Owner) => OpenClient;
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

/** Engines on what a site has open itself. */
export const hostEngines: readonly Engine[] = [
  {name: 'a pool of pg', isShared: true, fresh: postgresDatabase, open: postgresPool},
  {name: 'a pool of mysql2', isShared: true, fresh: mysqlDatabase, open: mysqlPool},
  {name: 'a client of redis', isShared: true, fresh: redisNamespace, open: redisClient},
  {name: 'a cluster of redis', isShared: true, fresh: redisCluster, open: redisClusterClient, probe: hasRedisServer},
  {name: 'a client of ioredis', isShared: true, fresh: redisNamespace, open: ioredisClient},
  {name: 'a cluster of ioredis', isShared: true, fresh: redisCluster, open: ioredisCluster, probe: hasRedisServer},
  ...[...sqliteClients].map(([name, open]): Engine => ({
    name: `a database of ${name}`,
    isShared: true,
    fresh: temporaryFile,
    open: (store, owner) => sqliteDatabase(open, store, owner),
  })),
];

/** The option `store` for a place on an engine. */
export function storeOn({open}: Engine, store: string, owner: Owner): StoreOption {
  return open ? open(store, owner) : store;
}

export function engineNamed(name: string): Engine {
  const engine = engines.find((each) => each.name === name);
  if (engine === undefined) throw new RangeError(`There is no engine ${name}`);
  return engine;
}

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
  try {
    await (engine.probe?.() ?? withOwner(engine.fresh));
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return `${engine.name} cannot be reached: ${String(error)}`;
  }
}

async function temporaryFile(owner: Owner): Promise<{store: string}> {
  return {store: `sqlite:${join(await temporaryFolder(owner), 'links.db')}`};
}
