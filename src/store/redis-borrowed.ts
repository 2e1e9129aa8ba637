import {once} from 'node:events';
import type {DriverSettings} from './driver.ts';
import {asError, within} from './failure.ts';
import {Outages} from './outages.ts';
import {keysPerCommand} from './redis-connection.ts';
import {isReply, textReplies} from './redis-link.ts';
import {Lookup} from './redis-lookup.ts';
import {slotOf} from './redis-slots.ts';
import type {RedisConnection} from './redis.ts';

interface ManyServersClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
}

/** What we use of a node-redis client of a sentinel. */
export interface RedisSentinelClient extends ManyServersClient {
  sendCommand(isReadonly: boolean, command: readonly string[], options: object): Promise<unknown>;
}

/** What we use of a node-redis client of a cluster. */
export interface RedisClusterClient extends ManyServersClient {
  readonly masters: readonly unknown[];
  readonly slots: ReadonlyArray<{readonly master?: {readonly address: string}} | undefined>;
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean,
    command: readonly string[],
    options: object,
  ): Promise<unknown>;
}

/** A sentinel client of the host's. It finds the master itself, and is opened when it is needed. */
export class BorrowedSentinelConnection implements RedisConnection {
  readonly keysPerCommand = keysPerCommand;
  readonly #client: RedisSentinelClient;
  readonly #timeout: number;
  readonly #outages: Outages;

  constructor(client: RedisSentinelClient, {timeout, onError}: DriverSettings) {
    this.#client = client;
    this.#timeout = timeout;
    this.#outages = new Outages(onError);
  }

  async send(_key: string, command: readonly string[]): Promise<unknown> {
    try {
      const reply = await attempt(this.#timeout, async (signal) => {
        if (!this.#client.isOpen) await this.#client.connect();
        return this.#client.sendCommand(false, command, forOneTry(signal));
      });
      this.#outages.back('');
      return reply;
    } catch (error) {
      if (!isReply(error)) this.#outages.lost('', asError(error));
      throw error;
    }
  }

  async ping(): Promise<void> {
    await this.send('', ['PING']);
  }

  async close(): Promise<void> {
    // The client is the host's.
  }
}

/**
 * A cluster client of the host's, which is opened when it is needed. It looks for a new master only when a node says
 * `MOVED`, so after a failure we have any node asked for the key.
 */
export class BorrowedClusterConnection implements RedisConnection {
  readonly keysPerCommand = 1;
  readonly #client: RedisClusterClient;
  readonly #timeout: number;
  readonly #outages: Outages;
  readonly #lookup = new Lookup(() => this.#askAnyNode());
  #lostKey = '';

  constructor(client: RedisClusterClient, {timeout, onError}: DriverSettings) {
    this.#client = client;
    this.#timeout = timeout;
    this.#outages = new Outages(onError);
  }

  async send(key: string, command: readonly string[]): Promise<unknown> {
    const master = (): string => this.#client.slots[slotOf(key)]?.master?.address ?? '';
    try {
      const reply = await attempt(this.#timeout, async (signal) => {
        if (this.#client.masters.length === 0) await this.#connect(signal);
        return this.#client.sendCommand(key, false, command, {...textReplies, abortSignal: signal});
      });
      this.#outages.back(master());
      this.#outages.back('');
      return reply;
    } catch (error) {
      if (!isReply(error)) {
        this.#outages.lost(master(), asError(error));
        this.#lostKey = key;
        this.#lookup.run().catch(() => undefined);
      }
      throw error;
    }
  }

  async ping(): Promise<void> {
    if (this.#client.masters.length === 0) await attempt(this.#timeout, (signal) => this.#connect(signal));
    try {
      await Promise.all(this.#client.masters.map(() => this.#sendAnywhere(['PING'])));
    } catch (error) {
      this.#lookup.run().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    // The client is the host's.
  }

  async #connect(signal: AbortSignal): Promise<void> {
    if (this.#client.isOpen) await once(this.#client as never, 'connect', {signal});
    else await this.#client.connect();
  }

  async #askAnyNode(): Promise<void> {
    // The nodes take turns; one of them is the lost one.
    for (let left = this.#client.masters.length; left > 0; left -= 1) {
      const isTold = await this.#sendAnywhere(['EXISTS', this.#lostKey]).then(
        () => true,
        () => false,
      );
      if (isTold) return;
    }
  }

  #sendAnywhere(command: readonly string[]): Promise<unknown> {
    return attempt(this.#timeout, (signal) =>
      this.#client.sendCommand(undefined, true, command, {...textReplies, abortSignal: signal}),
    );
  }
}

/**
 * A sentinel client sends a command again when its connection was lost, even if it may have been carried out. It asks
 * for the signal at each try; from the second on it finds one that has been given.
 */
function forOneTry(signal: AbortSignal): object {
  let tries = 0;
  return {
    ...textReplies,
    get abortSignal(): AbortSignal {
      tries += 1;
      return tries === 1 ? signal : AbortSignal.abort();
    },
  };
}

/** Whatever such a client throws while it changes its servers, a `TypeError` included, is no fault of ours. */
function attempt(timeout: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const abort = new AbortController();
  return within(timeout, work(abort.signal)).catch((error: unknown) => {
    abort.abort();
    throw new Error(asError(error).message, {cause: error});
  });
}
