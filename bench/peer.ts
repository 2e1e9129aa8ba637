/** An installed Kutt, measured in the same rounds as the package: `npm run bench -- --peer FOLDER`. */
import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {promisify} from 'node:util';
import {createClient} from '@keyv/redis';
import pg from 'pg';
import type {Owner} from '../test/support/owner.ts';
import {postgresDatabase} from '../test/support/engines/servers.ts';
import {freePort, RedisServer} from '../test/support/store/redis-server.ts';
import {isPinned} from './child.ts';
import {cpuOf, type EngineUse} from './engine-use.ts';
import {host, target} from './measured-links.ts';
import type {LoadedServer} from './measured-server.ts';
import {randomPaths} from './measured-site.ts';

export interface Peer {
  /** Such as `Kutt 3.2.3`. */
  readonly name: string;
  readonly paths: readonly string[];
  readonly server: LoadedServer;
}

/** How long to wait between two looks at the queue, in milliseconds. */
const pause = 20;

/**
 * Starts Kutt on a fresh Postgres database and a Redis of its own, with links of one user, because it counts only visits
 * of such links. It redirects first and stores the visit later, so the CPU time includes the processes that do so.
 *
 * @param folder an installed Kutt
 */
export async function startKutt(folder: string, links: number, owner: Owner): Promise<Peer> {
  const path = resolve(folder);
  const {name, version} = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, string>;
  if (name !== 'kutt') throw new Error(`Expected an installed Kutt in ${path}, got the package ${name}`);
  const {store} = await postgresDatabase(owner);
  const {hostname, port: databasePort, username, pathname} = new URL(store);
  const [port, {url: redisUrl, port: redisPort}] = [await freePort(), await RedisServer.start(owner)];
  const start = async (command: readonly string[], ready: RegExp, env?: NodeJS.ProcessEnv): Promise<ChildProcess> => {
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: path,
      env: {...process.env, ...env},
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    owner.teardown(async () => {
      // Its children would go on without it.
      if (child.exitCode === null) for (const pid of familyOf(child.pid ?? 0)) process.kill(Number(pid), 'SIGKILL');
      await ended;
    });
    for await (const line of createInterface(child.stdout)) if (ready.test(line)) return child;
    throw new Error(`${command.join(' ')} ended before it was ready`);
  };
  const env = {
    ...{PORT: `${port}`, DEFAULT_DOMAIN: host, JWT_SECRET: 'measured', NODE_ENV: 'production'},
    ...{DB_CLIENT: 'pg', DB_HOST: hostname, DB_PORT: databasePort, DB_NAME: pathname.slice(1), DB_USER: username},
    ...{REDIS_ENABLED: 'true', REDIS_HOST: '127.0.0.1', REDIS_PORT: `${redisPort}`},
  };
  const knex = join(path, 'node_modules/knex/bin/cli.js');
  await promisify(execFile)(process.execPath, [knex, 'migrate:latest'], {cwd: path, env: {...process.env, ...env}});
  const paths = randomPaths(links);
  await createLinks(store, paths);
  const node = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath];
  const child = await start([...node, 'server/server.js', '--production'], /Ready on/, env);
  const redis = createClient({url: redisUrl});
  await redis.connect();
  owner.teardown(() => {
    redis.destroy();
  });
  const untilStored = async (): Promise<void> => {
    const length = async (name: string): Promise<number> => redis.lLen(`bull:visit:${name}`);
    while ((await length('wait')) + (await length('active')) > 0) await delay(pause);
  };
  const use = async (): Promise<EngineUse> => {
    await untilStored();
    return {cpu: await cpuOf(familyOf(child.pid ?? 0)), bytes: Number.NaN};
  };
  return {name: `Kutt ${version}`, paths, server: {port, answered: 0, use}};
}

async function createLinks(store: string, paths: readonly string[]): Promise<void> {
  const client = new pg.Client({connectionString: store});
  await client.connect();
  await client.query(`insert into users (email, password, verified) values ('measured@example.com', '-', true)`);
  const text =
    'insert into links (address, target, user_id) select unnest($1::text[]), $2, (select min(id) from users)';
  await client.query(text, [paths.map((path) => path.slice(1)), target]);
  await client.end();
}

/** A process with its children, which store the visits. */
function familyOf(pid: number): string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [`${pid}`, ...(children === '' ? [] : children.split(' '))];
}
