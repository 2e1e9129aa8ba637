import type {Keyv, KeyvStoreAdapter} from 'keyv';
import {word} from '../../values/shape.ts';
import type {MysqlPool} from '../engines/mysql/host-pool.ts';
import type {PostgresPool} from '../engines/postgres/host-pool.ts';
import type {HostIoredis} from '../engines/redis/ioredis.ts';
import type {HostRedisClient, HostRedisCluster, HostRedisSentinel} from '../engines/redis/host-client.ts';
import type {HostDatabase} from '../engines/sqlite/host-database.ts';

type RedisClient = HostRedisClient | HostRedisCluster | HostRedisSentinel | HostIoredis;

/**
 * What the site has open: a `Pool` of `pg`, a pool of `mysql2`, a client, cluster or sentinel client of `redis`, a client or
 * cluster of `ioredis`, or a database of `node:sqlite` or `libsql`. It is never closed (docs/stores.md).
 */
export type OpenClient = PostgresPool | MysqlPool | RedisClient | HostDatabase;

/** What the site has open, and where on it the tables are. */
export interface OpenStore {
  readonly client: OpenClient;
  /** On Postgres, the schema of the tables; default `public`. It is created if it is missing. */
  readonly schema?: string | undefined;
}

/** The store of the links: a connection string, what the site has open, a Keyv instance, a Keyv storage adapter, or a Map. */
export type StoreOption =
  | string
  | OpenClient
  | OpenStore
  | Keyv
  | KeyvStoreAdapter
  // oxlint-disable-next-line typescript/no-explicit-any -- a host's Map may be of any type, as in Keyv
  | Map<any, any>;

export const defaultNamespace = 'shorturl';

export const aNamespace = word(32, 'A-Z a-z 0-9 . _ -', String.raw`[\w.-]`);

/** The default of the option `storeTimeout`, in milliseconds. */
export const defaultTimeout = 2000;

/** The adapters whose limits are known: the host was warned of them, or uses them in a test only. */
export const knownAdapters = new WeakSet<object>();
