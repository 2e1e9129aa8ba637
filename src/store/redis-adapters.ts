import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver} from './adapters.ts';
import type {DriverSettings} from './driver.ts';
import {type NodeRedisClient, type NodeRedisCluster, openClient, openCluster} from './redis-client.ts';
import {OwnRedisConnection} from './redis-connection.ts';
import {RedisDriver} from './redis.ts';
import {openValkey, type ValkeyClient} from './valkey-client.ts';

/**
 * An adapter of `@keyv/redis`, over a client of one server or of a cluster.
 *
 * @throws {TypeError} for a client that cannot be opened a second time
 */
export function redisAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {client, createKeyPrefix} = adapter as {
    client?: Partial<NodeRedisClient & NodeRedisCluster>;
    createKeyPrefix?: (key: string, namespace?: string) => string;
  };
  if (!client || typeof createKeyPrefix !== 'function' || typeof client.sendCommand !== 'function') return undefined;
  // Read once: another Keyv instance over the same adapter changes the prefix, and no link would be found any more.
  const prefix = createKeyPrefix.call(adapter, '', adapter.namespace);
  const connection = connectionLike(client, settings);
  return {driver: new RedisDriver(connection), adapterKey: (key) => prefix + key};
}

function connectionLike(
  client: Partial<NodeRedisClient & NodeRedisCluster>,
  settings: DriverSettings,
): OwnRedisConnection {
  if (typeof client.duplicate === 'function') {
    if (client._options?.rootNodes) {
      return new OwnRedisConnection(openCluster(client as NodeRedisCluster), {...settings, isCluster: true});
    }
    if (client.options) return new OwnRedisConnection(openClient(client as NodeRedisClient), settings);
  }
  throw new TypeError(
    'Expected the Redis client of the store to be one that can be opened a second time, of a server or a cluster, ' +
      'got another one, such as of sentinels: pass redis+sentinel://user:password@host:port,host:port/master instead',
  );
}

/** An adapter of `@keyv/valkey`, over a client of one server, of sentinels or of a cluster. */
export function valkeyAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {redis, _getKeyName: keyName} = adapter as {
    redis?: Partial<ValkeyClient>;
    _getKeyName?: (key: string) => string;
  };
  if (typeof redis?.duplicate !== 'function' || typeof redis.call !== 'function') return undefined;
  if (typeof keyName !== 'function') return undefined;
  const prefix = keyName('');
  const isCluster = redis.isCluster === true;
  const connection = new OwnRedisConnection(openValkey(redis as ValkeyClient), {...settings, isCluster});
  return {driver: new RedisDriver(connection), adapterKey: (key) => prefix + key};
}
