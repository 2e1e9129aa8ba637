import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {createClient} from '@keyv/redis';
import test from 'ava';
import {run} from './run.ts';

/** The shared server. Tests leave nothing on it. */
export const sharedRedis = 'redis://127.0.0.1:6379';

/** Why Redis cannot be tested here. In CI a missing server fails instead. */
export async function missingRedis(): Promise<string | undefined> {
  const client = createClient({url: sharedRedis, socket: {reconnectStrategy: false, connectTimeout: 1000}});
  client.on('error', () => undefined);
  try {
    await client.connect();
    client.destroy();
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    const reason = `no Redis at ${sharedRedis}`;
    console.warn(`Tests on Redis are skipped: ${reason}`);
    return reason;
  }
}

/** Removes everything that this run has left on the shared server. */
export function cleanSharedRedis(): void {
  test.after.always(async () => {
    if ((await missingRedis()) !== undefined) return;
    const client = createClient({url: sharedRedis});
    await client.connect();
    for await (const keys of client.scanIterator({MATCH: `*${run}*`, COUNT: 1000})) {
      if (keys.length > 0) await client.unlink(keys);
    }
    client.destroy();
  });
}

/** A server for one test, which can be stopped and started. */
export class RedisServer {
  readonly port: number;
  /** The password with which `ask` logs in first. */
  password: string | undefined;
  #process: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** @param parameters options of `redis-server`, such as `--requirepass` */
  static async start(...parameters: string[]): Promise<RedisServer> {
    return RedisServer.startOn(await freePort(), ...parameters);
  }

  /** @param file the configuration of the Sentinel, which it rewrites */
  static async startSentinel(port: number, file: string): Promise<RedisServer> {
    const server = new RedisServer(port);
    await server.#spawn(file, '--sentinel', '--port', `${port}`);
    return server;
  }

  static async startOn(port: number, ...parameters: string[]): Promise<RedisServer> {
    const server = new RedisServer(port);
    await server.restart(...parameters);
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async restart(...parameters: string[]): Promise<void> {
    await this.#spawn('--port', `${this.port}`, '--save', '', '--appendonly', 'no', ...parameters);
  }

  async #spawn(...parameters: string[]): Promise<void> {
    const child = spawn('redis-server', parameters);
    this.#process = child;
    // Also if the tests end early.
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
    const lines = createInterface({input: child.stdout});
    const ready = new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => {
        // The second is the message of a Sentinel.
        if (/Ready to accept connections|\+monitor master/.test(line)) resolve();
      });
      lines.on('close', () => {
        reject(new Error('redis-server ended before it was ready'));
      });
    });
    await Promise.race([ready, failed]);
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Keeps connections open without answering. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  /** The number of connections accepted since the start, including the one that asks. */
  async connectionsAccepted(): Promise<number> {
    return Number(/total_connections_received:(\d+)/.exec(String(await this.ask('INFO')))?.[1]);
  }

  /** Sends a command on its own connection. */
  async ask(...command: string[]): Promise<unknown> {
    const client = createClient({
      url: this.url,
      ...(this.password ? {password: this.password} : {}),
      socket: {reconnectStrategy: false},
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as {port: number};
  server.close();
  await once(server, 'close');
  return port;
}
