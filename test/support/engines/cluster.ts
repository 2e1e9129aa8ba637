import {execFile} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {rmSync} from 'node:fs';
import {mkdtemp, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {eventually} from '../store/eventually.ts';
import {freePort, RedisServer} from '../store/redis-server.ts';
import {TcpProxy} from '../store/tcp-proxy.ts';
import type {Owner} from '../owner.ts';
import {redisNamespace} from './servers.ts';

const run = promisify(execFile);

let shared: Promise<string> | undefined;

/** A namespace on three masters, which end with this process. The tests of the driver cover failovers to replicas. */
export async function redisCluster(): Promise<{store: string; namespace: string}> {
  const start = (): Promise<string> =>
    Promise.all([0, 1, 2].map(async () => startNode(untilExit, await freePort()))).then(formed);
  // Another process may take a free port before a node does, so a start is tried twice.
  shared ??= start().catch(start);
  return {store: await shared, namespace: `links-${randomBytes(6).toString('hex')}`};
}

const undos: Array<() => unknown> = [];
const untilExit: Owner = {teardown: (undo) => void undos.push(undo)};
process.once('exit', () => {
  for (const undo of undos) void undo();
});

/** The same with a proxy in front of each master for the clients. The nodes reach each other directly. */
export async function proxiedRedisCluster(owner: Owner): Promise<{store: string; proxies: TcpProxy[]}> {
  const proxies: TcpProxy[] = [];
  const nodes = [0, 1, 2].map(async (index) => {
    const port = await freePort();
    const proxy = await TcpProxy.start(owner, port);
    proxies[index] = proxy;
    return startNode(owner, port, proxy.port);
  });
  return {store: await formed(await Promise.all(nodes)), proxies};
}

let sharedSentinel: Promise<string> | undefined;

/** A namespace on the shared server, to which a Sentinel leads that ends with this process. */
export async function redisSentinel(owner: Owner): Promise<{store: string; namespace: string}> {
  const {store, namespace} = await redisNamespace(owner);
  sharedSentinel ??= sentinelOf(untilExit, Number(new URL(store).port));
  return {store: await sharedSentinel, namespace};
}

/** A Sentinel that names a server on this port as the master, and no other one after it. Returns the connection string. */
export async function sentinelOf(owner: Owner, port: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-sentinel-'));
  owner.teardown(() => {
    rmSync(folder, {recursive: true, force: true});
  });
  const file = join(folder, 'sentinel.conf');
  // Two would have to agree that the master is down.
  await writeFile(file, `sentinel monitor links 127.0.0.1 ${port} 2\ndir ${folder}\n`);
  const sentinel = await RedisServer.startSentinel(owner, await freePort(), file);
  return `redis+sentinel://127.0.0.1:${sentinel.port}/links`;
}

/** Makes a cluster of the nodes, and returns its connection string. */
async function formed(nodes: readonly string[]): Promise<string> {
  await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes']);
  // The nodes agree on the slots before they report the cluster as up.
  await eventually(async () => {
    for (const node of nodes) {
      const {stdout} = await run('redis-cli', ['-u', `redis://${node}`, 'cluster', 'info']);
      if (!stdout.includes('cluster_state:ok')) throw new Error(stdout);
    }
  });
  return `redis+cluster://${nodes.join(',')}`;
}

export async function hasRedisServer(): Promise<void> {
  for (const program of ['redis-server', 'redis-cli']) await run(program, ['--version']);
}

/** @param announced the port that clients and other nodes are told, if it differs */
async function startNode(owner: Owner, port: number, announced = port): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-node-'));
  owner.teardown(() => {
    rmSync(folder, {recursive: true, force: true});
  });
  const settings = ['--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`, '--dir', folder];
  await RedisServer.startOn(owner, port, ...settings, '--cluster-announce-port', `${announced}`);
  return `127.0.0.1:${announced}`;
}
