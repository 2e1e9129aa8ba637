import {setMaxListeners} from 'node:events';
import {importPackage} from './failure.ts';
import type {RedisAddress, RedisAddresses} from './redis-address.ts';
import type {OpenClient} from './redis-connection.ts';

/** What we use of a node-redis client: any copy of the package will do. */
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

/** What we use of a node-redis client of a cluster. */
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

/** A host's options that would queue commands, cache replies or make them something else than text. */
const plain = {disableOfflineQueue: true, commandOptions: {}, clientSideCache: undefined};

/** Never connected: `createClient` makes a class for each set of options, which takes longer than many a request. */
let template: NodeRedisClient | undefined;
let clusterTemplate: NodeRedisCluster | undefined;

/** Connects to one server with the client that `@keyv/redis` brings; it speaks to Redis and to Valkey. */
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
    // Each socket listens to it.
    setMaxListeners(0, signal);
    const socket = {...like.options.socket, ...options.socket, reconnectStrategy: false, signal};
    const client = like.duplicate({...options, ...plain, socket});
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
    // A node that does not know its own name has the one under which the cluster is known.
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
 * Connects another client like the given one of a cluster. Such a client looks for the nodes anew only when one says
 * `MOVED`, which a dead one never does; a new client looks before anything else.
 */
export function openCluster(like: NodeRedisCluster, options = like._options): OpenClient {
  const {rootNodes, defaults} = options;
  let last: NodeRedisCluster | undefined;
  let roots = rootNodes;
  return async (signal, onLost) => {
    signal.throwIfAborted();
    // Each socket listens to it.
    setMaxListeners(0, signal);
    const cluster = like.duplicate({
      ...options,
      rootNodes: roots,
      defaults: {...defaults, ...plain, socket: {...defaults?.socket, reconnectStrategy: false, signal}},
      commandOptions: {},
      clientSideCache: undefined,
      minimizeConnections: true,
      useReplicas: false,
    });
    let reason: unknown;
    cluster.on('error', (error) => (reason = error));
    cluster.on('node-error', onLost);
    await cluster.connect().catch((error: unknown) => {
      // The nodes that it had last may be there where those that the host knows are not.
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
