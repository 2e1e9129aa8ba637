import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {RedisConnection} from '../../../src/store/redis/connection.ts';

/** Calls a Redis connection like `GuardedStore`, which gives each call a deadline and stops waiting when it expires. */
export class TimedConnection {
  readonly #connection: RedisConnection;
  readonly #timeout: number;

  /** @param timeout milliseconds that a call may take */
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
