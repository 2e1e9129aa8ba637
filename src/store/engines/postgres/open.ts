import {accessSync, constants} from 'node:fs';
import {shapeOf} from '../../../values/shape.ts';
import {checkParameters, ConnectionStringError, type KnownParameters, readString} from '../../connection-string.ts';
import type {Driver, DriverSettings} from '../../driver.ts';
import {takePool} from '../sql/pool.ts';
import {PostgresConnection, type PostgresOptions} from './connection.ts';
import {PostgresDriver} from './driver.ts';

const parameters: KnownParameters = {
  engine: 'Postgres',
  // `pg` knows them, but for `pool`, `channel_binding` and `schema`, and they do not change its results.
  read: [
    ...['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'],
    ...['uselibpqcompat', 'channel_binding', 'application_name', 'fallback_application_name', 'options'],
    ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'pool', 'connection_limit'],
    'schema',
  ],
  ignored: [
    ...['pgbouncer', 'statement_cache_size', 'connect_timeout', 'pool_timeout', 'socket_timeout'],
    ...['target_session_attrs', 'gssencmode', 'keepalives', 'keepalives_idle', 'client_encoding', 'sslsni'],
  ],
};

const modes: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The values that `pg` knows, and `false`, which it takes for a yes. */
const switches: readonly string[] = ['true', '1', 'false', '0', 'no-verify'];

export function openPostgres(text: string, {timeout}: DriverSettings): Driver {
  return new PostgresDriver(new PostgresConnection(postgresOptions(text), timeout), undefined, schemaOf(text));
}

/** What the name of a schema must be. It is written in quotes. */
export const aSchema = shapeOf<string>({
  expected: '1 to 63 of A-Z a-z 0-9 _, not beginning with a digit or `pg_`',
  holds: (value) => typeof value === 'string' && /^(?!pg_)[a-z_]\w{0,62}$/i.test(value),
});

/** @throws {ConnectionStringError} for a name that is none */
function schemaOf(text: string): string | undefined {
  const schema = new URLSearchParams(text.split('?')[1]).get('schema') ?? undefined;
  if (schema === undefined || aSchema.holds(schema)) return schema;
  throw new ConnectionStringError(
    `Expected \`schema\` in the Postgres connection string of the store to be ${aSchema.expected}.`,
  );
}

/**
 * The options of a pool for a connection string.
 *
 * @throws {TypeError} for a malformed string, an unknown parameter or a missing certificate; the message does not repeat
 *   the string
 */
export function postgresOptions(text: string): PostgresOptions {
  return readString('Postgres', 'postgres://user:password@host:port/database', () => {
    // Without a host, for example with a socket folder in `?host=`, `pg` accepts a user, and `URL` does not.
    const url = new URL(text.replace(/@\//, '@localhost/'));
    for (const part of [url.username, url.password, url.pathname, url.search]) decodeURIComponent(part);
    const {searchParams: given} = url;
    checkParameters(given, parameters);
    const max = takePool(given);
    const binding = given.get('channel_binding');
    checkTls(given);
    const left = new Set(given.keys());
    for (const own of ['channel_binding', 'schema']) left.delete(own);
    if (given.get('ssl') === 'false') left.delete('ssl');
    const usesSystem = given.get('sslrootcert') === 'system';
    if (usesSystem) left.delete('sslrootcert');
    const added = usesSystem && !left.has('sslmode') ? ['sslmode=verify-full'] : [];
    return {
      connectionString: withParameters(text, left, added),
      max,
      ...(binding !== null && binding !== 'disable' && {enableChannelBinding: true}),
    };
  });
}

/** @throws {ConnectionStringError} for a mode that `pg` would take for another one, or a file that it cannot read */
function checkTls(given: URLSearchParams): void {
  for (const [name, values] of [
    ['sslmode', modes],
    ['ssl', switches],
  ] as const) {
    const value = given.get(name);
    if (value === null || values.includes(value)) continue;
    throw new ConnectionStringError(
      `Expected \`${name}\` in the Postgres connection string of the store to be one of ${values.join(', ')}.`,
    );
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = given.get(name);
    if (path === null || (name === 'sslrootcert' && path === 'system')) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch {
      // The text of a key or certificate in place of its path is not repeated.
      const file = /^[^\n]{0,200}$/.test(path) && !path.includes('-----') ? ` ${path}` : '';
      throw new ConnectionStringError(
        `The file${file} of \`${name}\` in the Postgres connection string of the store is missing or cannot be read.`,
      );
    }
  }
}

/** The string as `pg` gets it. Where a space is in it, `pg` would decode the password in another way. */
function withParameters(text: string, left: ReadonlySet<string>, added: readonly string[]): string {
  const [address = '', ...query] = text.trim().replaceAll(' ', '%20').split('?');
  const kept = query
    .join('?')
    .split('&')
    .filter((part) => left.has(part.split('=')[0] ?? ''));
  return [address, [...kept, ...added].join('&')].filter((part) => part !== '').join('?');
}
