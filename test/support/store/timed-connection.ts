import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {RedisConnection} from '../../../src/store/engines/redis/connection.ts';

export type TimedConnection = ReturnType<typeof timed>;

/**
 * Calls a Redis connection as the layers do, which give each call a deadline and stop waiting when it expires.
 *
 * @param timeout milliseconds that a call may take
 */
export function timed(connection: RedisConnection, timeout: number) {
  const within = <Result>(call: (deadline: Deadline) => Promise<Result>): Promise<Result> => {
    const deadline = new Deadline(timeout);
    return deadline.bound(call(deadline));
  };
  return {
    send: (key: string, command: readonly string[]) => within((deadline) => connection.send(key, command, deadline)),
    write: (key: string, commandOf: (expiry: string) => readonly string[]) =>
      within((deadline) => connection.write(key, commandOf, deadline)),
    ping: () => within((deadline) => connection.ping(deadline)),
    close: () => connection.close(),
  };
}
