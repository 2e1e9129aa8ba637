import {Deadline} from '../../../src/store/deadline.ts';
import type {RedisConnection} from '../../../src/store/redis-connection.ts';

/** Calls a Redis connection as `GuardedStore` does: each call has a deadline, and is given up when that expires. */
export class TimedConnection {
  readonly #connection: RedisConnection;
  readonly #timeout: number;

  /** @param timeout how long a call may take, in milliseconds */
  constructor(connection: RedisConnection, timeout: number) {
    this.#connection = connection;
    this.#timeout = timeout;
  }

  send(key: string, command: readonly string[]): Promise<unknown> {
    const deadline = new Deadline(this.#timeout);
    return deadline.bound(this.#connection.send(key, command, deadline));
  }

  ping(): Promise<void> {
    const deadline = new Deadline(this.#timeout);
    return deadline.bound(this.#connection.ping(deadline));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
