import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import {eventually} from '../store/eventually.ts';
import {TcpProxy} from '../store/tcp-proxy.ts';
import type {Owner} from './engines.ts';

const run = promisify(execFile);

/** Three masters, whose processes end with their owner. The tests of the driver cover failovers to replicas. */
export async function redisCluster(owner: Owner): Promise<{store: string}> {
  return {store: await formed(await Promise.all([0, 1, 2].map(async () => startNode(owner, await freePorts()))))};
}

/** The same with a proxy in front of each master for the clients. The nodes reach each other directly. */
export async function proxiedRedisCluster(owner: Owner): Promise<{store: string; proxies: TcpProxy[]}> {
  const proxies: TcpProxy[] = [];
  const nodes = [0, 1, 2].map(async (index) => {
    const ports = await freePorts();
    const proxy = await TcpProxy.start(owner, ports.client);
    proxies[index] = proxy;
    return startNode(owner, ports, proxy.port);
  });
  return {store: await formed(await Promise.all(nodes)), proxies};
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
async function startNode(owner: Owner, {client, bus}: Ports, announced = client): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'koa-short-url-node-'));
  const child = spawn('redis-server', [
    ...['--port', `${client}`, '--cluster-enabled', 'yes', '--cluster-port', `${bus}`],
    ...['--cluster-announce-port', `${announced}`],
    ...['--dir', folder, '--save', '', '--appendonly', 'no'],
  ]);
  const exit = once(child, 'exit');
  owner.teardown(async () => {
    if (child.pid !== undefined && child.kill('SIGKILL')) await exit;
    await rm(folder, {recursive: true, force: true});
  });
  await Promise.race([ready(child), once(child, 'error').then(([error]) => Promise.reject(error as Error))]);
  return `127.0.0.1:${announced}`;
}

async function ready({stdout}: ChildProcess): Promise<void> {
  if (stdout === null) return;
  for await (const line of createInterface({input: stdout})) {
    if (!line.includes('Ready to accept connections')) continue;
    stdout.resume();
    return;
  }
  throw new Error('redis-server ended before it was ready');
}

interface Ports {
  readonly client: number;
  /** The port for the other nodes. */
  readonly bus: number;
}

async function freePorts(): Promise<Ports> {
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const [client = 0, bus = 0] = servers.map((server) => (server.address() as {port: number}).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return {client, bus};
}
