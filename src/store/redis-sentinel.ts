import type {DriverSettings} from './driver.ts';
import {asError, noAnswer, within} from './failure.ts';
import {Outages} from './outages.ts';
import {databaseNumber, type RedisAddress, type RedisAddresses} from './redis-address.ts';
import {ask, clientOf} from './redis-client.ts';
import {keysPerCommand, OwnRedisConnection} from './redis-connection.ts';
import {isReadOnly, isReply, NotSentError} from './redis-link.ts';
import {firstOf, Lookup} from './redis-lookup.ts';
import type {RedisConnection} from './redis.ts';

/** What the connection string of a sentinel says. */
export interface SentinelAddress {
  readonly sentinels: RedisAddresses['hosts'];
  readonly master: string;
  readonly database: number;
}

/** @throws {TypeError} unless a name of a master, and perhaps the number of a database, stands behind the hosts */
export function sentinelAddress({hosts, path}: RedisAddresses, expected: string): SentinelAddress {
  const [master = '', database = '', ...rest] = path;
  try {
    if (master === '' || rest.length > 0) throw new TypeError('A master has a name');
    return {sentinels: hosts, master, database: databaseNumber(database)};
  } catch {
    throw new TypeError(`The connection string of the store is malformed: expected ${expected}`);
  }
}

interface Master {
  readonly address: string;
  readonly connection: OwnRedisConnection;
}

/**
 * The master that the sentinels name. After anything that may mean a failover they are asked before another command is
 * sent, because the old master, when it is back, takes writes for a while that it will have to forget.
 */
export class SentinelConnection implements RedisConnection {
  readonly keysPerCommand = keysPerCommand;
  readonly #address: SentinelAddress;
  readonly #settings: DriverSettings;
  readonly #outages: Outages;
  readonly #lookup = new Lookup(() => this.#look());
  #master: Master | undefined;
  #confirmed = false;
  #closed = false;

  constructor(address: SentinelAddress, settings: DriverSettings) {
    this.#address = address;
    this.#settings = settings;
    this.#outages = new Outages(settings.onError);
    this.#lookup.run().catch(() => undefined);
  }

  async send(_key: string, command: readonly string[]): Promise<unknown> {
    const end = performance.now() + this.#settings.timeout;
    for (let isSecond = false; ; isSecond = true) {
      const connection = await this.#connection(end);
      const left = end - performance.now();
      if (left <= 0) throw noAnswer(this.#settings.timeout);
      try {
        return await connection.send('', command, left);
      } catch (error) {
        if (isReply(error) && !isReadOnly(error)) throw error;
        this.#confirmed = false;
        if (isSecond || !(isReadOnly(error) || error instanceof NotSentError)) throw error;
      }
    }
  }

  async ping(): Promise<void> {
    await this.send('', ['PING']);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lookup.run().catch(() => undefined);
    await this.#master?.connection.close();
  }

  async #connection(end: number): Promise<OwnRedisConnection> {
    if (!this.#confirmed) await within(Math.max(1, end - performance.now()), this.#lookup.run());
    if (!this.#master || this.#closed) throw new Error('The connection to Redis is closed');
    return this.#master.connection;
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const {sentinels} = this.#address;
    try {
      const address = await Promise.any(sentinels.map((sentinel) => this.#askForMaster(sentinel)));
      this.#follow(address);
      this.#confirmed = true;
      this.#outages.back('the sentinels');
    } catch (error) {
      const failure = firstOf(asError(error));
      this.#outages.lost('the sentinels', failure);
      throw failure;
    }
  }

  /** Asks a sentinel, and the server that it names: during a failover the two may disagree. */
  async #askForMaster(sentinel: RedisAddress): Promise<RedisAddress> {
    const {timeout} = this.#settings;
    const {master} = this.#address;
    const named = await askSentinel(sentinel, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master], timeout);
    if (named === null) throw new Error(`A sentinel knows no master by the name ${master}`);
    const [host, port] = named as [string, string];
    const address = {...sentinel, host, port: Number(port), database: this.#address.database};
    const role = await ask(address, ['ROLE'], timeout).catch((error: unknown) => {
      // Whoever may not ask for the role has to trust the sentinel.
      if (asError(error).message.startsWith('NOPERM')) return ['master'];
      throw error;
    });
    if ((role as unknown[])[0] !== 'master') throw new Error(`The server at ${host}:${port} is no master yet`);
    return address;
  }

  #follow(address: RedisAddress): void {
    const name = `${address.host}:${address.port}`;
    if (this.#master?.address === name || this.#closed) return;
    void this.#master?.connection.close();
    this.#outages.back('the master');
    const {timeout} = this.#settings;
    const connection = new OwnRedisConnection(() => clientOf(address, timeout), {
      timeout,
      onError: (error) => {
        if (this.#master?.connection !== connection) return;
        this.#confirmed = false;
        this.#outages.lost('the master', error);
      },
      onReady: () => {
        this.#outages.back('the master');
      },
    });
    this.#master = {address: name, connection};
  }
}

/** The password is for the servers; a sentinel gets it only if it wants one. */
async function askSentinel(sentinel: RedisAddress, command: readonly string[], timeout: number): Promise<unknown> {
  try {
    return await ask({...sentinel, username: undefined, password: undefined, database: 0}, command, timeout);
  } catch (error) {
    if (!asError(error).message.startsWith('NOAUTH') || sentinel.password === undefined) throw error;
    return ask({...sentinel, database: 0}, command, timeout);
  }
}
