import {importPackage, within} from './failure.ts';
import type {RedisAddress} from './redis-address.ts';
import type {RedisClient} from './redis-link.ts';

/** Makes a client, not connected yet. `signal` ends a socket that is still being opened. */
export type MakeClient = (signal: AbortSignal) => RedisClient;

/** How long to wait before another try to connect, in milliseconds; for ever, because the host cannot try instead. */
export function retryDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) + Math.random() * 100;
}

/** Never connected: `createClient` makes a class for each set of options, which takes longer than many a request. */
let template: {duplicate(options: object): RedisClient} | undefined;

/** Loads the client that `@keyv/redis` brings; it speaks to Redis and to Valkey. */
export async function clientOf(address: RedisAddress, timeout: number, reconnects = true): Promise<MakeClient> {
  const {createClient} = await importPackage('@keyv/redis', () => import('@keyv/redis'));
  template ??= createClient({disableOfflineQueue: true}) as unknown as NonNullable<typeof template>;
  const base = template;
  const {username, password, database, host, port, tls} = address;
  return (signal) =>
    base.duplicate({
      username,
      password,
      database,
      socket: {
        host,
        port,
        tls,
        connectTimeout: timeout,
        signal,
        reconnectStrategy: reconnects ? retryDelay : false,
      },
    });
}

/** Asks a server one thing on a connection of its own. */
export async function ask(address: RedisAddress, command: readonly string[], timeout: number): Promise<unknown> {
  const make = await clientOf(address, timeout, false);
  const sockets = new AbortController();
  const client = make(sockets.signal);
  // It tells whoever waits as well; without a listener it would end the process.
  client.on('error', () => undefined);
  const answer = async (): Promise<unknown> => {
    await client.connect();
    return client.sendCommand(command, {});
  };
  try {
    return await within(timeout, answer());
  } finally {
    if (client.isOpen) client.destroy();
    sockets.abort();
  }
}
