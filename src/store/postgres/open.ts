import type {Driver, DriverSettings} from '../driver.ts';
import {poolParameter, takePool} from '../sql/pool.ts';
import {PostgresConnection, type PostgresOptions} from './connection.ts';
import {PostgresDriver} from './driver.ts';

/** The parameters of a connection string that `pg` knows and that do not change its results. */
const knownParameters: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'],
  ...['uselibpqcompat', 'application_name', 'fallback_application_name', 'options'],
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
];

export function openPostgres(text: string, {timeout}: DriverSettings): Driver {
  return new PostgresDriver(new PostgresConnection(postgresOptions(text), timeout));
}

/**
 * The options of a pool for a connection string.
 *
 * @throws {TypeError} for a malformed string or an unknown parameter; the message does not repeat the string
 */
export function postgresOptions(text: string): PostgresOptions {
  try {
    // Without a host, for example with a socket folder in `?host=`, `pg` accepts a user, and `URL` does not.
    const url = new URL(text.replace(/@\//, '@localhost/'));
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part);
    const max = takePool(url.searchParams);
    // `pg` ignores `pool` in the text.
    if ([...url.searchParams.keys()].every((name) => knownParameters.includes(name)))
      return {connectionString: text, max};
  } catch {
    // The string is malformed.
  }
  throw new TypeError(
    'The Postgres connection string of the store is malformed: expected postgres://user:password@host:port/database, ' +
      `with no parameters except ${knownParameters.join(', ')} and ${poolParameter}`,
  );
}
