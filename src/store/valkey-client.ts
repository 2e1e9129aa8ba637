import {type MakeClient, retryDelay} from './redis-client.ts';
import type {RedisClient} from './redis-link.ts';

/** What we use of a client of the package iovalkey, which `@keyv/valkey` brings. */
export interface ValkeyClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: {readonly redisOptions?: object};
  duplicate(options: object): ValkeyClient;
  duplicate(nodes: readonly never[], options: object): ValkeyClient;
  connect(): Promise<unknown>;
  disconnect(): void;
  call(...command: readonly string[]): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
}

/**
 * Makes connections as the host's is, address, password and prefix, with one difference. By default this client keeps
 * commands while it is offline, and sends those again whose reply it has missed; both could carry out a write that was
 * answered 503, or one write twice.
 */
export function valkeyClientOf(host: ValkeyClient, timeout: number): MakeClient {
  const options = {
    lazyConnect: true,
    connectTimeout: timeout,
    disconnectTimeout: timeout,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
    maxRetriesPerRequest: 0,
    retryStrategy: retryDelay,
  };
  const clusterOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: 1000,
    clusterRetryStrategy: retryDelay,
    redisOptions: {...host.options.redisOptions, ...options},
  };
  return () =>
    new LinkableValkeyClient(host.isCluster === true ? host.duplicate([], clusterOptions) : host.duplicate(options));
}

/** Gives that client the face of a node-redis client. */
class LinkableValkeyClient implements RedisClient {
  readonly options = {disableOfflineQueue: true};
  readonly #client: ValkeyClient;

  constructor(client: ValkeyClient) {
    this.#client = client;
  }

  get isOpen(): boolean {
    return this.#client.status !== 'wait' && this.#client.status !== 'end';
  }

  get isReady(): boolean {
    return this.#client.status === 'ready';
  }

  connect(): Promise<unknown> {
    return this.#client.connect();
  }

  destroy(): void {
    this.#client.disconnect();
  }

  sendCommand([name = '', ...rest]: readonly string[]): Promise<unknown> {
    // It knows which parts are keys, to prefix and to route them, only of names in lower case.
    return this.#client.call(name.toLowerCase(), ...rest);
  }

  on(event: string, listener: (error: unknown) => void): void {
    this.#client.on(event, listener);
    if (event === 'error') this.#client.on('close', listener);
  }

  off(event: string, listener: (error: unknown) => void): void {
    this.#client.off(event, listener);
    if (event === 'error') this.#client.off('close', listener);
  }
}
