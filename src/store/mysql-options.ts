/** The options of a connection, as `mysql2` names them. */
export interface MysqlOptions {
  readonly host: string;
  readonly port: number;
  readonly socketPath?: string;
  readonly user?: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl?: {readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean};
}

/** The modes of MySQL's own clients. */
const modes: Readonly<Record<string, MysqlOptions['ssl']>> = {
  DISABLED: undefined,
  REQUIRED: {rejectUnauthorized: false, verifyIdentity: false},
  VERIFY_CA: {rejectUnauthorized: true, verifyIdentity: false},
  VERIFY_IDENTITY: {rejectUnauthorized: true, verifyIdentity: true},
};

/**
 * Reads `mysql://user:password@host:port/database`, with `?ssl-mode=` as MySQL's own clients have it, `?ssl=true` for
 * `VERIFY_IDENTITY`, or `?socketPath=` in place of host and port. User, password and database are percent-decoded.
 *
 * @throws {TypeError} which does not repeat the string: it may hold a password
 */
export function mysqlOptions(text: string): MysqlOptions {
  try {
    const {hostname, port, username, password, pathname, searchParams} = new URL(text);
    const database = decodeURIComponent(pathname.replace('/', ''));
    if (database === '') throw new TypeError('A database is needed');
    for (const name of searchParams.keys()) {
      if (!['ssl', 'ssl-mode', 'socketPath'].includes(name)) throw new TypeError('An unknown parameter');
    }
    const ssl = sslOf(searchParams.get('ssl-mode'), searchParams.get('ssl'));
    const socketPath = searchParams.get('socketPath');
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost',
      port: port === '' ? 3306 : Number(port),
      ...(socketPath === null ? {} : {socketPath}),
      ...(username === '' ? {} : {user: decodeURIComponent(username)}),
      ...(password === '' ? {} : {password: decodeURIComponent(password)}),
      database,
      ...(ssl ? {ssl} : {}),
    };
  } catch {
    throw new TypeError(
      'The MySQL connection string of the store is malformed: expected mysql://user:password@host:port/database, ' +
        'and behind it nothing but ssl, ssl-mode or socketPath',
    );
  }
}

function sslOf(mode: string | null, ssl: string | null): MysqlOptions['ssl'] {
  const name = mode?.toUpperCase() ?? (ssl === null || ssl === 'false' ? 'DISABLED' : 'VERIFY_IDENTITY');
  if (!Object.hasOwn(modes, name) || !['true', 'false', null].includes(ssl)) throw new TypeError('An unknown mode');
  return modes[name];
}

/** What we use of the options of an `@keyv/mysql` adapter; the others are those of its pool. */
export interface MysqlAdapterOptions {
  readonly uri?: unknown;
  readonly table: string;
  readonly keySize?: number | undefined;
}

/** The options of the adapter and of Keyv that no pool knows. */
const adapterOnly: readonly string[] = [
  ...['adapter', 'compression', 'connect', 'dialect', 'keySize', 'table', 'ttl', 'uri', 'iterationLimit'],
  ...['namespace', 'serialize', 'deserialize', 'store', 'intervalExpiration'],
];

/**
 * The options with which an adapter of the host's opened its pool, for a pool of our own. They come before those in the
 * connection string, as in the adapter.
 *
 * @throws {TypeError} where no second pool can be opened with them; the text does not repeat them
 */
export function mysqlAdapterOptions(options: MysqlAdapterOptions): Partial<MysqlOptions> {
  const {stream} = options as MysqlAdapterOptions & {stream?: unknown};
  const rest = Object.entries(options).filter(([name]) => !adapterOnly.includes(name));
  try {
    if (stream !== undefined && typeof stream !== 'function') throw new TypeError('One stream is one connection');
    const {hostname, port, username, password, pathname} = new URL(String(options.uri).replaceAll('#', '%23'));
    return {
      host: hostname,
      port: port === '' ? 3306 : Number(port),
      user: decodeURIComponent(username),
      ...(password === '' ? {} : {password: decodeURIComponent(password)}),
      database: decodeURIComponent(pathname.slice(1)),
      ...Object.fromEntries(rest),
    };
  } catch {
    throw new TypeError(
      'Expected the MySQL adapter of the store to have been given a connection string as `uri`, and as `stream`, if ' +
        'any, a function: the store opens connections of its own',
    );
  }
}
