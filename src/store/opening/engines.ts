import type {KeyvStoreAdapter} from 'keyv';
import {didYouMean} from '../../values/describe.ts';
import {warn} from '../../warnings.ts';
import {checkLogin} from '../connection-string.ts';
import type {Driver, DriverSettings} from '../driver.ts';
import {KeyvDriver} from '../engines/keyv/driver.ts';
import {MemoryDriver} from '../engines/memory.ts';
import {openMysql} from '../engines/mysql/open.ts';
import {knownAdapters} from './option.ts';
import {openPostgres} from '../engines/postgres/open.ts';
import {openRedis, openRedisCluster, openRedisSentinel} from '../engines/redis/open.ts';
import {openSqlite} from '../engines/sqlite/open.ts';

export type Adapter = KeyvStoreAdapter | Map<string, unknown>;

type Open = (text: string, settings: DriverSettings) => Driver;

/** The schemes of connection strings. A driver imports its package when it is first used. */
const connectionStrings: ReadonlyArray<readonly [schemes: readonly string[], open: Open]> = [
  [['memory:'], openMemory],
  [['sqlite:'], openSqlite],
  [['redis:', 'rediss:', 'valkey:', 'valkeys:'], openRedis],
  [['redis+cluster:', 'rediss+cluster:', 'valkey+cluster:', 'valkeys+cluster:'], openRedisCluster],
  [['redis+sentinel:', 'rediss+sentinel:', 'valkey+sentinel:', 'valkeys+sentinel:'], openRedisSentinel],
  [['postgres:', 'postgresql:'], openPostgres],
  [['mysql:', 'mariadb:'], openMysql],
];

/** @throws {TypeError} for an unknown scheme or a malformed string, which it does not repeat */
export function driverOfString(text: string, settings: DriverSettings): Driver {
  const scheme = /^[^:]+:/.exec(text)?.[0].toLowerCase() ?? '';
  const [, open] = connectionStrings.find(([schemes]) => schemes.includes(scheme)) ?? [];
  if (!open) {
    const schemes = connectionStrings.flatMap(([some]) => some);
    // Only the scheme is compared, and a known one is shown, because the rest may have a password.
    const hint = fileHint(text) || didYouMean(scheme, schemes);
    throw new TypeError(
      `Expected the connection string of the store to begin with one of ${schemes.join(' ')}.${hint}`,
    );
  }
  if (!/^(memory|sqlite):/.test(scheme)) checkLogin(text);
  return open(text, settings);
}

/** A path to a file holds no password, so it may be repeated. */
function fileHint(text: string): string {
  return /^([a-z]:)?[\w ./\\-]+\.(db|sqlite3?)$/i.test(text) ? ` Did you mean \`sqlite:${text}\`?` : '';
}

/** The driver for an adapter of the host. Any but a Map gets and sets, which is exact within one process. */
export function driverOfAdapter(adapter: Adapter): Driver {
  if (adapter instanceof Map) return new MemoryDriver(adapter);
  if (!knownAdapters.has(adapter)) {
    warn(
      'keyv_store',
      'A Keyv store is exact in one process only, and a `clear()` by another user of its table or namespace ' +
        'removes the links. Set the option `store` to a connection string instead, such as sqlite:links.db, ' +
        'redis://user:password@host:6379, redis+cluster://host:6379,host:6379, valkey://host:6379, ' +
        'postgres://user:password@host:5432/database or mysql://user:password@host:3306/database.',
    );
  }
  knownAdapters.add(adapter);
  return new KeyvDriver(adapter);
}

function openMemory(text: string): Driver {
  if (!/^memory:(\/\/)?$/i.test(text))
    throw new TypeError('Expected the connection string of a store in memory to be `memory:`');
  return new MemoryDriver(new Map());
}
