import type {Driver, DriverSettings} from './driver.ts';
import {redisAddress, redisAddresses, sentinelAddress} from './redis-address.ts';
import {openClusterAt, openServer} from './redis-client.ts';
import {OwnRedisConnection} from './redis-connection.ts';
import {openMaster} from './redis-sentinel.ts';
import {RedisDriver} from './redis.ts';

const clusterForm = 'redis+cluster://user:password@host:port,host:port';
const sentinelForm = 'redis+sentinel://user:password@host:port,host:port/master/database';

export function redisDriver(text: string, settings: DriverSettings): Driver {
  return new RedisDriver(new OwnRedisConnection(openServer(redisAddress(text)), settings));
}

/** The hosts are some nodes of the cluster; the client finds the others. A cluster has no databases. */
export function clusterDriver(text: string, settings: DriverSettings): Driver {
  const addresses = redisAddresses(text, 6379, clusterForm);
  if (addresses.path.length > 0) {
    throw new TypeError(`The connection string of the store is malformed: expected ${clusterForm}`);
  }
  return new RedisDriver(new OwnRedisConnection(openClusterAt(addresses), {...settings, isCluster: true}));
}

/** The hosts are the sentinels. The password is that of the servers; a sentinel gets it only if it requires one. */
export function sentinelDriver(text: string, settings: DriverSettings): Driver {
  const address = sentinelAddress(redisAddresses(text, 26_379, sentinelForm), sentinelForm);
  return new RedisDriver(new OwnRedisConnection(openMaster(address), settings));
}
