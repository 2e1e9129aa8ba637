/** Where a Redis or Valkey server is, and how to be let in. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** The parts of a connection string of several hosts. */
export interface RedisAddresses {
  /** One for each host, at least one, all with the same user, password and database. */
  readonly hosts: readonly [RedisAddress, ...RedisAddress[]];
  /** The segments of the path. */
  readonly path: readonly string[];
}

/**
 * Reads `redis://user:password@host:port/database`, or `rediss:` for TLS, and the same of Valkey; all but the scheme may
 * be left out. User and password are percent-decoded.
 *
 * @throws {TypeError} which does not repeat the string: it may hold a password
 */
export function redisAddress(text: string): RedisAddress {
  try {
    const {protocol, hostname, port, username, password, pathname, search, hash} = new URL(text);
    if (search !== '' || hash !== '') throw new TypeError('There are no parameters');
    return {
      host: hostname.replace(/[[\]]/g, '') || 'localhost',
      port: port === '' ? 6379 : Number(port),
      tls: protocol === 'rediss:' || protocol === 'valkeys:',
      username: username === '' ? undefined : decodeURIComponent(username),
      password: password === '' ? undefined : decodeURIComponent(password),
      database: databaseNumber(pathname.replace('/', '')),
    };
  } catch {
    throw new TypeError(
      'The Redis connection string of the store is malformed: expected redis://user:password@host:port/database, ' +
        'or rediss: for TLS, and no parameters',
    );
  }
}

/**
 * Reads `<scheme>://user:password@host:port,host:port/path`. An `@` or a `/` in a password is percent-encoded.
 *
 * @param expected the form that is expected, for the error
 * @throws {TypeError} which does not repeat the string
 */
export function redisAddresses(text: string, port: number, expected: string): RedisAddresses {
  const malformed = new TypeError(`The connection string of the store is malformed: expected ${expected}`);
  const parts = /^(?<scheme>[a-z]+)\+[a-z]+:\/\/(?<access>[^/@]*@)?(?<list>[^/@?#]+)(?:\/(?<path>[^?#]*))?$/i.exec(
    text,
  );
  if (!parts) throw malformed;
  const {
    scheme,
    access = '',
    list,
    path = '',
  } = parts.groups as {
    scheme: string;
    access?: string;
    list: string;
    path?: string;
  };
  try {
    const hosts = list.split(',').map((host) => {
      const hasPort = /:\d+$/.test(host);
      return redisAddress(`${scheme}://${access}${host}${hasPort ? '' : `:${port}`}`);
    });
    return {
      hosts: hosts as [RedisAddress, ...RedisAddress[]],
      path: path === '' ? [] : path.split('/').map(decodeURIComponent),
    };
  } catch {
    throw malformed;
  }
}

/** The parts of a connection string of sentinels. */
export interface SentinelAddress {
  readonly sentinels: RedisAddresses['hosts'];
  readonly master: string;
  readonly database: number;
}

/** @throws {TypeError} unless the path is the name of a master, with or without the number of a database */
export function sentinelAddress({hosts, path}: RedisAddresses, expected: string): SentinelAddress {
  const [master = '', database = '', ...rest] = path;
  try {
    if (master === '' || rest.length > 0) throw new TypeError('A master has a name');
    return {sentinels: hosts, master, database: databaseNumber(database)};
  } catch {
    throw new TypeError(`The connection string of the store is malformed: expected ${expected}`);
  }
}

/** @throws {TypeError} if the text is not a number */
function databaseNumber(text: string): number {
  if (!/^\d*$/.test(text)) throw new TypeError('A database is a number');
  return Number(text);
}
