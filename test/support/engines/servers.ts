/** The shared servers. Tests and benches leave nothing on them. */
import {randomBytes} from 'node:crypto';
import {createClient} from '@keyv/redis';
import {type Connection, createConnection} from 'mysql2/promise';
import pg from 'pg';
import type {Owner} from '../owner.ts';

export const sharedRedis = 'redis://127.0.0.1:6379';
const postgres = 'postgres://postgres@127.0.0.1:5432';
const mysql = 'mysql://root@127.0.0.1:3306';

/** A unique name, valid for databases and namespaces. */
function ownName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

/** A namespace on the shared server. */
export async function redisNamespace(owner: Owner): Promise<{store: string; namespace: string}> {
  const namespace = ownName();
  const client = createClient({url: sharedRedis, socket: {reconnectStrategy: false, connectTimeout: 5000}});
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  client.destroy();
  owner.teardown(() => deleteFromRedis(`${namespace}:`));
  return {store: sharedRedis, namespace};
}

/** Deletes all keys that have this part. */
export async function deleteFromRedis(part: string): Promise<void> {
  const client = createClient({url: sharedRedis});
  await client.connect();
  for await (const keys of client.scanIterator({MATCH: `*${part}*`, COUNT: 1000})) {
    if (keys.length > 0) await client.unlink(keys);
  }
  client.destroy();
}

/** A database with a name of its own, which does not exist before it is created. */
export interface Database {
  readonly store: string;
  readonly create: () => Promise<unknown>;
  readonly drop: () => Promise<unknown>;
}

export function newPostgres(): Database {
  const name = ownName();
  const home = `${postgres}/postgres`;
  return {
    store: `${postgres}/${name}`,
    create: () => askPostgres(home, `create database ${name}`),
    drop: () => askPostgres(home, `drop database ${name} with (force)`),
  };
}

/** @param collation the default for its tables */
export function newMysql(collation = 'utf8mb4_general_ci'): Database {
  const name = ownName();
  const [charset = ''] = collation.split('_');
  return {
    store: `${mysql}/${name}`,
    create: () => askMysql(mysql, `create database ${name} character set ${charset} collate ${collation}`),
    drop: async () => {
      const users = await askMysql(mysql, `select id from information_schema.processlist where db = '${name}'`);
      for (const {id} of users) await askMysql(mysql, `kill ${Number(id)}`).catch(() => undefined);
      await askMysql(mysql, `drop database ${name}`);
    },
  };
}

async function owned({store, create, drop}: Database, owner: Owner): Promise<{store: string}> {
  await create();
  owner.teardown(drop);
  return {store};
}

export const postgresDatabase = (owner: Owner): Promise<{store: string}> => owned(newPostgres(), owner);

export const mysqlDatabase = (owner: Owner): Promise<{store: string}> => owned(newMysql(), owner);

export async function connectPostgres(url: string): Promise<pg.Client> {
  const client = new pg.Client({connectionString: url, connectionTimeoutMillis: 5000});
  await client.connect();
  return client;
}

export function connectMysql(url: string): Promise<Connection> {
  return createConnection({uri: url, connectTimeout: 5000});
}

type Rows = Array<Record<string, unknown>>;

/** Sends one query on its own connection. */
export async function askPostgres(url: string, text: string): Promise<Rows> {
  const client = await connectPostgres(url);
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Sends one query on its own connection. */
export async function askMysql(url: string, text: string): Promise<Rows> {
  const client = await connectMysql(url);
  try {
    return (await client.query(text))[0] as Rows;
  } finally {
    await client.end();
  }
}
