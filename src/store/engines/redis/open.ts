import {checkParameters, ConnectionStringError, type KnownParameters, readString} from '../../connection-string.ts';
import type {Driver, DriverSettings} from '../../driver.ts';
import {openClusterAt, openServer, type RedisAddress, type RedisAddresses} from './client.ts';
import {type OpenClient, RedisConnection} from './connection.ts';
import {RedisDriver} from './driver.ts';
import {openMaster, type SentinelAddress} from './sentinel.ts';

const parameters: KnownParameters = {engine: 'Redis', read: ['sslmode'], ignored: ['family', 'protocol']};

export function openRedis(text: string, settings: DriverSettings): Driver {
  return driverOver(openServer(redisAddress(text)), settings);
}

export function openRedisCluster(text: string, settings: DriverSettings): Driver {
  return driverOver(openClusterAt(clusterAddresses(text)), settings, true);
}

export function openRedisSentinel(text: string, settings: DriverSettings): Driver {
  return driverOver(openMaster(sentinelAddress(text)), settings);
}

export function driverOver(open: OpenClient, settings: DriverSettings, isCluster = false): Driver {
  return new RedisDriver(new RedisConnection(open, {...settings, isCluster}));
}

/**
 * Reads `redis://user:password@host:port/database`, or `rediss:` for TLS. Everything but the scheme is optional.
 *
 * @throws {TypeError}, which does not repeat the string, because it may have a password. The same holds for the two
 *   functions below.
 */
export function redisAddress(text: string): RedisAddress {
  return read('redis://user:password@host:port/database, or rediss: for TLS', () => server(text));
}

/** Reads `redis+cluster://user:password@host:port,host:port`. A cluster has no databases. */
export function clusterAddresses(text: string): RedisAddresses {
  return read('redis+cluster://user:password@host:port,host:port', () => {
    const {hosts, path} = servers(text, 6379);
    if (path !== '') throw new TypeError('Expected no database: a cluster has only one');
    return hosts;
  });
}

/** Reads `redis+sentinel://user:password@host:port,host:port/master/database`. The hosts are the sentinels. */
export function sentinelAddress(text: string): SentinelAddress {
  return read('redis+sentinel://user:password@host:port,host:port/master/database', () => {
    const {hosts, path} = servers(text, 26_379);
    const parts = /^(?<master>[^/]+)(?:\/(?<database>\d*))?$/.exec(path)?.groups;
    if (!parts) throw new TypeError('The name of the master is missing');
    return {
      sentinels: hosts,
      master: decodeURIComponent(parts['master'] ?? ''),
      database: Number(parts['database'] ?? 0),
    };
  });
}

function read<Address>(form: string, parse: () => Address): Address {
  return readString('Redis', form, parse);
}

function server(text: string): RedisAddress {
  const {protocol, hostname, port, username, password, pathname, searchParams, hash} = new URL(text);
  if (hash !== '') throw new TypeError('Expected no `#`');
  checkParameters(searchParams, parameters);
  const tls = protocol === 'rediss:' || protocol === 'valkeys:';
  if (!/^\/?\d*$/.test(pathname)) throw new TypeError('Expected the database to be a number');
  return {
    host: hostname.replace(/[[\]]/g, '') || 'localhost',
    port: port === '' ? 6379 : Number(port),
    tls,
    ...(isUnverified(searchParams.get('sslmode'), tls) && {rejectUnauthorized: false}),
    username: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
    database: Number(pathname.replace('/', '')),
  };
}

/** @throws {ConnectionStringError} for an unknown mode, and for one without TLS */
function isUnverified(mode: string | null, tls: boolean): boolean {
  if (mode === null) return false;
  if (tls && ['verify-full', 'no-verify'].includes(mode)) return mode === 'no-verify';
  throw new ConnectionStringError(
    'Expected `sslmode` in the Redis connection string of the store to be verify-full or no-verify, after rediss: or valkeys:',
  );
}

/** Parses each host separately, because `URL` takes one. An `@` or `/` in a password must be percent-encoded. */
function servers(text: string, defaultPort: number): {readonly hosts: RedisAddresses; readonly path: string} {
  const parts = /^([a-z]+)\+[a-z]+:\/\/([^/@]*@)?([^/@?#]+)(?:\/([^?#]*))?(\?[^#]*)?$/i.exec(text);
  if (!parts) throw new TypeError('The hosts are missing');
  const [, scheme = '', access = '', list = '', path = '', query = ''] = parts;
  const hosts = list.split(',').map((host) => {
    const port = /:\d+$/.test(host) ? '' : `:${defaultPort}`;
    return server(`${scheme}://${access}${host}${port}/${query}`);
  });
  return {hosts: hosts as [RedisAddress, ...RedisAddress[]], path};
}
