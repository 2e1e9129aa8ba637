/** What we use of the options of an `@keyv/postgres` adapter; the others are those of its pool. */
export interface PostgresAdapterOptions {
  readonly uri?: unknown;
  readonly schema: string;
  readonly table: string;
  readonly keySize?: number | undefined;
  readonly useUnloggedTable?: boolean | undefined;
}

/** The parameters of a connection string that `pg` understands and that do not change what it answers. */
const knownParameters: readonly string[] = [
  ...['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation'],
  ...['uselibpqcompat', 'application_name', 'fallback_application_name', 'options'],
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
];

/**
 * The options of a pool for a connection string.
 *
 * @throws {TypeError} unless `pg` can read the string and knows each of its parameters; the text does not repeat it
 */
export function postgresOptions(text: string): object {
  try {
    // Without a host, as with a socket's folder in `?host=`, `pg` takes a user too, and `URL` does not.
    const {username, password, pathname, searchParams} = new URL(text.replace(/@\//, '@localhost/'));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    if ([...searchParams.keys()].every((name) => knownParameters.includes(name))) return {connectionString: text};
  } catch {
    // It is malformed.
  }
  throw new TypeError(
    'The Postgres connection string of the store is malformed: expected postgres://user:password@host:port/database, ' +
      `and behind it nothing but ${knownParameters.join(', ')}`,
  );
}

/**
 * The options with which an adapter of the host's opened its pool, for a pool of our own.
 *
 * @throws {TypeError} where no second pool can be opened with them; the text does not repeat them
 */
export function postgresAdapterOptions(options: PostgresAdapterOptions): object {
  const {uri, stream} = options as PostgresAdapterOptions & {stream?: unknown};
  if (typeof uri !== 'string' || (stream !== undefined && typeof stream !== 'function')) {
    throw new TypeError(
      'Expected the Postgres adapter of the store to have been given a connection string as `uri`, and as `stream`, ' +
        'if any, a function: the store opens connections of its own',
    );
  }
  // What changes the form of the answers is left out.
  return {...options, connectionString: uri, binary: false, types: undefined};
}
