import type {Driver, DriverSettings} from './driver.ts';
import {MemoryDriver} from './memory.ts';
import {MysqlConnection} from './mysql-connection.ts';
import {mysqlOptions} from './mysql-options.ts';
import {MysqlDriver} from './mysql.ts';
import {mysqlTables} from './mysql-statements.ts';
import {PostgresConnection} from './postgres-connection.ts';
import {postgresOptions} from './postgres-options.ts';
import {PostgresDriver} from './postgres.ts';
import {postgresTables} from './postgres-statements.ts';
import {redisAddress, redisAddresses, sentinelAddress} from './redis-address.ts';
import {openClusterAt, openServer} from './redis-client.ts';
import {OwnRedisConnection} from './redis-connection.ts';
import {openMaster} from './redis-sentinel.ts';
import {RedisDriver} from './redis.ts';
import {sqliteDriver, sqlitePath} from './sqlite.ts';

const clusterForm = 'redis+cluster://user:password@host:port,host:port';
const sentinelForm = 'redis+sentinel://user:password@host:port,host:port/master/database';

type Open = (text: string, settings: DriverSettings) => Driver;

/** One line for each scheme. A driver loads its package itself, so that nobody needs those of the other engines. */
const schemes: Readonly<Record<string, Open>> = {
  'memory:': memory,
  'sqlite:': (text) => sqliteDriver(sqlitePath(text), 'keyv'),
  'redis:': redisDriver,
  'rediss:': redisDriver,
  'redis+cluster:': clusterDriver,
  'rediss+cluster:': clusterDriver,
  'redis+sentinel:': sentinelDriver,
  'rediss+sentinel:': sentinelDriver,
  'valkey:': redisDriver,
  'valkeys:': redisDriver,
  'valkey+cluster:': clusterDriver,
  'valkeys+cluster:': clusterDriver,
  'valkey+sentinel:': sentinelDriver,
  'valkeys+sentinel:': sentinelDriver,
  'postgres:': postgres,
  'postgresql:': postgres,
  'mysql:': mysql,
};

/** @throws {TypeError} for an unknown scheme or a malformed string, which it does not repeat */
export function driverOfString(text: string, settings: DriverSettings): Driver {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase() ?? '';
  const open = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  if (!open) {
    throw new TypeError(
      `Expected the connection string of the store to begin with one of ${Object.keys(schemes).join(' ')}`,
    );
  }
  return open(text, settings);
}

/** Whether what is stored there ends with the process. */
export function isMemoryString(text: string): boolean {
  return /^memory:/i.test(text) || /^sqlite:(\/\/)?:memory:$/i.test(text);
}

function memory(text: string): Driver {
  if (!/^memory:(\/\/)?$/i.test(text))
    throw new TypeError('Expected nothing after `memory:` in the connection string of the store');
  return new MemoryDriver(new Map());
}

function postgres(text: string, {timeout}: DriverSettings): Driver {
  const connection = new PostgresConnection(postgresOptions(text), timeout);
  return new PostgresDriver(connection, postgresTables({schema: 'public', table: 'keyv'}));
}

function mysql(text: string, {timeout}: DriverSettings): Driver {
  return new MysqlDriver(new MysqlConnection(mysqlOptions(text), timeout), mysqlTables({table: 'keyv'}));
}

function redisDriver(text: string, settings: DriverSettings): Driver {
  return new RedisDriver(new OwnRedisConnection(openServer(redisAddress(text)), settings));
}

/** The hosts are some nodes of the cluster; the client finds the others. A cluster has no databases. */
function clusterDriver(text: string, settings: DriverSettings): Driver {
  const addresses = redisAddresses(text, 6379, clusterForm);
  if (addresses.path.length > 0) {
    throw new TypeError(`The connection string of the store is malformed: expected ${clusterForm}`);
  }
  return new RedisDriver(new OwnRedisConnection(openClusterAt(addresses), {...settings, isCluster: true}));
}

/** The hosts are the sentinels. The password is that of the servers; a sentinel gets it only if it requires one. */
function sentinelDriver(text: string, settings: DriverSettings): Driver {
  const address = sentinelAddress(redisAddresses(text, 26_379, sentinelForm), sentinelForm);
  return new RedisDriver(new OwnRedisConnection(openMaster(address), settings));
}
