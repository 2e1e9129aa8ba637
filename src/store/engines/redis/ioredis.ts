import type {OpenClient, RedisClient} from './connection.ts';
import {checkMaster} from './sentinel.ts';

/** The part of a client or a cluster of `ioredis` that is used here. */
export interface HostIoredis {
  readonly status: string;
  readonly options: object;
  duplicate(...values: never[]): unknown;
  call(...values: never[]): unknown;
}

interface Ioredis {
  readonly status: string;
  readonly options: {readonly sentinels?: unknown; readonly host?: string; readonly port?: number};
  duplicate(options: object): Ioredis;
  connect(): Promise<unknown>;
  disconnect(): void;
  /** Only names in small letters change the form of a reply. */
  call(name: string, ...rest: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
}

interface IoredisCluster extends Omit<Ioredis, 'duplicate'> {
  readonly isCluster: true;
  readonly slots: readonly unknown[];
  duplicate(nodes: readonly never[], options: object): IoredisCluster;
  nodes(role: 'master'): readonly Ioredis[];
}

/** Options of the host that would change the form of keys and replies, or send a command to a replica or again. */
const plain = {
  protocol: 2,
  replyMapping: 'legacy',
  keyPrefix: '',
  stringNumbers: false,
  readOnly: false,
  enableAutoPipelining: false,
  autoResendUnfulfilledCommands: false,
  reconnectOnError: null,
  lazyConnect: true,
} as const;

/** How to connect like a client or a cluster of `ioredis`, as `openLike` does; undefined for any other value. */
export function openLikeIoredis(value: object): {readonly open: OpenClient; readonly isCluster: boolean} | undefined {
  const {status, options, duplicate, call, isCluster} = value as Record<string, unknown>;
  if (typeof status !== 'string' || typeof options !== 'object' || options === null) return undefined;
  if (typeof duplicate !== 'function' || typeof call !== 'function') return undefined;
  if (isCluster === true) return {open: clusterLike(value as IoredisCluster), isCluster};
  return {open: serverLike(value as Ioredis), isCluster: false};
}

function serverLike(host: Ioredis): OpenClient {
  const never = {retryStrategy: null, sentinelRetryStrategy: null, role: 'master', enableOfflineQueue: false};
  return async (signal, onLost) => {
    signal.throwIfAborted();
    const client = host.duplicate({...plain, ...never});
    client.on('end', () => {
      onLost(new Error('The connection was closed'));
    });
    await connect(client, 'error', signal, onLost);
    if (host.options.sentinels !== undefined && host.options.sentinels !== null) {
      await checkMaster(() => client.call('ROLE'));
    }
    return {
      get isReady() {
        return client.status === 'ready';
      },
      send: (_key, [name = '', ...rest]) => client.call(name, ...rest),
      masters: async () => [masterOf(client)],
      isWhole: true,
    };
  };
}

/** A node's client queues what it gets while it connects. A write that it sends then carries its deadline to the server. */
function clusterLike(host: IoredisCluster): OpenClient {
  const never = {
    clusterRetryStrategy: null,
    clusterNodeRetryStrategy: undefined,
    enableOfflineQueue: true,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    scaleReads: 'master',
    redisOptions: plain,
  };
  return async (signal, onLost): Promise<RedisClient> => {
    signal.throwIfAborted();
    const cluster = host.duplicate([], {...plain, ...never});
    await connect(cluster, 'node error', signal, onLost);
    return {
      get isReady() {
        return cluster.status === 'ready';
      },
      send: (_key, [name = '', ...rest]) => cluster.call(name, ...rest),
      masters: async () => cluster.nodes('master').map(masterOf),
      get isWhole() {
        return cluster.slots.length > 0 && !cluster.slots.includes(undefined);
      },
    };
  };
}

/** Rejects with the reason, which a client only emits. */
async function connect(
  client: Pick<Ioredis, 'connect' | 'disconnect' | 'on'>,
  lost: string,
  signal: AbortSignal,
  onLost: (error: unknown) => void,
): Promise<void> {
  let reason: unknown;
  const note = (error: unknown): void => {
    reason ??= error;
  };
  for (const event of new Set(['error', lost])) client.on(event, note);
  client.on(lost, onLost);
  signal.addEventListener('abort', () => {
    client.disconnect();
  });
  await client.connect().catch((error: unknown) => {
    throw reason ?? error;
  });
}

function masterOf(client: Ioredis): {name: string; send: (command: readonly string[]) => Promise<unknown>} {
  const {host, port} = client.options;
  return {name: `${String(host)}:${String(port)}`, send: ([name = '', ...rest]) => client.call(name, ...rest)};
}
