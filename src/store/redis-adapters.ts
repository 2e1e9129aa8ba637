import type {KeyvStoreAdapter} from 'keyv';
import type {AdapterDriver} from './adapters.ts';
import type {DriverSettings} from './driver.ts';
import {
  BorrowedClusterConnection,
  BorrowedSentinelConnection,
  type RedisClusterClient,
  type RedisSentinelClient,
} from './redis-borrowed.ts';
import {BorrowedRedisConnection, keysPerCommand, OwnRedisConnection} from './redis-connection.ts';
import type {RedisClient} from './redis-link.ts';
import {RedisDriver, type RedisConnection} from './redis.ts';
import {type ValkeyClient, valkeyClientOf} from './valkey-client.ts';

type AnyClient = Partial<RedisClient & RedisClusterClient & RedisSentinelClient> & {readonly getSentinelNode?: unknown};

/** An adapter of `@keyv/redis`, over a client of one server, of a cluster or of sentinels. */
export function redisAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {client, createKeyPrefix} = adapter as {
    client?: AnyClient;
    createKeyPrefix?: (key: string, namespace?: string) => string;
  };
  if (!client || typeof createKeyPrefix !== 'function' || typeof client.sendCommand !== 'function') return undefined;
  const connection = connectionOver(client, settings);
  if (!connection) return undefined;
  // As it is now: another Keyv instance over the same adapter would change it, and all links would be gone.
  const prefix = createKeyPrefix.call(adapter, '', adapter.namespace);
  return {driver: new RedisDriver(connection), adapterKey: (key) => prefix + key};
}

function connectionOver(client: AnyClient, settings: DriverSettings): RedisConnection | undefined {
  if (client.getSentinelNode !== undefined)
    return new BorrowedSentinelConnection(client as RedisSentinelClient, settings);
  if (client.slots !== undefined) return new BorrowedClusterConnection(client as RedisClusterClient, settings);
  if (typeof client.isReady !== 'boolean') return undefined;
  return new BorrowedRedisConnection(client as RedisClient, settings);
}

/** An adapter of `@keyv/valkey`. */
export function valkeyAdapter(adapter: KeyvStoreAdapter, settings: DriverSettings): AdapterDriver | undefined {
  const {redis, _getKeyName: keyName} = adapter as {
    redis?: Partial<ValkeyClient>;
    _getKeyName?: (key: string) => string;
  };
  if (typeof redis?.duplicate !== 'function' || typeof redis.call !== 'function') return undefined;
  if (typeof keyName !== 'function') return undefined;
  const prefix = keyName('');
  const client = redis as ValkeyClient;
  const connection = new OwnRedisConnection(async () => valkeyClientOf(client, settings.timeout), {
    ...settings,
    keysPerCommand: client.isCluster === true ? 1 : keysPerCommand,
  });
  return {driver: new RedisDriver(connection), adapterKey: (key) => prefix + key};
}
