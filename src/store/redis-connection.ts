import type {DriverSettings} from './driver.ts';
import {Outages} from './outages.ts';
import type {MakeClient} from './redis-client.ts';
import {isReadOnly, type LinkSettings, type RedisClient, RedisLink} from './redis-link.ts';
import type {RedisConnection} from './redis.ts';

/** Keeps a single reply, and the time that a script holds the server, small. */
export const keysPerCommand = 200;

/** After so many connections a client is replaced: each of its sockets listens to the signal, and never stops to. */
const connectionsOfAClient = 8;

/** Between two replacements of a connection to a server that takes no writes, in milliseconds. */
const readOnlyPause = 1000;

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

  async ping(): Promise<void> {
    await this.#link.send(['PING']);
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

export interface OwnConnectionSettings extends LinkSettings {
  /** How many keys one command may name. */
  readonly keysPerCommand?: number;
}

/** A connection of our own to one address, opened in the background and replaced when it is of no use. */
export class OwnRedisConnection implements RedisConnection {
  readonly keysPerCommand: number;
  readonly #load: () => Promise<MakeClient>;
  readonly #settings: LinkSettings;
  readonly #outages: Outages;
  #make: MakeClient | undefined;
  #current: Opened | undefined;
  #opening: Promise<RedisLink> | undefined;
  #replacedAt = -Infinity;
  #closed = false;

  /** @param load gives what makes a client; it is called again if it fails */
  constructor(load: () => Promise<MakeClient>, settings: OwnConnectionSettings) {
    this.keysPerCommand = settings.keysPerCommand ?? keysPerCommand;
    this.#load = load;
    this.#settings = settings;
    this.#outages = new Outages(settings.onError);
    this.#open().catch(settings.onError);
  }

  send(_key: string, command: readonly string[], timeout?: number): Promise<unknown> {
    if (this.#current) return this.#current.link.send(command, timeout);
    return this.#open().then((link) => link.send(command, timeout));
  }

  async ping(): Promise<void> {
    await this.send('', ['PING']);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    if (!this.#current) return;
    discard(this.#current);
  }

  #open(): Promise<RedisLink> {
    this.#opening ??= this.#begin().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #begin(): Promise<RedisLink> {
    this.#make = await this.#load();
    return this.#connect();
  }

  #connect(): RedisLink {
    const sockets = new AbortController();
    if (!this.#make || this.#closed) throw new Error('The connection to Redis is closed');
    const client = this.#make(sockets.signal);
    const link = new RedisLink(client, {
      timeout: this.#settings.timeout,
      onError: (error) => {
        this.#outages.lost('', error);
      },
      onReady: () => {
        this.#outages.back('');
        this.#settings.onReady?.();
      },
      onUseless: (error) => {
        this.#replace(client, error);
      },
    });
    this.#current = {client, link, sockets};
    let connections = 1;
    client.on('reconnecting', () => {
      connections += 1;
      if (connections > connectionsOfAClient) this.#renew(client);
    });
    link.connect();
    return link;
  }

  /**
   * A connection can die without a sign, and a server can accept one and never greet; the operating system would
   * notice after a quarter of an hour. A server that was demoted keeps its connections, while its address may lead to
   * the new master already. A fresh connection finds out at once.
   */
  #replace(useless: RedisClient, error: Error): void {
    const now = performance.now();
    if (isReadOnly(error) && now < this.#replacedAt + readOnlyPause) return;
    this.#replacedAt = now;
    if (!isReadOnly(error) && this.#current?.client === useless) this.#outages.lost('', error);
    this.#renew(useless);
  }

  #renew(old: RedisClient): void {
    if (this.#closed || this.#current?.client !== old) return;
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
