import type {Driver} from '../../driver.ts';
import {SqliteDriver} from './driver.ts';

export function openSqlite(text: string): Driver {
  return new SqliteDriver(sqlitePath(text));
}

/**
 * The file in `sqlite:path/to/file.db`, `sqlite:/path/to/file.db` or `sqlite://path/to/file.db`;
 * `sqlite:///path` is absolute. The path is not decoded: a `%` is part of a name.
 *
 * @throws {TypeError} for no path, or one with parameters, which would be part of the name of an empty file
 */
export function sqlitePath(text: string): string {
  const path = text.replace(/^sqlite:(\/\/)?/i, '');
  if (path === '' || path.endsWith('/') || path.includes('\0')) {
    throw new TypeError('Expected a path to a file after `sqlite:` in the connection string of the store');
  }
  if (path.includes('?')) {
    throw new TypeError('Expected no `?` in the connection string of an SQLite store: it takes no parameters');
  }
  return path;
}
