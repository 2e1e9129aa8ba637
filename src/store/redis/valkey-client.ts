import type {OpenClient} from './connection.ts';

/**
 * The part of an iovalkey client that is used here: of one server, of sentinels or of a cluster. `@keyv/valkey` depends
 * on that package.
 */
export interface ValkeyClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: {
    readonly redisOptions?: object;
    readonly keyPrefix?: string;
    readonly host?: string;
    readonly port?: number;
  };
  duplicate(options: object): ValkeyClient;
  duplicate(nodes: readonly never[], options: object): ValkeyClient;
  /** For each slot of a cluster the addresses of its master and replicas. */
  readonly slots?: ReadonlyArray<readonly string[] | undefined>;
  nodes(role: 'master'): readonly ValkeyClient[];
  connect(): Promise<unknown>;
  disconnect(): void;
  call(...command: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

/**
 * By default the client queues commands while it is offline, and resends those whose reply was lost. Either could execute
 * a write after its caller got 503, or execute it twice.
 */
const options = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  enableAutoPipelining: false,
  maxRetriesPerRequest: 0,
  retryStrategy: null,
  sentinelRetryStrategy: null,
  reconnectOnError: null,
  disconnectTimeout: 100,
};

const clusterOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  scaleReads: 'master',
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  clusterRetryStrategy: null,
};

/** Connects another client like the given one, with its address, password and prefix. */
export function openValkey(like: ValkeyClient): OpenClient {
  const isCluster = like.isCluster === true;
  const redisOptions = {...like.options.redisOptions, ...options};
  return async (signal, onLost) => {
    signal.throwIfAborted();
    const client = isCluster ? like.duplicate([], {...clusterOptions, redisOptions}) : like.duplicate(options);
    let reason: unknown = new Error('The connection was closed');
    client.on('error', (error) => (reason = error));
    client.on('node error', onLost);
    client.on('close', () => {
      onLost(reason);
    });
    signal.addEventListener('abort', () => {
      client.disconnect();
    });
    await client.connect().catch(() => {
      throw reason;
    });
    return {
      get isReady() {
        return client.status === 'ready';
      },
      // The client finds the keys of a command, to prefix and to route them, only if its name is in lower case.
      send: (_key, [name = '', ...rest]) => client.call(name.toLowerCase(), ...rest),
      masters: async () =>
        (isCluster ? client.nodes('master') : [client]).map((node) => ({
          name: isCluster ? `${node.options.host}:${node.options.port}` : '',
          send: ([name = '', ...rest]) => node.call(name.toLowerCase(), ...rest),
          keyPrefix: like.options.keyPrefix,
        })),
      ping: () => (isCluster ? pingCluster(client) : client.call('ping')),
    };
  };
}

async function pingCluster(cluster: ValkeyClient): Promise<void> {
  const masters = new Set(cluster.slots?.map((slot) => slot?.[0]));
  const nodes = cluster.nodes('master');
  // The client removes a node from its list when it loses the connection.
  if (nodes.length < masters.size) throw new Error('A node of the cluster is away');
  await Promise.all(nodes.map((node) => node.call('ping')));
}
