import test from 'ava';
import {createConnection, type Connection} from 'mysql2/promise';
import {run} from './run.ts';

const server = 'mysql://root@127.0.0.1:3306';

/** Why MySQL and MariaDB cannot be tested here. In CI a missing server fails instead. */
export async function missingMysql(): Promise<string | undefined> {
  try {
    await ask(server, 'select 1');
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    const reason = `no MySQL or MariaDB at ${server}`;
    console.warn(`Tests on MySQL and MariaDB are skipped: ${reason}`);
    return reason;
  }
}

let databases = 0;

/**
 * The URL of a database for this test file, dropped after its tests.
 *
 * @param collation the default for its tables
 */
export function ownMysql(name: string, skip: string | undefined, collation = 'utf8mb4_general_ci'): string {
  databases += 1;
  const database = `${run}-${name}-${databases}`;
  if (skip === undefined) {
    const charset = collation.split('_')[0];
    test.before(() => ask(server, `create database \`${database}\` character set ${charset} collate ${collation}`));
    test.after.always(() => dropDatabase(database));
  }
  return `${server}/${database}`;
}

async function dropDatabase(database: string): Promise<void> {
  for (const {id} of await ask(server, 'select id from information_schema.processlist where db = ?', [database])) {
    await ask(server, `kill ${Number(id)}`).catch(() => undefined);
  }
  await ask(server, `drop database if exists \`${database}\``);
}

/** A connection for a test. */
export function connection(url: string): Promise<Connection> {
  return createConnection({uri: url, connectTimeout: 5000});
}

/** Sends one query on its own connection. */
export async function ask(url: string, text: string, values?: unknown[]): Promise<Array<Record<string, unknown>>> {
  const client = await connection(url);
  try {
    return (await client.query(text, values))[0] as Array<Record<string, unknown>>;
  } finally {
    await client.end();
  }
}
