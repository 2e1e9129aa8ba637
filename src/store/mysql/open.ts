import type {Driver, DriverSettings} from '../driver.ts';
import {poolParameter, takePool} from '../sql/pool.ts';
import {MysqlConnection, type MysqlOptions} from './connection.ts';
import {MysqlDriver} from './driver.ts';

/** The modes of MySQL's own clients. */
const modes: Readonly<Record<string, MysqlOptions['ssl']>> = {
  DISABLED: undefined,
  REQUIRED: {rejectUnauthorized: false, verifyIdentity: false},
  VERIFY_CA: {rejectUnauthorized: true, verifyIdentity: false},
  VERIFY_IDENTITY: {rejectUnauthorized: true, verifyIdentity: true},
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
  try {
    const url = new URL(text);
    const address = addressOf(url);
    const connectionLimit = takePool(url.searchParams);
    const {'ssl-mode': mode, ssl, socketPath, ...others} = Object.fromEntries(url.searchParams);
    if (address.database === '' || Object.keys(others).length > 0)
      throw new TypeError('No database, or unknown parameters');
    return {...address, connectionLimit, socketPath, ssl: tlsOf(mode, ssl)};
  } catch {
    throw new TypeError(
      'The MySQL connection string of the store is malformed: expected mysql://user:password@host:port/database, ' +
        `with no parameters except ssl, ssl-mode, socketPath and ${poolParameter}`,
    );
  }
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

function tlsOf(mode: string | undefined, ssl: string | undefined): MysqlOptions['ssl'] {
  const name = mode?.toUpperCase() ?? (ssl === undefined || ssl === 'false' ? 'DISABLED' : 'VERIFY_IDENTITY');
  if (!Object.hasOwn(modes, name) || !['true', 'false', undefined].includes(ssl)) throw new TypeError('Unknown mode');
  return modes[name];
}
