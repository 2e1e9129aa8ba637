import {randomBytes} from 'node:crypto';
import {createClient} from '@keyv/redis';
import {createConnection} from 'mysql2/promise';
import pg from 'pg';
import type {Owner} from './engines.ts';

const redis = 'redis://127.0.0.1:6379';
const postgres = 'postgres://postgres@127.0.0.1:5432';
const mysql = 'mysql://root@127.0.0.1:3306';

/** A unique name, valid for databases and namespaces. */
function ownName(): string {
  return `test_${randomBytes(8).toString('hex')}`;
}

/** A namespace on the shared server. */
export async function redisNamespace(owner: Owner): Promise<{store: string; namespace: string}> {
  const namespace = ownName();
  const client = createClient({url: redis, socket: {reconnectStrategy: false, connectTimeout: 5000}});
  client.on('error', () => undefined);
  await client.connect();
  await client.ping();
  client.destroy();
  owner.teardown(async () => {
    const cleaner = createClient({url: redis});
    await cleaner.connect();
    for await (const keys of cleaner.scanIterator({MATCH: `*${namespace}:*`, COUNT: 1000})) {
      if (keys.length > 0) await cleaner.unlink(keys);
    }
    cleaner.destroy();
  });
  return {store: redis, namespace};
}

export async function postgresDatabase(owner: Owner): Promise<{store: string}> {
  const database = ownName();
  await askPostgres(`create database ${database}`);
  owner.teardown(() => askPostgres(`drop database ${database} with (force)`));
  return {store: `${postgres}/${database}`};
}

export async function mysqlDatabase(owner: Owner): Promise<{store: string}> {
  const database = ownName();
  await askMysql(`create database ${database} character set utf8mb4`);
  owner.teardown(() => askMysql(`drop database ${database}`));
  return {store: `${mysql}/${database}`};
}

async function askPostgres(text: string): Promise<void> {
  const client = new pg.Client({connectionString: `${postgres}/postgres`, connectionTimeoutMillis: 5000});
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function askMysql(text: string): Promise<void> {
  const connection = await createConnection({uri: mysql, connectTimeout: 5000});
  try {
    await connection.query(text);
  } finally {
    await connection.end();
  }
}
