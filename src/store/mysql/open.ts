import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver, Driver, DriverSettings} from '../driver.ts';
import {MysqlConnection} from './connection.ts';
import {MysqlDriver} from './driver.ts';
import {type MysqlTableOptions, mysqlTables} from './statements.ts';

/** The options of a connection, as `mysql2` names them. */
interface MysqlOptions {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string;
  readonly socketPath?: string | undefined;
  readonly ssl?: {readonly rejectUnauthorized: boolean; readonly verifyIdentity: boolean} | undefined;
}

/** The modes of MySQL's own clients. */
const modes: Readonly<Record<string, MysqlOptions['ssl']>> = {
  DISABLED: undefined,
  REQUIRED: {rejectUnauthorized: false, verifyIdentity: false},
  VERIFY_CA: {rejectUnauthorized: true, verifyIdentity: false},
  VERIFY_IDENTITY: {rejectUnauthorized: true, verifyIdentity: true},
};

/** Options of the adapter and of Keyv that a pool does not have. */
const adapterOnly: readonly string[] = [
  ...['adapter', 'compression', 'connect', 'dialect', 'keySize', 'table', 'ttl', 'uri', 'iterationLimit'],
  ...['namespace', 'serialize', 'deserialize', 'store', 'intervalExpiration'],
];

export function openMysql(text: string, {timeout}: DriverSettings): Driver {
  return new MysqlDriver(new MysqlConnection(mysqlOptions(text), timeout), mysqlTables({table: 'keyv'}));
}

/**
 * Opens a pool with the options of an adapter of `@keyv/mysql`.
 *
 * @throws {TypeError} if no second pool can be opened with them
 */
export function openMysqlAdapter(adapter: KeyvStoreAdapter, {timeout}: DriverSettings): AdapterDriver | undefined {
  const {opts, query} = adapter as {opts?: Partial<MysqlTableOptions> & {dialect?: unknown}; query?: unknown};
  if (opts?.dialect !== 'mysql' || typeof query !== 'function' || typeof opts.table !== 'string') return undefined;
  // If the adapter cannot connect, it rejects a promise that nothing awaits, which would end the process.
  (query as (text: string) => Promise<unknown>)('select 1').catch(() => undefined);
  const connection = new MysqlConnection(mysqlAdapterOptions(opts), timeout);
  return {driver: new MysqlDriver(connection, mysqlTables(opts as MysqlTableOptions)), keyPrefix: ''};
}

/**
 * Reads `mysql://user:password@host:port/database`, with `?ssl-mode=` as in MySQL's own clients, `?ssl=true` for
 * `VERIFY_IDENTITY`, or `?socketPath=` instead of host and port. User, password and database are percent-decoded.
 *
 * @throws {TypeError}, which does not repeat the string, because it may have a password
 */
export function mysqlOptions(text: string): MysqlOptions {
  try {
    const url = new URL(text);
    const {database} = addressOf(url);
    const {'ssl-mode': mode, ssl, socketPath, ...others} = Object.fromEntries(url.searchParams);
    if (database === '' || Object.keys(others).length > 0) throw new TypeError('No database, or unknown parameters');
    return {...addressOf(url), socketPath, ssl: tlsOf(mode, ssl)};
  } catch {
    throw new TypeError(
      'The MySQL connection string of the store is malformed: expected mysql://user:password@host:port/database, ' +
        'and behind it nothing but ssl, ssl-mode or socketPath',
    );
  }
}

/**
 * The options of the pool of a host's adapter. They override those in the connection string, as in the adapter.
 *
 * @throws {TypeError}, which does not repeat the options
 */
function mysqlAdapterOptions(options: object): object {
  const {uri, stream} = options as {uri?: unknown; stream?: unknown};
  try {
    if (stream !== undefined && typeof stream !== 'function') throw new TypeError('One stream is one connection');
    const others = Object.entries(options).filter(([name]) => !adapterOnly.includes(name));
    return {...addressOf(new URL(String(uri).replaceAll('#', '%23'))), ...Object.fromEntries(others)};
  } catch {
    throw new TypeError(
      'Expected the MySQL adapter of the store to have been given a connection string as `uri`, and as `stream`, if ' +
        'any, a function: the store opens connections of its own',
    );
  }
}

function addressOf({hostname, port, username, password, pathname}: URL): MysqlOptions {
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
