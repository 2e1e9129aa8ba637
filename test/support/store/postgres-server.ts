import {createRequire} from 'node:module';
import test from 'ava';
import type {KeyvStoreAdapter} from 'keyv';
import {run} from './run.ts';
import {eventually} from './eventually.ts';

const server = 'postgres://postgres@127.0.0.1:5432';

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{rows: Array<Record<string, unknown>>}>;
  end(): Promise<void>;
}

const {Client: PostgresClient} = createRequire(import.meta.resolve('@keyv/postgres'))('pg') as {
  Client: new (options: object) => Client;
};

/** The package's own types need those of `pg`, which it does not bring. */
const {KeyvPostgres} = createRequire(import.meta.url)('@keyv/postgres') as {
  KeyvPostgres: new (options: object) => KeyvStoreAdapter & {disconnect(): Promise<void>};
};

/** An adapter as a host creates it. Its idle connections end soon, because dropping a database would end the process. */
export function hostPostgres(uri: string, options: object = {}): InstanceType<typeof KeyvPostgres> {
  return new KeyvPostgres({uri, idleTimeoutMillis: 50, ...options});
}

/** Why Postgres cannot be tested here. In CI a missing server fails instead. */
export async function missingPostgres(): Promise<string | undefined> {
  try {
    await ask(`${server}/postgres`, 'select 1');
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    const reason = `no Postgres at ${server}`;
    console.warn(`Tests on Postgres are skipped: ${reason}`);
    return reason;
  }
}

/** The URL of a database for this test file, dropped after its tests. */
export function ownPostgres(name: string, skip: string | undefined): string {
  const database = `${run}-${name}`;
  if (skip === undefined) {
    test.before(() => ask(`${server}/postgres`, `create database "${database}"`));
    test.after.always(() => eventually(() => ask(`${server}/postgres`, `drop database if exists "${database}"`)));
  }
  return `${server}/${database}`;
}

/** A connection for a test. */
export async function connection(url: string): Promise<Client> {
  const client = new PostgresClient({connectionString: url, connectionTimeoutMillis: 5000});
  await client.connect();
  return client;
}

/** Sends one query on its own connection. */
export async function ask(url: string, text: string, values?: unknown[]): Promise<Array<Record<string, unknown>>> {
  const client = await connection(url);
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
