/** Where a Redis server is, and how to be let in. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/**
 * Reads `redis://user:password@host:port/database`, or `rediss:` for TLS; all but the scheme may be left out. User and
 * password are percent-decoded.
 *
 * @throws {TypeError} which does not repeat the string: it may hold a password
 */
export function redisAddress(text: string): RedisAddress {
  try {
    const {protocol, hostname, port, username, password, pathname} = new URL(text);
    const database = pathname.replace('/', '');
    if (!/^\d*$/.test(database)) throw new TypeError('A database is a number');
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost',
      port: port === '' ? 6379 : Number(port),
      tls: protocol === 'rediss:',
      username: username === '' ? undefined : decodeURIComponent(username),
      password: password === '' ? undefined : decodeURIComponent(password),
      database: Number(database),
    };
  } catch {
    throw new TypeError(
      'The Redis connection string of the store is malformed: expected redis://user:password@host:port/database',
    );
  }
}
