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

/** A host may have told its client to answer with buffers; our replies are text. */
const textReplies = {typeMapping: {}};

/**
 * One client, and what is known of its connection. While it is down, commands are rejected at once: the client's own
 * queue would send them later, when their callers have long been told that they failed.
 */
export class RedisLink {
  readonly #client: RedisClient;
  readonly #settings: DriverSettings;
  readonly #onSilence: (() => void) | undefined;
  readonly #queuesOffline: boolean;
  readonly #listeners: Record<string, (error: unknown) => void>;
  #waiters: Waiter[] = [];
  #failure: Error | undefined;
  #heardAt = 0;

  /** @param onSilence is called when the server has neither greeted nor answered in time; the connection may be dead */
  constructor(client: RedisClient, settings: DriverSettings, onSilence?: () => void) {
    this.#client = client;
    this.#settings = settings;
    this.#onSilence = onSilence;
    this.#queuesOffline = client.options?.disableOfflineQueue !== true;
    this.#listeners = {
      ready: () => {
        this.#failure = undefined;
        for (const {resolve} of this.#waiters.splice(0)) resolve();
      },
      error: (error) => {
        this.#lost(asError(error));
      },
    };
    for (const [event, listener] of Object.entries(this.#listeners)) client.on(event, listener);
  }

  send(command: readonly string[]): Promise<unknown> {
    return this.#client.isReady ? this.#issue(command, this.#settings.timeout) : this.#sendWhenReady(command);
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

  async #sendWhenReady(command: readonly string[]): Promise<unknown> {
    const start = performance.now();
    if (!this.#client.isOpen) this.connect();
    else if (this.#failure) throw this.#failure;
    await this.#readiness().catch((error: unknown) => {
      if (!this.#failure) this.#onSilence?.();
      throw error;
    });
    return this.#issue(command, Math.max(1, this.#settings.timeout - (performance.now() - start)));
  }

  #readiness(): Promise<void> {
    return within(
      this.#settings.timeout,
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
        reject(noAnswer(timeout));
        abort?.abort();
        if (this.#heardAt < sentAt) this.#onSilence?.();
      });
      this.#client.sendCommand(command, options).then(
        (reply) => {
          this.#heardAt = performance.now();
          cancel();
          resolve(reply);
        },
        (error: unknown) => {
          cancel();
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
