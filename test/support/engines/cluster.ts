import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import {mkdtemp} from 'node:fs/promises';
import {createServer, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {promisify} from 'node:util';
import {eventually} from '../store/eventually.ts';
import {TcpProxy} from '../store/tcp-proxy.ts';
import type {Owner} from './engines.ts';

const run = promisify(execFile);

let shared: Promise<string> | undefined;

/** A namespace on three masters, which end with this process. The tests of the driver cover failovers to replicas. */
export async function redisCluster(): Promise<{store: string; namespace: string}> {
  shared ??= Promise.all([0, 1, 2].map(async () => startNode(untilExit, await freePorts()))).then(formed);
  return {store: await shared, namespace: `links-${randomBytes(6).toString('hex')}`};
}

const untilExit: Owner = {teardown: (undo) => void process.once('exit', undo)};

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
  const settings = [
    ...['--port', `${client}`, '--cluster-enabled', 'yes', '--cluster-port', `${bus}`],
    ...['--cluster-announce-port', `${announced}`],
    ...['--dir', folder, '--save', '', '--appendonly', 'no'],
  ];
  const child = spawn('redis-server', settings, {stdio: ['ignore', 'pipe', 'ignore']});
  const exit = once(child, 'exit');
  owner.teardown(async () => {
    const hasEnded = child.pid !== undefined && child.kill('SIGKILL') ? exit : undefined;
    rmSync(folder, {recursive: true, force: true});
    await hasEnded;
  });
  await Promise.race([ready(child), once(child, 'error').then(([error]) => Promise.reject(error as Error))]);
  // The process of the tests need not wait for it.
  child.unref();
  (child.stdout as Socket).unref();
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
