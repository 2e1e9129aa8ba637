import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver, Driver, DriverSettings} from '../driver.ts';
import {
  type NodeRedisClient,
  type NodeRedisCluster,
  openClient,
  openCluster,
  openClusterAt,
  openServer,
  type RedisAddress,
  type RedisAddresses,
} from './client.ts';
import {type OpenClient, RedisConnection} from './connection.ts';
import {RedisDriver} from './driver.ts';
import {openMaster, type SentinelAddress} from './sentinel.ts';
import {openValkey, type ValkeyClient} from './valkey-client.ts';

export function openRedis(text: string, settings: DriverSettings): Driver {
  return driverOver(openServer(redisAddress(text)), settings);
}

export function openRedisCluster(text: string, settings: DriverSettings): Driver {
  return driverOver(openClusterAt(clusterAddresses(text)), settings, true);
}

export function openRedisSentinel(text: string, settings: DriverSettings): Driver {
  return driverOver(openMaster(sentinelAddress(text)), settings);
}

/**
 * Opens a connection for an adapter of `@keyv/redis` with a client of one server or of a cluster.
 *
 * @throws {TypeError} for a client that cannot be opened a second time, or a prefix that a cluster cannot have
 */
export function openRedisAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {client, createKeyPrefix} = adapter as {
    client?: Partial<NodeRedisClient & NodeRedisCluster>;
    createKeyPrefix?: (key: string, namespace?: string) => string;
  };
  if (!client || typeof createKeyPrefix !== 'function' || typeof client.sendCommand !== 'function') return undefined;
  // Read once, because another Keyv instance over the same adapter changes the prefix, and all links would be lost.
  const keyPrefix = createKeyPrefix.call(adapter, '', adapter.namespace);
  const isCluster = client._options?.rootNodes !== undefined;
  if (typeof client.duplicate !== 'function' || !(isCluster || client.options)) {
    throw new TypeError(
      'Expected the Redis client of the store to be one that can be opened a second time, of a server or a cluster, ' +
        'got another one, such as of sentinels: pass redis+sentinel://user:password@host:port,host:port/master instead',
    );
  }
  if (isCluster) refuseOpenBrace(keyPrefix);
  const open = isCluster ? openCluster(client as NodeRedisCluster) : openClient(client as NodeRedisClient);
  return {driver: driverOver(open, settings, isCluster), keyPrefix};
}

/**
 * Opens a connection for an adapter of `@keyv/valkey` with a client of one server, of sentinels or of a cluster.
 *
 * @throws {TypeError} for a prefix that a cluster cannot have
 */
export function openValkeyAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {redis, _getKeyName: keyName} = adapter as {
    redis?: Partial<ValkeyClient>;
    _getKeyName?: (key: string) => string;
  };
  if (typeof redis?.duplicate !== 'function' || typeof redis.call !== 'function') return undefined;
  if (typeof keyName !== 'function') return undefined;
  const keyPrefix = keyName('');
  const isCluster = redis.isCluster === true;
  // The client puts its own prefix in front.
  if (isCluster) refuseOpenBrace(`${redis.options?.keyPrefix ?? ''}${keyPrefix}`);
  const driver = driverOver(openValkey(redis as ValkeyClient), settings, isCluster);
  return {driver, keyPrefix};
}

/**
 * On a cluster the node of a key depends on its first braces. An open or empty pair in the prefix would hide those of a
 * link and its counters, which would be on several nodes. A whole pair puts all keys on one node, which works.
 */
function refuseOpenBrace(keyPrefix: string): void {
  if (/^[^{]*(\{[^}]+\}|$)/.test(keyPrefix)) return;
  throw new TypeError(
    `Expected a key prefix without \`{\` for the store on Redis Cluster, got ${JSON.stringify(keyPrefix)}: change the ` +
      'namespace of the Keyv instance or adapter, its separator, or the key prefix of its client',
  );
}

function driverOver(open: OpenClient, settings: DriverSettings, isCluster = false): Driver {
  return new RedisDriver(new RedisConnection(open, {...settings, isCluster}));
}

/**
 * Reads `redis://user:password@host:port/database`, or `rediss:` for TLS. Everything but the scheme is optional.
 *
 * @throws {TypeError}, which does not repeat the string, because it may have a password. The same holds for the two
 *   functions below.
 */
export function redisAddress(text: string): RedisAddress {
  return read('redis://user:password@host:port/database, or rediss: for TLS, and no parameters', () => server(text));
}

/** Reads `redis+cluster://user:password@host:port,host:port`. A cluster has no databases. */
export function clusterAddresses(text: string): RedisAddresses {
  return read('redis+cluster://user:password@host:port,host:port', () => {
    const {hosts, path} = servers(text, 6379);
    if (path !== '') throw new TypeError('A cluster has no databases');
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
  try {
    return parse();
  } catch {
    throw new TypeError(`The Redis connection string of the store is malformed: expected ${form}`);
  }
}

function server(text: string): RedisAddress {
  const {protocol, hostname, port, username, password, pathname, search, hash} = new URL(text);
  if (search !== '' || hash !== '') throw new TypeError('There are no parameters');
  if (!/^\/?\d*$/.test(pathname)) throw new TypeError('A database is a number');
  return {
    host: hostname.replace(/[[\]]/g, '') || 'localhost',
    port: port === '' ? 6379 : Number(port),
    tls: protocol === 'rediss:' || protocol === 'valkeys:',
    username: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
    database: Number(pathname.replace('/', '')),
  };
}

/** Parses each host separately, because `URL` takes one. An `@` or `/` in a password must be percent-encoded. */
function servers(text: string, defaultPort: number): {readonly hosts: RedisAddresses; readonly path: string} {
  const parts = /^([a-z]+)\+[a-z]+:\/\/([^/@]*@)?([^/@?#]+)(?:\/([^?#]*))?$/i.exec(text);
  if (!parts) throw new TypeError('The hosts are missing');
  const [, scheme = '', access = '', list = '', path = ''] = parts;
  const hosts = list.split(',').map((host) => {
    const port = /:\d+$/.test(host) ? '' : `:${defaultPort}`;
    return server(`${scheme}://${access}${host}${port}`);
  });
  return {hosts: hosts as [RedisAddress, ...RedisAddress[]], path};
}
