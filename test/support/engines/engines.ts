import {randomBytes} from 'node:crypto';
import {join} from 'node:path';
import type {OpenClient, StoreOption} from '../../../src/store/opening/option.ts';
import {temporaryFolder} from '../folder.ts';
import {type Owner, withOwner} from '../owner.ts';
import {hasRedisServer, redisCluster, redisSentinel} from './cluster.ts';
import {
  ioredisClient,
  ioredisCluster,
  ioredisSentinel,
  mysqlPool,
  postgresPool,
  redisClient,
  redisClusterClient,
  redisSentinelClient,
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
  /** Where it is. Several processes can share all but the memory of one. */
  readonly place: 'memory' | 'file' | 'server' | 'cluster' | 'sentinel';
  /** Gives an empty place, removed with its owner. Rejects if the engine cannot be reached. */
  readonly fresh: (owner: Owner) => Promise<Partial<EngineOptions> & {readonly store: string}>;
  /** Opens a client, as the site has one, on a place. By default the place is passed as a connection string. */
  readonly open?: (store: string, owner: Owner) => OpenClient;
  /** A quicker check than `fresh` that the engine is available; rejects if it is not. */
  readonly probe?: () => Promise<unknown>;
}

/** The engines of every test of "each engine". */
export const engines: readonly Engine[] = [
  {name: 'memory', place: 'memory', fresh: () => Promise.resolve({store: 'memory:'})},
  {name: 'sqlite', place: 'file', fresh: temporaryFile},
  {name: 'redis', place: 'server', fresh: redisNamespace},
  {name: 'redis+cluster', place: 'cluster', fresh: redisCluster, probe: hasRedisServer},
  {name: 'postgres', place: 'server', fresh: postgresDatabase},
  {name: 'mysql', place: 'server', fresh: mysqlDatabase},
];

/** Engines on what a site has open itself. */
export const hostEngines: readonly Engine[] = [
  {name: 'a pool of pg', place: 'server', fresh: postgresDatabase, open: postgresPool},
  {name: 'a pool of mysql2', place: 'server', fresh: mysqlDatabase, open: mysqlPool},
  {name: 'a client of redis', place: 'server', fresh: redisNamespace, open: redisClient},
  {name: 'a cluster of redis', place: 'cluster', fresh: redisCluster, open: redisClusterClient, probe: hasRedisServer},
  {name: 'a client of ioredis', place: 'server', fresh: redisNamespace, open: ioredisClient},
  {name: 'a cluster of ioredis', place: 'cluster', fresh: redisCluster, open: ioredisCluster, probe: hasRedisServer},
  ...[...sqliteClients].map(([name, open]): Engine => ({
    name: `a database of ${name}`,
    place: 'file',
    fresh: temporaryFile,
    open: (store, owner) => sqliteDatabase(open, store, owner),
  })),
];

/** The engines on Sentinels, which have tests of failovers besides. */
export const sentinelEngines: readonly Engine[] = [
  {name: 'redis+sentinel', place: 'sentinel', fresh: redisSentinel, probe: hasRedisServer},
  {
    name: 'a sentinel of redis',
    place: 'sentinel',
    fresh: redisSentinel,
    open: redisSentinelClient,
    probe: hasRedisServer,
  },
  {
    name: 'a sentinel of ioredis',
    place: 'sentinel',
    fresh: redisSentinel,
    open: ioredisSentinel,
    probe: hasRedisServer,
  },
];

/** The option `store` for a place on an engine. */
export function storeOn({open}: Engine, store: string, owner: Owner): StoreOption {
  return open ? open(store, owner) : store;
}

export function engineNamed(name: string): Engine {
  const engine = [...engines, ...hostEngines, ...sentinelEngines].find((each) => each.name === name);
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

/** The options of one shortener on an empty place, on a client if the engine has one. */
export async function openedOn(
  engine: Engine,
  owner: Owner,
): Promise<Omit<EngineOptions, 'store'> & {readonly store: StoreOption}> {
  const options = await freshOn(engine, owner);
  return {...options, store: storeOn(engine, options.store, owner)};
}

async function temporaryFile(owner: Owner): Promise<{store: string}> {
  return {store: `sqlite:${join(await temporaryFolder(owner), 'links.db')}`};
}
