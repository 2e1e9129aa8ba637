import {setMaxListeners} from 'node:events';
import {importPackage} from './failure.ts';
import type {RedisAddress, RedisAddresses} from './redis-address.ts';
import type {OpenClient} from './redis-connection.ts';

/** The part of a node-redis client that is used here. A host's client may come from another copy of the package. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  readonly options: {readonly socket?: {readonly host?: string; readonly port?: number}};
  duplicate(options: object): NodeRedisClient;
  connect(): Promise<unknown>;
  sendCommand(command: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

interface Node {
  readonly client?: NodeRedisClient;
}

/** The part of a node-redis cluster client that is used here. */
export interface NodeRedisCluster {
  readonly isOpen: boolean;
  readonly masters: readonly Node[];
  readonly slots: readonly unknown[];
  readonly _options: {readonly rootNodes: readonly object[]; readonly defaults?: {readonly socket?: object}};
  duplicate(options: object): NodeRedisCluster;
  connect(): Promise<unknown>;
  nodeClient(node: Node): Promise<NodeRedisClient>;
  sendCommand(key: string, isReadonly: boolean, command: readonly string[], options: object): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

/** Instead of a host's options, which may queue commands, cache replies or decode them to something else than text. */
const plainOptions = {disableOfflineQueue: true, commandOptions: {}, clientSideCache: undefined};

/** Only duplicated, never connected: `createClient` makes a class for each set of options, which is slow. */
let template: NodeRedisClient | undefined;
let clusterTemplate: NodeRedisCluster | undefined;

/** Connects to one server, of Redis or Valkey, with the client that `@keyv/redis` depends on. */
export function openServer({host, port, tls, ...access}: RedisAddress): OpenClient {
  return async (signal, onLost) => {
    if (!template) {
      const {createClient} = await importPackage('@keyv/redis', () => import('@keyv/redis'));
      template = createClient() as unknown as NodeRedisClient;
    }
    return openClient(template, {...access, socket: {host, port, tls}})(signal, onLost);
  };
}

/**
 * Connects another client like the given one.
 *
 * @param options instead of the client's own
 */
export function openClient(like: NodeRedisClient, options: {readonly socket?: object} = {}): OpenClient {
  return async (signal, onLost) => {
    signal.throwIfAborted();
    // Every socket of the client listens to the signal.
    setMaxListeners(0, signal);
    const socket = {...like.options.socket, ...options.socket, reconnectStrategy: false, signal};
    const client = like.duplicate({...options, ...plainOptions, socket});
    client.on('error', onLost);
    await client.connect();
    return {
      get isReady() {
        return client.isReady;
      },
      send: (_key, command) => client.sendCommand(command),
      ping: () => client.sendCommand(['PING']),
    };
  };
}

/** Connects to a cluster of which some nodes are known. */
export function openClusterAt({hosts}: RedisAddresses): OpenClient {
  const [{host: first, tls, username, password}] = hosts;
  const options = {
    rootNodes: hosts.map(({host, port}) => ({socket: {host, port}})),
    defaults: {username, password, socket: {tls}},
    // A node that does not know its own host is reached at the first host of the connection string.
    nodeAddressMap: (address: string) => {
      const port = /^(?:null|\?)?:(\d+)$/.exec(address)?.[1];
      return port === undefined ? undefined : {host: first, port: Number(port)};
    },
  };
  let open: OpenClient | undefined;
  return async (signal, onLost) => {
    if (!clusterTemplate) {
      const {createCluster} = await importPackage('@keyv/redis', () => import('@keyv/redis'));
      clusterTemplate = createCluster({rootNodes: []}) as unknown as NodeRedisCluster;
    }
    open ??= openCluster(clusterTemplate, options);
    return open(signal, onLost);
  };
}

/**
 * Connects another client like the given one of a cluster. node-redis asks for the nodes again only after the reply
 * `MOVED`, which a dead node never sends. A new client asks for them when it connects.
 */
export function openCluster(like: NodeRedisCluster, options = like._options): OpenClient {
  const {rootNodes, defaults} = options;
  let last: NodeRedisCluster | undefined;
  let roots = rootNodes;
  return async (signal, onLost) => {
    signal.throwIfAborted();
    // Every socket of the client listens to the signal.
    setMaxListeners(0, signal);
    const cluster = like.duplicate({
      ...options,
      rootNodes: roots,
      defaults: {...defaults, ...plainOptions, socket: {...defaults?.socket, reconnectStrategy: false, signal}},
      commandOptions: {},
      clientSideCache: undefined,
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
    return {
      get isReady() {
        return cluster.isOpen;
      },
      send: (key, command, deadline) => cluster.sendCommand(key, false, command, {abortSignal: deadline.signal}),
      ping: async () => {
        if (cluster.slots.includes(undefined)) throw new Error('Some slots of the cluster have no node');
        await Promise.all(
          cluster.masters.map(async (master) => (await cluster.nodeClient(master)).sendCommand(['PING'])),
        );
      },
    };
  };
}

function addressOf({options}: NodeRedisClient): object {
  return {socket: {host: options.socket?.host, port: options.socket?.port}};
}
