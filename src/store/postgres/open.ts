import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver, Driver, DriverSettings} from '../driver.ts';
import {PostgresConnection} from './connection.ts';
import {PostgresDriver} from './driver.ts';
import {type PostgresTableOptions, postgresTables} from './statements.ts';

/** The parameters of a connection string that `pg` knows and that do not change its results. */
const knownParameters: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'],
  ...['uselibpqcompat', 'application_name', 'fallback_application_name', 'options'],
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
];

export function openPostgres(text: string, {timeout}: DriverSettings): Driver {
  const connection = new PostgresConnection(postgresOptions(text), timeout);
  return new PostgresDriver(connection, postgresTables({schema: 'public', table: 'keyv'}));
}

/**
 * Opens a pool with the options of an adapter of `@keyv/postgres`.
 *
 * @throws {TypeError} if no second pool can be opened with them
 */
export function openPostgresAdapter(adapter: KeyvStoreAdapter, {timeout}: DriverSettings): AdapterDriver | undefined {
  const {opts, query} = adapter as {opts?: Partial<PostgresTableOptions> & {dialect?: unknown}; query?: unknown};
  if (opts?.dialect !== 'postgres' || typeof query !== 'function') return undefined;
  if (typeof opts.schema !== 'string' || typeof opts.table !== 'string') return undefined;
  const connection = new PostgresConnection(postgresAdapterOptions(opts), timeout);
  return {driver: new PostgresDriver(connection, postgresTables(opts as PostgresTableOptions)), keyPrefix: ''};
}

/**
 * The options of a pool for a connection string.
 *
 * @throws {TypeError} for a malformed string or an unknown parameter; the message does not repeat the string
 */
export function postgresOptions(text: string): object {
  try {
    // Without a host, for example with a socket folder in `?host=`, `pg` accepts a user, and `URL` does not.
    const {username, password, pathname, searchParams} = new URL(text.replace(/@\//, '@localhost/'));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    if ([...searchParams.keys()].every((name) => knownParameters.includes(name))) return {connectionString: text};
  } catch {
    // The string is malformed.
  }
  throw new TypeError(
    'The Postgres connection string of the store is malformed: expected postgres://user:password@host:port/database, ' +
      `and behind it nothing but ${knownParameters.join(', ')}`,
  );
}

/** @throws {TypeError}, which does not repeat the options */
export function postgresAdapterOptions(options: object): object {
  const {uri, stream} = options as {uri?: unknown; stream?: unknown};
  if (typeof uri !== 'string' || (stream !== undefined && typeof stream !== 'function')) {
    throw new TypeError(
      'Expected the Postgres adapter of the store to have been given a connection string as `uri`, and as `stream`, ' +
        'if any, a function: the store opens connections of its own',
    );
  }
  // Options that change the form of results are left out.
  return {...options, connectionString: uri, binary: false, types: undefined};
}
