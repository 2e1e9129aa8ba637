import test from 'ava';
import pg from 'pg';
import {run} from './run.ts';
import {eventually} from './eventually.ts';

const server = 'postgres://postgres@127.0.0.1:5432';

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

let databases = 0;

/** The URL of a database for this test file, dropped after its tests. */
export function ownPostgres(name: string, skip: string | undefined): string {
  databases += 1;
  const database = `${run}-${name}-${databases}`;
  if (skip === undefined) {
    test.before(() => ask(`${server}/postgres`, `create database "${database}"`));
    test.after.always(() => eventually(() => ask(`${server}/postgres`, `drop database if exists "${database}"`)));
  }
  return `${server}/${database}`;
}

/** A connection for a test. */
export async function connection(url: string): Promise<pg.Client> {
  const client = new pg.Client({connectionString: url, connectionTimeoutMillis: 5000});
  await client.connect();
  return client;
}

/** Sends one query on its own connection. */
export async function ask(url: string, text: string, values?: unknown[]): Promise<Array<Record<string, unknown>>> {
  const client = await connection(url);
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}
