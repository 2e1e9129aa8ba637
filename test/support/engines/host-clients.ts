/** What a site has open itself, with settings that differ from ours. */
import * as redis5 from '@keyv/redis';
import type {RedisClientType, RedisClusterType, RedisSentinelType} from '@keyv/redis';
import {Cluster, Redis} from 'ioredis';
import Libsql from 'libsql';
import {createPool} from 'mysql2';
import pg from 'pg';
import type {Owner} from '../owner.ts';

export function postgresPool(url: string, owner: Owner, max = 6): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 1000,
    options: '-c default_transaction_isolation=serializable -c search_path=pg_temp -c TimeZone=Asia/Kathmandu',
  });
  pool.on('error', () => undefined);
  owner.teardown(() => pool.end());
  return pool;
}

const mysqlSettings = [
  "set session sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES', autocommit = 0, time_zone = '+05:45'",
  'set session transaction isolation level serializable',
];

/** Its sessions read backslashes in another way, commit nothing by themselves and accept too long values. */
export function mysqlPool(url: string, owner: Owner, connectionLimit = 6): ReturnType<typeof createPool> {
  const pool = createPool({uri: url, connectionLimit, connectTimeout: 1000, rowsAsArray: true});
  pool.on('connection', (connection) => {
    for (const sql of mysqlSettings) connection.query(sql, () => undefined);
  });
  owner.teardown(() => {
    pool.end(() => undefined);
  });
  return pool;
}

/** What makes the clients of a version of the package `redis`. */
export type RedisPackage = Pick<typeof redis5, 'createClient' | 'createCluster' | 'createSentinel'>;

/** It is not connected, and has another form of replies. */
export function redisClient(url: string, _owner?: Owner, {createClient}: RedisPackage = redis5): RedisClientType {
  const client = createClient({url, RESP: 3, commandOptions: {typeMapping: {36: Buffer}}, name: 'site'});
  client.on('error', () => undefined);
  return client as unknown as RedisClientType;
}

export function redisClusterClient(
  url: string,
  _owner?: Owner,
  {createCluster}: RedisPackage = redis5,
): RedisClusterType {
  const hosts = url.replace(/^.*\/\//, '').split(',');
  const cluster = createCluster({RESP: 3, rootNodes: hosts.map((host) => ({url: `redis://${host}`}))});
  return cluster as unknown as RedisClusterType;
}

/** It is connecting. */
export function redisSentinelClient(
  url: string,
  owner: Owner,
  {createSentinel}: RedisPackage = redis5,
): RedisSentinelType {
  const {port} = new URL(url);
  const [name = ''] = new URL(url).pathname.split('/').slice(1);
  const sentinel = createSentinel({name, RESP: 3, sentinelRootNodes: [{host: '127.0.0.1', port: Number(port)}]});
  sentinel.on('error', () => undefined);
  void sentinel.connect();
  owner.teardown(() => sentinel.destroy());
  return sentinel as unknown as RedisSentinelType;
}

/** Its options would change keys and replies, and send commands again. */
export function ioredisClient(url: string, owner: Owner): Redis {
  const client = new Redis(url, {keyPrefix: 'site:', stringNumbers: true, enableAutoPipelining: true});
  client.on('error', () => undefined);
  owner.teardown(() => {
    client.disconnect();
  });
  return client;
}

export function ioredisCluster(url: string, owner: Owner): Cluster {
  const hosts = url.replace(/^.*\/\//, '').split(',');
  const cluster = new Cluster(
    hosts.map((host) => `redis://${host}`),
    {keyPrefix: 'site:', scaleReads: 'slave', lazyConnect: true},
  );
  cluster.on('error', () => undefined);
  owner.teardown(() => {
    cluster.disconnect();
  });
  return cluster;
}

export function ioredisSentinel(url: string, owner: Owner): Redis {
  const {port, pathname} = new URL(url);
  const [name = ''] = pathname.split('/').slice(1);
  const client = new Redis({sentinels: [{host: '127.0.0.1', port: Number(port)}], name, keyPrefix: 'site:'});
  client.on('error', () => undefined);
  owner.teardown(() => {
    client.disconnect();
  });
  return client;
}

const nodeSqlite = process.getBuiltinModule('node:sqlite') as {readonly DatabaseSync: typeof Libsql} | undefined;

type OpenDatabase = (path: string) => Libsql.Database;

/** How a site opens a file or a database in memory, by the name of its client. Node.js 20 has none. */
export const sqliteClients: ReadonlyMap<string, OpenDatabase> = new Map(
  [
    {name: 'node:sqlite', Database: nodeSqlite?.DatabaseSync},
    {name: 'libsql', Database: Libsql},
  ].flatMap(({name, Database}) => (Database ? [[name, (path: string) => new Database(path)] as const] : [])),
);

/** Its writes may be lost in a power cut. */
export function sqliteDatabase(open: OpenDatabase, url: string, owner: Owner): Libsql.Database {
  const database = open(url.replace('sqlite:', ''));
  database.exec('pragma synchronous = off');
  owner.teardown(() => database.close());
  return database;
}
