import {setTimeout as delay} from 'node:timers/promises';
import {asError, type Deadline, noAnswer, within} from './deadline.ts';
import type {DriverSettings} from './driver.ts';
import {isMisplaced, isMoving, isReply, redisError} from './redis-error.ts';
import type {RedisConnection} from './redis.ts';

/** Between the starts of two attempts to connect, in milliseconds, if the first one succeeded. */
const minPause = 200;

/** An attempt to connect gets at least so long, in milliseconds: it takes several round trips. */
const minAttempt = 1000;

/** The pause before a command is sent again that a cluster refused because its keys are being moved, in milliseconds. */
const movingPause = 20;

/** A connected client: of one server, or of as many as it finds itself. */
export interface RedisClient {
  readonly isReady: boolean;
  /** Sends the command once, unless a server refuses it and names another; not at all once the deadline has expired. */
  send(key: string, command: readonly string[], deadline: Deadline): Promise<unknown>;
  /** Resolves when every server answers that commands may have to go to. */
  ping(): Promise<unknown>;
}

/**
 * Connects a client that does not reconnect by itself.
 *
 * @param signal ends the client with all its sockets, also those that are still being opened
 * @param onLost called when a connection is lost
 */
export type OpenClient = (signal: AbortSignal, onLost: (error: unknown) => void) => Promise<RedisClient>;

/**
 * Keeps a client connected. When a connection is lost, a reply does not come in time or a server takes no writes any
 * more, a new client is opened, which finds the servers anew; once it is connected it takes the place of the old one.
 * Whatever the old one was sent may still be answered.
 */
export class OwnRedisConnection implements RedisConnection {
  readonly isCluster: boolean;
  readonly #open: OpenClient;
  readonly #settings: DriverSettings;
  readonly #closed = new AbortController();
  /** Each ends a client. */
  readonly #clients = new Set<AbortController>();
  #client: RedisClient | undefined;
  #ending: AbortController | undefined;
  #attempt: Promise<RedisClient> | undefined;
  #attemptedAt = -Infinity;
  #isRenewing = false;
  #failure = new Error('The connection to Redis was lost');

  constructor(open: OpenClient, settings: DriverSettings & {readonly isCluster?: boolean}) {
    this.isCluster = settings.isCluster === true;
    this.#open = open;
    this.#settings = settings;
    void this.#renew();
  }

  send(key: string, command: readonly string[], deadline: Deadline): Promise<unknown> {
    return this.#use(deadline, (client) => sendUntilMoved(client, key, command, deadline));
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#use(deadline, (client) => client.ping());
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#client = undefined;
    for (const ending of this.#clients) this.#end(ending);
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async #use(deadline: Deadline, work: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    let client = this.#client;
    let isAnswered = false;
    deadline.onExpiry(() => {
      if (!isAnswered) this.#doubt(client, noAnswer(deadline.timeout));
    });
    try {
      if (client?.isReady !== true) client = await this.#connected();
      if (deadline.isExpired) throw noAnswer(deadline.timeout);
      return await work(client);
    } catch (error) {
      const failure = redisError(error);
      this.#doubt(client, failure);
      throw failure;
    } finally {
      isAnswered = true;
    }
  }

  /** Waits for an attempt that is under way; between two attempts the failure of the last one is known. */
  #connected(): Promise<RedisClient> {
    void this.#renew();
    if (this.#isClosed) return Promise.reject(new Error('The connection to Redis is closed'));
    return this.#attempt ?? Promise.reject(this.#failure);
  }

  #doubt(client: RedisClient | undefined, error: Error): void {
    if (client === undefined || client !== this.#client) return;
    if (isReply(error)) {
      if (isMisplaced(error)) void this.#renew();
      return;
    }
    this.#tell(error);
    void this.#renew();
  }

  #tell(error: Error): void {
    this.#failure = error;
    if (!this.#isClosed) this.#settings.onError(error);
  }

  /** Opens clients, with growing pauses, until all servers of one can be reached. */
  async #renew(): Promise<void> {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    let pause = this.#attemptedAt + minPause - performance.now();
    for (let retries = 0; ; retries += 1) {
      if (pause > 0) await delay(pause, undefined, {signal: this.#closed.signal}).catch(() => undefined);
      if (this.#isClosed) return;
      this.#attemptedAt = performance.now();
      this.#attempt = this.#connect().finally(() => {
        this.#attempt = undefined;
      });
      try {
        await within(this.#settings.timeout, (await this.#attempt).ping());
        this.#isRenewing = false;
        return;
      } catch (error) {
        this.#tell(redisError(error));
      }
      pause = retryDelay(retries);
    }
  }

  async #connect(): Promise<RedisClient> {
    const ending = new AbortController();
    this.#clients.add(ending);
    let client: RedisClient | undefined;
    const onLost = (error: unknown): void => {
      this.#doubt(client, redisError(error));
    };
    try {
      client = await within(Math.max(minAttempt, this.#settings.timeout), this.#open(ending.signal, onLost));
    } catch (error) {
      this.#end(ending);
      throw redisError(error);
    }
    const old = this.#ending;
    if (old)
      setTimeout(() => {
        this.#end(old);
      }, this.#settings.timeout).unref();
    this.#ending = ending;
    this.#client = client;
    return client;
  }

  #end(ending: AbortController): void {
    this.#clients.delete(ending);
    ending.abort();
  }
}

async function sendUntilMoved(
  client: RedisClient,
  key: string,
  command: readonly string[],
  deadline: Deadline,
): Promise<unknown> {
  for (;;) {
    try {
      return await client.send(key, command, deadline);
    } catch (error) {
      if (!isMoving(asError(error))) throw error;
      await delay(movingPause);
      if (deadline.isExpired) throw error;
    }
  }
}

/** The pause before another attempt to connect, in milliseconds: it grows to a second, and differs between processes. */
export function retryDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) + Math.random() * 100;
}
