import {describe, isObject} from '../../values/describe.ts';
import {checkNames} from '../../values/options.ts';
import type {Driver, DriverSettings} from '../driver.ts';
import {MysqlDriver} from '../engines/mysql/driver.ts';
import {MysqlHostConnection, mysqlPoolOf} from '../engines/mysql/host-pool.ts';
import {PostgresDriver} from '../engines/postgres/driver.ts';
import {isPostgresPool, PostgresHostConnection} from '../engines/postgres/host-pool.ts';
import {aSchema} from '../engines/postgres/open.ts';
import {openLike} from '../engines/redis/host-client.ts';
import {driverOver} from '../engines/redis/open.ts';
import {SqliteDriver} from '../engines/sqlite/driver.ts';
import {hostFileOf} from '../engines/sqlite/host-database.ts';

/** What the site may have open, for messages. */
export const hostClients =
  'a Pool of `pg` or `mysql2`, a client, cluster or sentinel client of `redis`, a client or cluster of `ioredis`, or a database of `node:sqlite` or `libsql`';

/**
 * The driver over what the site has open; undefined if the value is nothing of that kind.
 *
 * @throws {TypeError} for something else that leads to a database, with what to pass instead
 */
export function driverOfHost(option: unknown, settings: DriverSettings): Driver | undefined {
  if (!isWrapper(option)) return driverOfClient(option, settings);
  checkNames(option, ['client', 'schema'], 'store');
  const {client, schema} = option;
  const driver = driverOfClient(client, settings, schema);
  if (driver !== undefined) return driver;
  throw new TypeError(`Expected \`store.client\` to be ${hostClients}, got ${describe(client, true)}`);
}

function driverOfClient(client: unknown, settings: DriverSettings, schema?: unknown): Driver | undefined {
  const {timeout} = settings;
  const file = isObject(client) ? hostFileOf(client) : undefined;
  if (file === undefined) refuseOthers(client);
  if (!isObject(client)) return undefined;
  if (isPostgresPool(client)) {
    if (schema !== undefined && !aSchema.holds(schema)) {
      throw new TypeError(`Expected \`store.schema\` to be ${aSchema.expected}, got ${describe(schema)}`);
    }
    if ((client as {options?: {binary?: unknown}}).options?.binary === true) {
      throw new TypeError('Expected the Pool of `pg` without `binary: true`, with which `pg` returns wrong sums');
    }
    return new PostgresDriver(new PostgresHostConnection(client, timeout), undefined, schema);
  }
  if (schema !== undefined) throw new TypeError('Expected `store.schema` only with a Pool of `pg`');
  if (file) return new SqliteDriver(file.path, file.client);
  const pool = mysqlPoolOf(client);
  if (pool) return new MysqlDriver(new MysqlHostConnection(pool, timeout), undefined, true);
  const redis = openLike(client);
  return redis && driverOver(redis.open, settings, redis.isCluster);
}

/** An object that was written by hand. Clients have classes. */
function isWrapper(option: unknown): option is {readonly client: unknown; readonly schema?: unknown} {
  return isObject(option) && Object.getPrototypeOf(option) === Object.prototype && 'client' in option;
}

/** What else a site may have open, by some of its properties, and what to pass instead. */
const others: ReadonlyArray<readonly [what: string, properties: readonly string[], instead: string]> = [
  ['a Prisma client', ['$connect', '$queryRawUnsafe'], 'the connection string of its database'],
  [
    'a Knex instance',
    ['raw', 'transaction', 'migrate'],
    'the connection string of its database, or a pool of your own',
  ],
  ['a Sequelize instance', ['getQueryInterface'], 'the connection string of its database, or a pool of your own'],
  ['a Kysely instance', ['selectFrom', 'insertInto'], 'the pool that its dialect got'],
  ['a TypeORM data source', ['createQueryRunner'], 'the connection string of its database, or a pool of your own'],
  ['a Drizzle database', ['$client'], 'its `$client`'],
  ['a single client of `pg`', ['connect', 'query', 'escapeLiteral'], 'a `Pool` of `pg`'],
  ['a single connection of `mysql2`', ['beginTransaction', 'execute'], 'a pool: `createPool` of `mysql2`'],
  ['another client of SQLite', ['prepare', 'exec'], 'sqlite:path/to/file.db: both may have the file open'],
  ['a cluster of pools of `mysql2`', ['getConnection', 'of'], 'one pool: `createPool` of `mysql2`'],
];

function refuseOthers(client: unknown): void {
  if (typeof client !== 'function' && !isObject(client)) return;
  // Reading a property of a proxy may do anything, but these are read by every caller.
  const has = (name: string): boolean => Reflect.get(client, name) !== undefined;
  const [what, , instead] = others.find(([, names]) => names.every(has)) ?? [];
  if (what !== undefined)
    throw new TypeError(`Expected the store to be ${hostClients}, got ${what}. Pass ${String(instead)}.`);
}
