import type {EventEmitter} from 'node:events';
import type {KeyvStoreAdapter} from 'keyv';
import type {Driver, DriverSettings} from './driver.ts';
import {KeyvDriver} from './keyv.ts';
import {MemoryDriver} from './memory.ts';
import {MysqlConnection} from './mysql-connection.ts';
import {type MysqlAdapterOptions, mysqlAdapterOptions} from './mysql-options.ts';
import {MysqlDriver} from './mysql.ts';
import {mysqlTables} from './mysql-statements.ts';
import {PostgresConnection} from './postgres-connection.ts';
import {type PostgresAdapterOptions, postgresAdapterOptions} from './postgres-options.ts';
import {PostgresDriver} from './postgres.ts';
import {postgresTables} from './postgres-statements.ts';
import {redisAdapter, valkeyAdapter} from './redis-adapters.ts';
import {sqliteDriver, sqlitePath} from './sqlite.ts';

/** What may stand behind a Keyv instance. */
export type Adapter = KeyvStoreAdapter | Map<string, unknown>;

/** A driver, and the key under which the adapter would store what Keyv calls `key`. */
export interface AdapterDriver {
  readonly driver: Driver;
  readonly adapterKey: (key: string) => string;
}

/** One line for each engine with a driver of its own; each knows its adapter by what it says of itself and can do. */
const recognisers = [redisAdapter, valkeyAdapter, sqlite, postgres, mysql];

/** The driver that makes the most of an adapter of the host's. */
export function driverOfAdapter(adapter: Adapter, settings: DriverSettings): AdapterDriver {
  if (adapter instanceof Map) return {driver: new MemoryDriver(adapter), adapterKey: same};
  for (const recognise of recognisers) {
    const recognised = recognise(adapter, settings);
    if (recognised) {
      // The adapter goes on connecting by itself. Without a listener its `error` event would end the process.
      const emitter = adapter as unknown as Partial<EventEmitter>;
      if (emitter.listenerCount?.('error') === 0) emitter.on?.('error', () => undefined);
      return recognised;
    }
  }
  return {driver: new KeyvDriver(adapter), adapterKey: same};
}

function same(key: string): string {
  return key;
}

function dialect(adapter: KeyvStoreAdapter): unknown {
  return (adapter as {opts?: {dialect?: unknown}}).opts?.dialect;
}

/** An adapter of `@keyv/sqlite`: its file is opened once more. */
function sqlite(adapter: KeyvStoreAdapter): AdapterDriver | undefined {
  const {opts} = adapter as {opts?: {uri?: unknown; table?: unknown}};
  if (dialect(adapter) !== 'sqlite' || typeof opts?.uri !== 'string') return undefined;
  const path = sqlitePath(opts.uri);
  if (path === ':memory:') {
    throw new TypeError('Expected an SQLite adapter with a file: one in memory cannot be opened a second time');
  }
  return {driver: sqliteDriver(path, typeof opts.table === 'string' ? opts.table : 'keyv'), adapterKey: same};
}

function postgres(adapter: KeyvStoreAdapter, {timeout}: DriverSettings): AdapterDriver | undefined {
  const {opts, query} = adapter as {opts?: Partial<PostgresAdapterOptions>; query?: unknown};
  if (dialect(adapter) !== 'postgres' || typeof query !== 'function') return undefined;
  if (typeof opts?.schema !== 'string' || typeof opts.table !== 'string') return undefined;
  const options = opts as PostgresAdapterOptions;
  const connection = new PostgresConnection(postgresAdapterOptions(options), timeout);
  return {driver: new PostgresDriver(connection, postgresTables(options)), adapterKey: same};
}

function mysql(adapter: KeyvStoreAdapter, {timeout}: DriverSettings): AdapterDriver | undefined {
  const {opts, query} = adapter as {opts?: Partial<MysqlAdapterOptions>; query?: unknown};
  if (dialect(adapter) !== 'mysql' || typeof query !== 'function' || typeof opts?.table !== 'string') return undefined;
  const options = opts as MysqlAdapterOptions;
  // An adapter that cannot connect at the start rejects a promise that nobody else awaits, which would end the process.
  (query as (text: string) => Promise<unknown>)('select 1').catch(() => undefined);
  const connection = new MysqlConnection(mysqlAdapterOptions(options), timeout);
  return {driver: new MysqlDriver(connection, mysqlTables(options)), adapterKey: same};
}
