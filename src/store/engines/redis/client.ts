import {setMaxListeners} from 'node:events';
import {importFailure} from '../../failing/failure.ts';
import type {OpenClient, RedisClient} from './connection.ts';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** False to trust any certificate. */
  readonly rejectUnauthorized?: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

/** Several servers with the same user and password. */
export type RedisAddresses = readonly [RedisAddress, ...RedisAddress[]];

export interface NodeRedisClient {
  readonly isReady: boolean;
  readonly options: {readonly socket?: {readonly host?: string; readonly port?: number}};
  duplicate(options: object): NodeRedisClient;
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

interface Node {
  readonly address?: string;
  readonly client?: NodeRedisClient;
}

export interface NodeRedisCluster {
  readonly isOpen: boolean;
  readonly masters: readonly Node[];
  readonly slots: readonly unknown[];
  duplicate(options: object): NodeRedisCluster;
  connect(): Promise<unknown>;
  destroy(): void;
  nodeClient(node: Node): Promise<NodeRedisClient>;
  sendCommand(key: string, isReadonly: boolean, command: readonly string[], options: object): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

interface NodeRedis {
  createClient(): NodeRedisClient;
  createCluster(options: object): NodeRedisCluster;
}

/** A client without a connection fails at once, because a queued command could be sent after its caller got an error. */
export const offline = {disableOfflineQueue: true};

/** Only duplicated, never connected, because `createClient` takes milliseconds to create a class. */
let template: NodeRedisClient | undefined;
let clusterTemplate: NodeRedisCluster | undefined;

/** Connects to one server, of Redis or Valkey, with the client that `@keyv/redis` depends on. */
export function openServer({host, port, tls, rejectUnauthorized, ...access}: RedisAddress): OpenClient {
  return async (signal, onLost) => {
    template ??= (await nodeRedis()).createClient();
    const client = template.duplicate({
      ...access,
      ...offline,
      socket: {host, port, tls, rejectUnauthorized, ...endedBy(signal)},
    });
    return connectedTo(client, onLost);
  };
}

export async function connectedTo(client: NodeRedisClient, onLost: (error: unknown) => void): Promise<RedisClient> {
  client.on('error', onLost);
  await client.connect();
  return {
    get isReady() {
      return client.isReady;
    },
    send: (_key, command) => client.sendCommand(command),
    masters: async () => [{name: '', send: (command) => client.sendCommand(command)}],
    isWhole: true,
  };
}

/**
 * Connects to a cluster of which some nodes are known. node-redis asks for the nodes again only after the reply `MOVED`,
 * which a dead node never sends. A new client asks for them when it connects.
 */
export function openClusterAt(nodes: RedisAddresses): OpenClient {
  const [{host: first, tls, rejectUnauthorized, username, password}] = nodes;
  const rootNodes: readonly object[] = nodes.map(({host, port}) => ({socket: {host, port}}));
  // A node that does not know its own host is reached at the first host of the connection string.
  const nodeAddressMap = (address: string): object | undefined => {
    const port = /^(?:null|\?)?:(\d+)$/.exec(address)?.[1];
    return port === undefined ? undefined : {host: first, port: Number(port)};
  };
  let last: NodeRedisCluster | undefined;
  let roots = rootNodes;
  return async (signal, onLost) => {
    clusterTemplate ??= (await nodeRedis()).createCluster({rootNodes: []});
    const cluster = clusterTemplate.duplicate({
      ...offline,
      rootNodes: roots,
      defaults: {...offline, username, password, socket: {tls, rejectUnauthorized, ...endedBy(signal)}},
      nodeAddressMap,
      minimizeConnections: true,
      useReplicas: false,
    });
    let reason: unknown;
    cluster.on('error', (error) => (reason = error));
    cluster.on('node-error', onLost);
    await cluster.connect().catch((error: unknown) => {
      // Nodes that the last client found may be up while all nodes of the configuration are down.
      const known = last?.masters.flatMap(({client}) => (client ? [addressOf(client)] : [])) ?? [];
      roots = roots === rootNodes && known.length > 0 ? known : rootNodes;
      throw reason ?? error;
    });
    last = cluster;
    return clientOf(cluster);
  };
}

export function clientOf(cluster: NodeRedisCluster): RedisClient {
  return {
    get isReady() {
      return cluster.isOpen;
    },
    send: (key, command, deadline) => cluster.sendCommand(key, false, command, {abortSignal: deadline.signal}),
    masters: () =>
      Promise.all(
        cluster.masters.map(async (master) => {
          const client = await cluster.nodeClient(master);
          return {name: String(master.address), send: (command: readonly string[]) => client.sendCommand(command)};
        }),
      ),
    get isWhole() {
      return !cluster.slots.includes(undefined);
    },
  };
}

async function nodeRedis(): Promise<NodeRedis> {
  try {
    return (await import('@keyv/redis')) as unknown as NodeRedis;
  } catch (error) {
    throw importFailure('@keyv/redis', error);
  }
}

/** Options of sockets that end with the signal alone, and are never opened again by the client. */
export function endedBy(signal: AbortSignal): object {
  signal.throwIfAborted();
  // Every socket of the client listens to the signal.
  setMaxListeners(0, signal);
  return {reconnectStrategy: false, connectTimeout: 0, signal};
}

function addressOf({options}: NodeRedisClient): object {
  return {socket: {host: options.socket?.host, port: options.socket?.port}};
}
