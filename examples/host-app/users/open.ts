import {MemoryUsers} from './memory.ts';
import {MysqlUsers} from './mysql.ts';
import {PostgresUsers} from './postgres.ts';
import {RedisUsers} from './redis.ts';
import {SqliteUsers} from './sqlite.ts';
import type {Users} from './users.ts';

/**
 * Opens the users in the store of the links. SQLite's are in another file, because a process that opened one file with two
 * clients of SQLite would drop the locks of both.
 */
export function openUsers(store: string): Users {
  if (store.startsWith('memory:')) return new MemoryUsers();
  if (store.startsWith('sqlite:')) return new SqliteUsers(`${store.replace(/^sqlite:(\/\/)?/, '')}-users`);
  if (/^rediss?:\/\//.test(store)) return new RedisUsers(store);
  if (/^postgres(ql)?:\/\//.test(store)) return new PostgresUsers(store);
  if (/^(mysql|mariadb):\/\//.test(store)) return new MysqlUsers(store);
  // Name only the scheme, because the rest of a connection string may contain a password.
  const scheme = store.split(':', 1)[0] ?? '';
  throw new Error(
    `This example keeps its users in memory:, sqlite:, redis://, postgres:// or mysql://, got ${scheme}:`,
  );
}
