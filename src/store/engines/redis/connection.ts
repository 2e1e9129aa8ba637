import {performance} from 'node:perf_hooks';
import {setTimeout} from 'node:timers';
import {setTimeout as delay} from 'node:timers/promises';
import {asError, Deadline, noAnswer} from '../../failing/deadline.ts';
import type {DriverSettings} from '../../driver.ts';
import {clientError} from '../../failing/failure.ts';
import {clockOf, type RedisMaster, type RedisMasters} from './masters.ts';

/** The minimum time from the start of a successful attempt to connect to the next attempt, in milliseconds. */
const minPause = 200;

/** The minimum timeout of an attempt to connect, in milliseconds: it takes several round trips. */
const minConnectTimeout = 1000;

/** The pause before a retry of a command whose keys are being moved to another node, in milliseconds. */
const movingPause = 20;

/** The arguments that a server repeats in a message. Those of `AUTH` are the password. */
const repeatedArguments = /, with args beginning with:.*/s;

/** The prefix that Redis before version 7 adds to the error of a command in a script. The error's code follows it. */
const scriptPrefix = /^(?:ERR Error running script \(.*?\): )?(?:@user_script: ?\d+: )+-?([A-Z]{2,} )?/;

/** A connected client of one server, or of a cluster whose nodes it finds itself. */
export interface RedisClient {
  readonly isReady: boolean;
  /** Sends the command, and again only if a server refuses it and names another one; never after the deadline. */
  send(key: string, command: readonly string[], deadline: Deadline): Promise<unknown>;
  /** Every server that has keys. */
  masters(): Promise<readonly RedisMaster[]>;
  /** Whether every slot of the cluster has a node. */
  readonly isWhole: boolean;
}

/**
 * Connects a client that does not reconnect by itself.
 *
 * @param signal ends the client with all its sockets, also those that are still being opened
 * @param onLost called when a connection is lost
 */
export type OpenClient = (signal: AbortSignal, onLost: (error: unknown) => void) => Promise<RedisClient>;

/**
 * A connection to one server, or to a cluster. When a socket is lost, a reply is late or a server has become a replica,
 * it opens a new client, which looks for the servers again. Once connected, the new client replaces the old one. Replies
 * to commands that the old one has sent are still passed on.
 */
export class RedisConnection {
  /** Whether the keys are spread over nodes, so that one command may only name keys of one hash tag. */
  readonly isCluster: boolean;
  readonly #open: OpenClient;
  readonly #settings: DriverSettings;
  readonly #closed = new AbortController();
  /** One for each open client: aborting it ends the client. */
  readonly #endings = new Set<AbortController>();
  #client: RedisClient | undefined;
  readonly #clocks = new WeakMap<RedisClient, ServerClock>();
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

  /**
   * Sends a command on `key` and resolves with the reply. A command is not sent after the deadline, and not sent again
   * if it may have been executed.
   */
  send(key: string, command: readonly string[], deadline: Deadline): Promise<unknown> {
    return this.#use(deadline, (client) => sendUntilMoved(client, key, command, deadline));
  }

  /**
   * Sends a command that writes to `key`, as `send` does. The server refuses it after the deadline.
   *
   * @param commandOf gets the deadline by the server's clock, in milliseconds; empty if that clock cannot be read
   */
  write(key: string, commandOf: (expiry: string) => readonly string[], deadline: Deadline): Promise<unknown> {
    return this.#use(deadline, async (client) => {
      for (;;) {
        const clock = this.#clocks.get(client) ?? new ServerClock(client);
        this.#clocks.set(client, clock);
        const command = commandOf(clock.at(deadline.expiry) ?? (await clock.whenRead(deadline)));
        try {
          return await sendUntilMoved(client, key, command, deadline);
        } catch (error) {
          // It changed nothing. The server's clock was set, or the process was not there between making and sending it.
          if (!isLate(asError(error)) || performance.now() >= deadline.expiry) throw error;
          if (this.#clocks.get(client) === clock) this.#clocks.delete(client);
        }
      }
    });
  }

  async withMasters<Result>(work: (servers: RedisMasters) => Promise<Result>, deadline: Deadline): Promise<Result> {
    const {isCluster} = this;
    const renew = (): void => void this.#renew();
    return (await this.#use(deadline, async (client) =>
      work({masters: await client.masters(), isCluster, client, renew}),
    )) as Result;
  }

  /** Resolves when every server that may get commands has answered. */
  async ping(deadline: Deadline): Promise<void> {
    await this.#use(deadline, pinged);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#client = undefined;
    for (const ending of this.#endings) this.#end(ending);
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  async #use(deadline: Deadline, work: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    let client = this.#client;
    let isSettled = false;
    deadline.onExpiry(() => {
      if (!isSettled) this.#handleFailure(client, noAnswer(deadline.timeout));
    });
    try {
      if (client?.isReady !== true) client = await this.#connected();
      if (deadline.isExpired) throw noAnswer(deadline.timeout);
      return await work(client);
    } catch (error) {
      const failure = plainError(error);
      this.#handleFailure(client, failure);
      throw failure;
    } finally {
      isSettled = true;
    }
  }

  /** Waits for the current attempt to connect. Between two attempts, rejects with the last failure. */
  #connected(): Promise<RedisClient> {
    void this.#renew();
    if (this.#isClosed) return Promise.reject(new Error('The connection to Redis is closed'));
    return this.#attempt ?? Promise.reject(this.#failure);
  }

  #handleFailure(client: RedisClient | undefined, error: Error): void {
    if (client === undefined || client !== this.#client) return;
    if (isReply(error)) {
      if (isMisplaced(error)) void this.#renew();
      return;
    }
    this.#failure = error;
    void this.#renew();
  }

  /**
   * Opens clients, with growing pauses, until one reaches all of its servers. Only failed attempts are reported. A lost
   * connection is not: a server may close an idle one, and the caller of a failed command reports it.
   */
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
        await new Deadline(this.#settings.timeout).bound(pinged(await this.#attempt));
        this.#isRenewing = false;
        return;
      } catch (error) {
        this.#failure = plainError(error);
        if (!this.#closed.signal.aborted) this.#settings.onError(this.#failure);
      }
      pause = retryDelay(retries);
    }
  }

  async #connect(): Promise<RedisClient> {
    const ending = new AbortController();
    this.#endings.add(ending);
    let client: RedisClient | undefined;
    const onLost = (error: unknown): void => {
      this.#handleFailure(client, plainError(error));
    };
    try {
      const deadline = new Deadline(Math.max(minConnectTimeout, this.#settings.timeout));
      client = await deadline.bound(this.#open(ending.signal, onLost));
    } catch (error) {
      this.#end(ending);
      throw plainError(error);
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
    this.#endings.delete(ending);
    ending.abort();
  }
}

async function pinged(client: RedisClient): Promise<void> {
  if (!client.isWhole) throw new Error('Some slots of the cluster have no node');
  const masters = await client.masters();
  await Promise.all(masters.map((master) => master.send(['PING'])));
}

/**
 * The clock of the servers, read with the first write. The nodes of a cluster have several clocks. The fastest one decides,
 * so that none refuses a command too early.
 */
class ServerClock {
  /** How far it is ahead of `performance.now()`, in milliseconds; undefined until a server has answered. */
  #offset: number | undefined;
  readonly #isRead: Promise<unknown>;

  constructor(client: RedisClient) {
    this.#isRead = client.masters().then((masters) => Promise.any(masters.map((master) => this.#read(master))));
    this.#isRead.catch(() => undefined);
  }

  /** A moment of `performance.now()` by this clock, in milliseconds. */
  at(moment: number): string | undefined {
    if (this.#offset === undefined) return undefined;
    return Number.isFinite(this.#offset) ? (moment + this.#offset).toFixed(1) : '';
  }

  async whenRead(deadline: Deadline): Promise<string> {
    await this.#isRead;
    if (deadline.isExpired) throw noAnswer(deadline.timeout);
    return this.at(deadline.expiry) ?? '';
  }

  async #read(master: RedisMaster): Promise<void> {
    let offset = -Infinity;
    try {
      // The reply is a little old, so a command may expire early, but never late.
      offset = (await clockOf(master)) - performance.now();
    } catch (error) {
      // Without a permission for `TIME` commands have no deadline.
      if (!isReply(plainError(error))) throw error;
    }
    this.#offset = Math.max(this.#offset ?? -Infinity, offset);
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

/**
 * The pause before another attempt to connect, in milliseconds. It grows to a second, and is random in part, so that
 * processes do not reconnect all at once.
 */
export function retryDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) + Math.random() * 100;
}

/** The error of a server begins with its code, also if a script failed. */
function plainError(thrown: unknown): Error {
  const error = clientError(thrown, repeatedArguments);
  error.message = error.message.replace(scriptPrefix, (_, code = 'ERR ') => code as string);
  return error;
}

/** Whether the error is a server's reply, such as `NOSCRIPT …`, so that the connection works. */
export function isReply({message}: Error): boolean {
  return /^[A-Z]{2,} /.test(message);
}

/** Whether a new client may succeed: this server has become a replica, or lost its cluster. */
function isMisplaced({message}: Error): boolean {
  return /^(READONLY|CLUSTERDOWN) /.test(message);
}

/** Whether the server refused a write because it came after its deadline. */
function isLate({message}: Error): boolean {
  return message.startsWith('EXPIRED ');
}

/** Whether a cluster refused the command because its keys are being moved to another node. */
function isMoving({message}: Error): boolean {
  return message.startsWith('TRYAGAIN ');
}
