import {execFile} from 'node:child_process';
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Owner} from '../owner.ts';
import {eventually} from './eventually.ts';
import {freePort, RedisServer} from './redis-server.ts';

/** Milliseconds of silence after which a replica replaces a master. */
const nodeTimeout = 1000;

/** Three masters with a replica each, on processes of the test. */
export class RedisCluster {
  readonly #directory: string;
  readonly #servers = new Map<number, RedisServer>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param directory where the nodes keep their state */
  static async start(owner: Owner, directory: string): Promise<RedisCluster> {
    const cluster = new RedisCluster(directory);
    while (cluster.#servers.size < 6) {
      const port = await freePort();
      // The nodes use their port plus 10,000 among themselves.
      if (port + 10_000 > 65_535) continue;
      await mkdir(join(directory, `${port}`));
      cluster.#servers.set(port, await RedisServer.startOn(owner, port, ...cluster.#parameters(port)));
    }
    await promisify(execFile)('redis-cli', [
      ...['--cluster', 'create', ...cluster.hosts],
      ...['--cluster-replicas', '1', '--cluster-yes'],
    ]);
    await cluster.isWhole();
    return cluster;
  }

  get hosts(): string[] {
    return Array.from(this.#servers.keys(), (port) => `127.0.0.1:${port}`);
  }

  /** The servers that have slots now, according to the nodes that answer. */
  async masters(): Promise<RedisServer[]> {
    const servers = [...this.#servers.values()];
    const ranges = (await Promise.any(servers.map((server) => server.ask('CLUSTER', 'SLOTS')))) as Array<
      [number, number, [string, number]]
    >;
    return servers.filter(({port}) => ranges.some(([, , [, master]]) => master === port));
  }

  /** Resolves when every slot has a master, and every master a replica that is up to date. */
  async isWhole(): Promise<void> {
    await eventually(async () => {
      for (const server of this.#servers.values()) {
        const [info, replication] = await Promise.all([
          server.ask('CLUSTER', 'INFO'),
          server.ask('INFO', 'replication'),
        ]);
        if (!String(info).includes('cluster_state:ok')) throw new Error(`cluster: ${String(info)}`);
        if (!/connected_slaves:1|master_link_status:up/.test(String(replication))) throw new Error(String(replication));
      }
    });
  }

  /** The slot of a key, according to the servers. */
  async slotOf(key: string): Promise<number> {
    const [server] = await this.masters();
    return (await server?.ask('CLUSTER', 'KEYSLOT', key)) as number;
  }

  /**
   * Begins to move a slot to another master: absent keys are created there from now on.
   *
   * @param target by default any
   */
  async move(slot: number, target?: RedisServer): Promise<{keys: () => Promise<void>; end: () => Promise<void>}> {
    const masters = await this.masters();
    const owners = await Promise.all(masters.map(async (server) => [server, await ownerOf(server, slot)] as const));
    const from = owners.find(([server, port]) => server.port === port)?.[0];
    const to = masters.find((server) => (target === undefined ? server !== from : server.port === target.port));
    if (!from || !to) throw new Error('The cluster has too few masters');
    const [fromId, toId] = (await Promise.all([from, to].map((server) => server.ask('CLUSTER', 'MYID')))) as [
      string,
      string,
    ];
    await to.ask('CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', fromId);
    await from.ask('CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', toId);
    return {
      keys: async () => {
        const keys = (await from.ask('CLUSTER', 'GETKEYSINSLOT', `${slot}`, '1000')) as string[];
        if (keys.length === 0) return;
        await from.ask('MIGRATE', '127.0.0.1', `${to.port}`, '', '0', '5000', 'KEYS', ...keys);
      },
      end: async () => {
        for (const server of [to, from]) await server.ask('CLUSTER', 'SETSLOT', `${slot}`, 'NODE', toId);
      },
    };
  }

  /** Restarts a killed server. It becomes a replica if it was replaced. */
  async revive({port}: RedisServer): Promise<void> {
    await this.#servers.get(port)?.restart(...this.#parameters(port));
  }

  #parameters(port: number): string[] {
    return [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${nodeTimeout}`],
      ...['--dir', join(this.#directory, `${port}`), '--repl-diskless-sync-delay', '0'],
    ];
  }
}

/** The port of the master of a slot. */
async function ownerOf(server: RedisServer, slot: number): Promise<number | undefined> {
  const ranges = (await server.ask('CLUSTER', 'SLOTS')) as Array<[number, number, [string, number]]>;
  return ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][1];
}
