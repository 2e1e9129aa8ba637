import {checkParameters, ConnectionStringError, type KnownParameters, readString} from '../../connection-string.ts';
import type {Driver, DriverSettings} from '../../driver.ts';
import {takePool} from '../sql/pool.ts';
import {MysqlConnection, type MysqlOptions} from './connection.ts';
import {MysqlDriver} from './driver.ts';

const parameters: KnownParameters = {
  engine: 'MySQL',
  read: ['ssl', 'ssl-mode', 'sslaccept', 'socketPath', 'pool', 'connection_limit'],
  ignored: [
    ...['charset', 'reconnect', 'timezone', 'parseTime', 'serverVersion'],
    ...['connect_timeout', 'connectTimeout', 'pool_timeout', 'socket_timeout'],
  ],
};

/** The modes of MySQL's own clients. */
const modes: Readonly<Record<string, MysqlOptions['ssl']>> = {
  DISABLED: undefined,
  REQUIRED: {rejectUnauthorized: false, verifyIdentity: false},
  VERIFY_CA: {rejectUnauthorized: true, verifyIdentity: false},
  VERIFY_IDENTITY: {rejectUnauthorized: true, verifyIdentity: true},
};

/** The modes that other programs name in other ways: `mysql2` by JSON, which PlanetScale shows, and Prisma. */
const otherNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ssl: {
    true: 'VERIFY_IDENTITY',
    false: 'DISABLED',
    '{}': 'VERIFY_IDENTITY',
    '{"rejectUnauthorized":true}': 'VERIFY_IDENTITY',
    '{"rejectUnauthorized":false}': 'REQUIRED',
  },
  sslaccept: {strict: 'VERIFY_IDENTITY', accept_invalid_certs: 'REQUIRED'},
};

export function openMysql(text: string, {timeout}: DriverSettings): Driver {
  return new MysqlDriver(new MysqlConnection(mysqlOptions(text), timeout));
}

/**
 * Reads `mysql://user:password@host:port/database`, also with `mariadb:`. It may have `?ssl-mode=` as in MySQL's own
 * clients, `?ssl=true` for `VERIFY_IDENTITY`, `?socketPath=` instead of host and port, and `?pool=`. User, password and
 * database are percent-decoded.
 *
 * @throws {TypeError}, which does not repeat the string, because it may have a password
 */
export function mysqlOptions(text: string): MysqlOptions {
  return readString('MySQL', 'mysql://user:password@host:port/database', () => {
    const url = new URL(text);
    const address = addressOf(url);
    const {searchParams: given} = url;
    checkParameters(given, parameters);
    const connectionLimit = takePool(given);
    if (address.database === '') throw new TypeError('No database');
    return {...address, connectionLimit, socketPath: given.get('socketPath') ?? undefined, ssl: tlsOf(given)};
  });
}

function addressOf({hostname, port, username, password, pathname}: URL): Omit<MysqlOptions, 'connectionLimit'> {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1') || 'localhost',
    port: Number(port || 3306),
    user: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    database: decodeURIComponent(pathname.slice(1)),
  };
}

/** @throws {ConnectionStringError} for an unknown mode */
function tlsOf(given: URLSearchParams): MysqlOptions['ssl'] {
  const named = Object.entries(otherNames).flatMap(([name, names]) => {
    const value = given.get(name)?.replaceAll(' ', '');
    return value === undefined ? [] : [Object.hasOwn(names, value) ? names[value] : 'unknown'];
  });
  // The mode of MySQL's own clients counts.
  const all = [given.get('ssl-mode')?.toUpperCase() ?? [], named].flat();
  for (const mode of all) {
    if (mode !== undefined && Object.hasOwn(modes, mode)) continue;
    throw new ConnectionStringError(
      'Expected `ssl-mode` in the MySQL connection string of the store to be one of ' +
        `${Object.keys(modes).join(', ')}, \`ssl\` to be true or false, and \`sslaccept\` to be strict.`,
    );
  }
  return modes[all[0] ?? 'DISABLED'];
}
