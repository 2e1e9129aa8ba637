import {readFileSync} from 'node:fs';
import {arch, availableParallelism, cpus, loadavg, release, totalmem, type} from 'node:os';
import {createClient} from '@keyv/redis';
import {anyClient} from '../src/store/engines/sqlite/client.ts';
import {askMysql, askPostgres} from '../test/support/engines/servers.ts';
import {isPinned} from './child.ts';

export interface Machine {
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly cores: number;
  readonly processor: string;
  readonly gigabytes: number;
  readonly isPinned: boolean;
  /** The load averages over 1, 5 and 15 minutes before the run. */
  readonly loadBefore: readonly number[];
  readonly packages: readonly string[];
}

export function machine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${type()} ${release()} ${arch()}`,
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    gigabytes: Math.round(totalmem() / 2 ** 30),
    isPinned,
    loadBefore: loadavg(),
    packages: ['koa', '@koa/router', 'keyv', '@keyv/redis', 'pg', 'mysql2', 'libsql'].map(versionOf),
  };
}

/** What a report says of the machine. */
export function conditionsOf(measured: Machine): string {
  const {cores, processor, gigabytes, system, loadBefore, node, packages} = measured;
  const loads = loadBefore.map((load) => load.toFixed(2)).join(', ');
  return `- Machine: ${cores} cores (${processor}), ${gigabytes} GB of memory, ${system}. Load average before the run: ${loads}.
- Node.js ${node}; ${packages.join(', ')}.`;
}

function versionOf(name: string): string {
  // Not every package exports its package.json.
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const {version} = JSON.parse(readFileSync(file, 'utf8')) as {version: string};
  return `${name} ${version}`;
}

/** The name and version of the engine at a connection string; undefined for memory. */
export async function engineVersion(store: string): Promise<string | undefined> {
  if (store.startsWith('redis://')) {
    const client = createClient({url: store});
    await client.connect();
    const information = await client.info('server');
    client.destroy();
    return `Redis ${/redis_version:(\S+)/.exec(information)?.[1] ?? 'unknown'}`;
  }
  if (store.startsWith('postgres://')) {
    const [row] = await askPostgres(store, 'show server_version');
    return `PostgreSQL ${String(row?.['server_version'])}`;
  }
  if (store.startsWith('mysql://')) {
    const [row] = await askMysql(store, 'select version() as version');
    const version = String(row?.['version']);
    return version.includes('MariaDB') ? `MariaDB ${version.replace(/-.*/, '')}` : `MySQL ${version}`;
  }
  if (store.startsWith('sqlite:')) {
    const {name, open} = await anyClient();
    const database = open(':memory:');
    const [version] = database.prepare('select sqlite_version()').get([]) ?? [];
    database.close();
    return `SQLite ${String(version)} of ${name}`;
  }
  return undefined;
}
