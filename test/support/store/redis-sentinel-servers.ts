import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Owner} from '../owner.ts';
import {eventually} from './eventually.ts';
import {freePort, RedisServer} from './redis-server.ts';

/** Milliseconds of silence after which a replica replaces a master. */
const downAfter = 1000;

export const masterName = 'links';

/** A master, a replica and three Sentinels, on processes of the test. All require a password. */
export class RedisSentinels {
  readonly sentinels: RedisServer[] = [];
  readonly #servers: RedisServer[] = [];
  readonly #directory: string;
  readonly #password: string;

  private constructor(directory: string, password: string) {
    this.#directory = directory;
    this.#password = password;
  }

  /** @param directory where the Sentinels keep their state */
  static async start(owner: Owner, directory: string, password: string): Promise<RedisSentinels> {
    const all = new RedisSentinels(directory, password);
    const start = async (...parameters: string[]): Promise<RedisServer> => {
      const server = await RedisServer.start(owner, ...all.#parameters(), ...parameters);
      all.#servers.push(server);
      return server;
    };
    const master = await start();
    await start('--replicaof', `127.0.0.1 ${master.port}`);
    for (let number = 0; number < 3; number += 1) all.sentinels.push(await all.#startSentinel(owner, master.port));
    for (const server of [...all.#servers, ...all.sentinels]) server.password = password;
    await all.isWhole();
    return all;
  }

  get hosts(): string {
    return this.sentinels.map(({port}) => `127.0.0.1:${port}`).join(',');
  }

  /** The master according to the Sentinels. */
  async master(): Promise<RedisServer> {
    const [sentinel] = this.sentinels;
    const address = await sentinel?.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName);
    const port = Array.isArray(address) ? Number(address[1]) : undefined;
    const master = this.#servers.find((server) => server.port === port);
    if (!master) throw new Error('The sentinels name an unknown master');
    return master;
  }

  /** Resolves when the Sentinels know each other, and a master with a replica that is up to date. */
  async isWhole(): Promise<void> {
    await eventually(async () => {
      for (const sentinel of this.sentinels) {
        await sentinel.ask('SENTINEL', 'CKQUORUM', masterName);
        const info = String(await sentinel.ask('INFO', 'sentinel'));
        if (!/status=ok,.*slaves=1,sentinels=3/.test(info)) throw new Error(info);
      }
      const info = String(await (await this.master()).ask('INFO', 'replication'));
      if (!info.includes('role:master\r\nconnected_slaves:1')) throw new Error(info);
      if (!info.includes('state=online')) throw new Error(info);
    });
  }

  /** Restarts a killed server, which the Sentinels make a replica. */
  async revive(server: RedisServer): Promise<void> {
    await server.restart(...this.#parameters());
  }

  async #startSentinel(owner: Owner, masterPort: number): Promise<RedisServer> {
    const port = await freePort();
    const directory = join(this.#directory, `${port}`);
    await mkdir(directory);
    const file = join(directory, 'sentinel.conf');
    const lines = [
      `sentinel monitor ${masterName} 127.0.0.1 ${masterPort} 2`,
      `sentinel auth-pass ${masterName} ${this.#password}`,
      `sentinel down-after-milliseconds ${masterName} ${downAfter}`,
      `sentinel failover-timeout ${masterName} 1500`,
      `sentinel sentinel-pass ${this.#password}`,
      `requirepass ${this.#password}`,
      `dir ${directory}`,
    ];
    await writeFile(file, lines.join('\n'));
    return RedisServer.startSentinel(owner, port, file);
  }

  #parameters(): string[] {
    return [
      ...['--requirepass', this.#password, '--masterauth', this.#password],
      ...['--repl-diskless-sync-delay', '0', '--dir', this.#directory],
    ];
  }
}
