import {performance} from 'node:perf_hooks';
import {setTimeout as delay} from 'node:timers/promises';
import {clientOf, connectedTo, endedBy, type NodeRedisClient, type NodeRedisCluster, offline} from './client.ts';
import type {OpenClient} from './connection.ts';
import {openLikeIoredis} from './ioredis.ts';
import {checkMaster} from './sentinel.ts';

/** The part of a client of the package `redis` that is used here. */
export interface HostRedisClient {
  readonly isOpen: boolean;
  readonly options: object;
  duplicate(...values: never[]): unknown;
  sendCommand(...values: never[]): unknown;
}

/** The part of a cluster client of the package `redis` that is used here. */
export interface HostRedisCluster {
  readonly isOpen: boolean;
  readonly slots: readonly unknown[];
  duplicate(...values: never[]): unknown;
  sendCommand(...values: never[]): unknown;
}

/** The part of a sentinel client of the package `redis` that is used here. */
export interface HostRedisSentinel {
  readonly isOpen: boolean;
  getSentinelNode(): unknown;
  sendCommand(...values: never[]): unknown;
}

interface NodeRedisSentinel {
  readonly isOpen: boolean;
  /**
   * Calls `work` with the client of the master. The types of the package have it, and do not call it internal. No other
   * method serves: the client that `use` leases has neither options nor `duplicate`, and `getMasterNode` gives an address
   * without the login. A client without it is refused.
   */
  _execute<Result>(isReadonly: boolean, work: (client: NodeRedisClient) => Promise<Result>): Promise<Result>;
}

/** Options of the host that would change the form of replies, or where they come from. */
const plain = {RESP: 2, commandOptions: {}, clientSideCache: undefined};

/**
 * How to connect like a client, a cluster or a sentinel client of the host: to its servers, with its login and its other
 * options. The connection is our own, because a client of the host may send a command again after a lost connection. Only a
 * sentinel client of the host has to be connected at some time. Undefined for any other value.
 */
export function openLike(value: object): {readonly open: OpenClient; readonly isCluster: boolean} | undefined {
  const {isOpen, duplicate, sendCommand, nodeClient, options, getSentinelNode, _execute} = value as Record<
    string,
    unknown
  >;
  if (typeof isOpen !== 'boolean' || typeof sendCommand !== 'function') return openLikeIoredis(value);
  if (typeof getSentinelNode === 'function' && typeof _execute === 'function')
    return {open: masterLike(value as unknown as NodeRedisSentinel), isCluster: false};
  if (typeof duplicate !== 'function') return undefined;
  if (typeof nodeClient === 'function') return {open: clusterLike(value as NodeRedisCluster), isCluster: true};
  if (typeof options !== 'object' || options === null) return undefined;
  return {open: serverLike(value as NodeRedisClient), isCluster: false};
}

function serverLike(host: NodeRedisClient): OpenClient {
  return (signal, onLost) => {
    const socket = {...host.options.socket, ...endedBy(signal)};
    return connectedTo(host.duplicate({...plain, ...offline, maintNotifications: 'disabled', socket}), onLost);
  };
}

/**
 * The options of the nodes are not public. So the client of a node connects again by itself. A write that it sends then
 * carries its deadline to the server.
 */
function clusterLike(host: NodeRedisCluster): OpenClient {
  return async (signal, onLost) => {
    signal.throwIfAborted();
    const cluster = host.duplicate({...plain, minimizeConnections: true, useReplicas: false});
    let reason: unknown;
    cluster.on('error', (error) => (reason = error));
    cluster.on('node-error', onLost);
    signal.addEventListener('abort', () => {
      cluster.destroy();
    });
    await cluster.connect().catch((error: unknown) => {
      throw reason ?? error;
    });
    return clientOf(cluster);
  };
}

/** How long the host has to connect its sentinel client, in milliseconds: less than an attempt to connect takes. */
const patience = 500;

/**
 * The sentinel client of the host names the master and has its options, once it is connected. That is left to the host,
 * because the second call of its `connect` fails.
 */
function masterLike(host: NodeRedisSentinel): OpenClient {
  return async (signal, onLost) => {
    for (const end = performance.now() + patience; !host.isOpen;) {
      if (performance.now() > end) throw new Error('The sentinel client is not connected');
      await delay(20, undefined, {signal});
    }
    const open = await host._execute(false, (master) => Promise.resolve(serverLike(master)));
    const client = await open(signal, onLost);
    const [master] = await client.masters();
    await checkMaster(async () => master?.send(['ROLE']));
    return client;
  };
}
