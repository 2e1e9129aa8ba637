import type {Driver, DriverSettings} from './driver.ts';
import {redisAddress, redisAddresses} from './redis-address.ts';
import {clientOf} from './redis-client.ts';
import {ClusterConnection} from './redis-cluster.ts';
import {OwnRedisConnection} from './redis-connection.ts';
import {sentinelAddress, SentinelConnection} from './redis-sentinel.ts';
import {RedisDriver} from './redis.ts';

const clusterForm = 'redis+cluster://user:password@host:port,host:port';
const sentinelForm = 'redis+sentinel://user:password@host:port,host:port/master/database';

export function redisDriver(text: string, settings: DriverSettings): Driver {
  const address = redisAddress(text);
  return new RedisDriver(new OwnRedisConnection(() => clientOf(address, settings.timeout), settings));
}

/** The hosts are some nodes of the cluster; the others are asked for. A cluster has no databases. */
export function clusterDriver(text: string, settings: DriverSettings): Driver {
  const addresses = redisAddresses(text, 6379, clusterForm);
  if (addresses.path.length > 0) {
    throw new TypeError(`The connection string of the store is malformed: expected ${clusterForm}`);
  }
  return new RedisDriver(new ClusterConnection(addresses, settings));
}

/** The hosts are the sentinels; the password is the servers', and theirs if they want one. */
export function sentinelDriver(text: string, settings: DriverSettings): Driver {
  const addresses = redisAddresses(text, 26_379, sentinelForm);
  return new RedisDriver(new SentinelConnection(sentinelAddress(addresses, sentinelForm), settings));
}
