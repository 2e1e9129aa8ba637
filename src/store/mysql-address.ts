/** Where a MySQL or MariaDB server is, and how to be let in, in the words of `mysql2`. */
export interface MysqlAddress {
  readonly host: string;
  readonly port: number;
  readonly socketPath?: string;
  readonly user?: string;
  readonly password?: string;
  readonly database: string;
  readonly ssl?: {readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean};
}

/** The modes of MySQL's own clients. */
const modes: Readonly<Record<string, MysqlAddress['ssl']>> = {
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
export function mysqlAddress(text: string): MysqlAddress {
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

function sslOf(mode: string | null, ssl: string | null): MysqlAddress['ssl'] {
  const name = mode?.toUpperCase() ?? (ssl === null || ssl === 'false' ? 'DISABLED' : 'VERIFY_IDENTITY');
  if (!Object.hasOwn(modes, name) || !['true', 'false', null].includes(ssl)) throw new TypeError('An unknown mode');
  return modes[name];
}
