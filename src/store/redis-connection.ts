import type {DriverSettings} from './driver.ts';
import {importPackage} from './failure.ts';
import type {RedisAddress} from './redis-address.ts';
import {type RedisClient, RedisLink} from './redis-link.ts';
import type {RedisConnection} from './redis.ts';

/** Keeps a single reply, and the time that a script holds the server, small. */
const keysPerCommand = 200;

/** How long to wait before another try to connect, in milliseconds; for ever, because the host cannot try instead. */
function retryDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, 1000) + Math.random() * 100;
}

/** The client of a host's own adapter. It is the host's to open and close; a closed one is opened when it is needed. */
export class BorrowedRedisConnection implements RedisConnection {
  readonly keysPerCommand = keysPerCommand;
  readonly #link: RedisLink;

  constructor(client: RedisClient, settings: DriverSettings) {
    this.#link = new RedisLink(client, settings);
  }

  send(_key: string, command: readonly string[]): Promise<unknown> {
    return this.#link.send(command);
  }

  async close(): Promise<void> {
    this.#link.release();
  }
}

interface Opened {
  readonly client: RedisClient;
  readonly link: RedisLink;
  /** Ends a socket that is being opened: the client forgets that one, and would leave it open for ever. */
  readonly sockets: AbortController;
}

/** A connection of our own, opened in the background and replaced when it falls silent. */
export class OwnRedisConnection implements RedisConnection {
  readonly keysPerCommand = keysPerCommand;
  readonly #address: RedisAddress;
  readonly #settings: DriverSettings;
  #create: ((signal: AbortSignal) => RedisClient) | undefined;
  #current: Opened | undefined;
  #opening: Promise<RedisLink> | undefined;
  #closed = false;

  constructor(address: RedisAddress, settings: DriverSettings) {
    this.#address = address;
    this.#settings = settings;
    this.#open().catch(settings.onError);
  }

  send(_key: string, command: readonly string[]): Promise<unknown> {
    return this.#current ? this.#current.link.send(command) : this.#open().then((link) => link.send(command));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    if (!this.#current) return;
    discard(this.#current);
  }

  #open(): Promise<RedisLink> {
    this.#opening ??= this.#load().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #load(): Promise<RedisLink> {
    const {createClient} = await importPackage('@keyv/redis', () => import('@keyv/redis'));
    const {username, password, database, host, port, tls} = this.#address;
    this.#create = (signal) =>
      createClient({
        ...(username === undefined ? {} : {username}),
        ...(password === undefined ? {} : {password}),
        database,
        disableOfflineQueue: true,
        socket: {
          host,
          port,
          ...(tls ? {tls} : {}),
          connectTimeout: this.#settings.timeout,
          signal,
          reconnectStrategy: retryDelay,
        },
      });
    return this.#connect();
  }

  #connect(): RedisLink {
    const sockets = new AbortController();
    const client = this.#create?.(sockets.signal);
    if (!client || this.#closed) throw new Error('The connection to Redis is closed');
    const link = new RedisLink(client, this.#settings, () => {
      this.#replace(client);
    });
    this.#current = {client, link, sockets};
    link.connect();
    return link;
  }

  /**
   * A connection can die without a sign, and a server can accept one and never greet; the operating system would
   * notice after a quarter of an hour. A fresh connection finds out at once.
   */
  #replace(silent: RedisClient): void {
    if (this.#closed || this.#current?.client !== silent) return;
    discard(this.#current);
    this.#connect();
  }
}

function discard({client, link, sockets}: Opened): void {
  link.release();
  // What it still has to say must not end the process.
  client.on('error', () => undefined);
  if (client.isOpen) client.destroy();
  sockets.abort();
}
