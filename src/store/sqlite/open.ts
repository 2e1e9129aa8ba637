import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver, Driver} from '../driver.ts';
import {SqliteDriver} from './driver.ts';

export function openSqlite(text: string): Driver {
  return new SqliteDriver(sqlitePath(text), 'keyv');
}

/**
 * Opens the file of an adapter of `@keyv/sqlite` again.
 *
 * @throws {TypeError} for a database in memory
 */
export function openSqliteAdapter(adapter: KeyvStoreAdapter): AdapterDriver | undefined {
  const {opts} = adapter as {opts?: {dialect?: unknown; uri?: unknown; table?: unknown}};
  if (opts?.dialect !== 'sqlite' || typeof opts.uri !== 'string') return undefined;
  const path = sqlitePath(opts.uri);
  if (path === ':memory:') {
    throw new TypeError('Expected an SQLite adapter with a file: one in memory cannot be opened a second time');
  }
  return {driver: new SqliteDriver(path, typeof opts.table === 'string' ? opts.table : 'keyv'), keyPrefix: ''};
}

/**
 * The file in `sqlite:path/to/file.db`, `sqlite:/path/to/file.db` or, as Keyv writes it, `sqlite://path/to/file.db`;
 * `sqlite:///path` is absolute. The path is not decoded: a `%` or a `?` is part of a name.
 */
export function sqlitePath(text: string): string {
  const path = text.replace(/^sqlite:(\/\/)?/i, '');
  if (path === '' || path.endsWith('/') || path.includes('\0')) {
    throw new TypeError('Expected a path to a file after `sqlite:` in the connection string of the store');
  }
  return path;
}
