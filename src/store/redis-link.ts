import type {DriverSettings} from './driver.ts';
import {asError, noAnswer, whenTimeIsUp, within} from './failure.ts';

/** What we use of a node-redis client: any copy of the package will do. */
export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly options?: {readonly disableOfflineQueue?: boolean};
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand(command: readonly string[], options: object): Promise<unknown>;
  on(event: string, listener: (error: unknown) => void): unknown;
  off(event: string, listener: (error: unknown) => void): unknown;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** What a link tells whoever made it. */
export interface LinkSettings extends DriverSettings {
  /** The server has taken the connection. */
  readonly onReady?: (() => void) | undefined;
  /**
   * The server has neither greeted nor answered in time, so that the connection may be dead, or it says that it takes
   * no writes, so that another one may stand behind the address by now.
   */
  readonly onUseless?: ((error: Error) => void) | undefined;
}

/** The command has not left and never will; it may be sent on another way. */
export class NotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, {cause});
  }
}

/** Whether the server is a replica: a write that it refused has not happened. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('READONLY');
}

/** Whether this is a reply of a server that is there, such as `NOSCRIPT …`, and no failure to reach one. */
export function isReply(error: unknown): boolean {
  return /^[A-Z]{2,} /.test(asError(error).message);
}

/** A host may have told its client to answer with buffers; our replies are text. */
export const textReplies = {typeMapping: {}};

/**
 * One client, and what is known of its connection. While it is down, commands are rejected at once: the client's own
 * queue would send them later, when their callers have long been told that they failed.
 */
export class RedisLink {
  readonly #client: RedisClient;
  readonly #settings: LinkSettings;
  readonly #queuesOffline: boolean;
  readonly #listeners: Record<string, (error: unknown) => void>;
  #waiters: Waiter[] = [];
  #failure: Error | undefined;
  #heardAt = 0;

  constructor(client: RedisClient, settings: LinkSettings) {
    this.#client = client;
    this.#settings = settings;
    this.#queuesOffline = client.options?.disableOfflineQueue !== true;
    this.#listeners = {
      ready: () => {
        this.#failure = undefined;
        settings.onReady?.();
        for (const {resolve} of this.#waiters.splice(0)) resolve();
      },
      error: (error) => {
        this.#lost(asError(error));
      },
    };
    for (const [event, listener] of Object.entries(this.#listeners)) client.on(event, listener);
  }

  /** @param timeout how long it may take, in milliseconds */
  send(command: readonly string[], timeout = this.#settings.timeout): Promise<unknown> {
    return this.#client.isReady ? this.#issue(command, timeout) : this.#sendWhenReady(command, timeout);
  }

  /** Connects in the background; operations meanwhile wait for the outcome. */
  connect(): void {
    this.#client.connect().catch((error: unknown) => {
      this.#lost(asError(error));
    });
  }

  /** Leaves the client alone from now on. */
  release(): void {
    for (const [event, listener] of Object.entries(this.#listeners)) this.#client.off(event, listener);
    for (const {reject} of this.#waiters.splice(0)) reject(new Error('The connection to Redis was given up'));
  }

  async #sendWhenReady(command: readonly string[], timeout: number): Promise<unknown> {
    const end = performance.now() + timeout;
    if (!this.#client.isOpen) this.connect();
    else if (this.#failure) throw new NotSentError(this.#failure);
    await this.#readiness(timeout).catch((error: unknown) => {
      if (!this.#failure) this.#settings.onUseless?.(asError(error));
      throw new NotSentError(asError(error));
    });
    return this.#issue(command, Math.max(1, end - performance.now()));
  }

  #readiness(timeout: number): Promise<void> {
    return within(
      timeout,
      new Promise<void>((resolve, reject) => {
        this.#waiters.push({resolve, reject});
      }),
    );
  }

  #issue(command: readonly string[], timeout: number): Promise<unknown> {
    const sentAt = performance.now();
    const abort = this.#queuesOffline ? new AbortController() : undefined;
    const options = abort ? {...textReplies, abortSignal: abort.signal} : textReplies;
    return new Promise((resolve, reject) => {
      const cancel = whenTimeIsUp(timeout, () => {
        const error = noAnswer(this.#settings.timeout);
        reject(error);
        abort?.abort();
        if (this.#heardAt < sentAt) this.#settings.onUseless?.(error);
      });
      this.#client.sendCommand(command, options).then(
        (reply) => {
          this.#heardAt = performance.now();
          cancel();
          resolve(reply);
        },
        (error: unknown) => {
          cancel();
          if (isReadOnly(error)) this.#settings.onUseless?.(asError(error));
          reject(asError(error));
        },
      );
    });
  }

  #lost(error: Error): void {
    // Some errors, such as a listener's, leave the connection as it is.
    if (this.#client.isReady) return;
    if (!this.#failure) this.#settings.onError(error);
    this.#failure = error;
    for (const {reject} of this.#waiters.splice(0)) reject(error);
  }
}
