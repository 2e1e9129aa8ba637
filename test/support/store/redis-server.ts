import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer, type Socket} from 'node:net';
import {createInterface} from 'node:readline';
import {createClient} from '@keyv/redis';
import type {Owner} from '../owner.ts';

const running = new Set<ChildProcess>();
// Also if the tests end early.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A server of a test's own, which can be stopped and started. It saves nothing and is otherwise as it comes. */
export class RedisServer {
  readonly port: number;
  /** The password with which `ask` logs in first. */
  password: string | undefined;
  #process: ChildProcess | undefined;

  private constructor(owner: Owner, port: number) {
    this.port = port;
    owner.teardown(() => this.kill());
  }

  /** @param parameters options of `redis-server`, such as `--requirepass` */
  static async start(owner: Owner, ...parameters: string[]): Promise<RedisServer> {
    return RedisServer.startOn(owner, await freePort(), ...parameters);
  }

  /** @param file the configuration of the Sentinel, which it rewrites */
  static async startSentinel(owner: Owner, port: number, file: string): Promise<RedisServer> {
    const server = new RedisServer(owner, port);
    await server.#spawn(file, '--sentinel', '--port', `${port}`);
    return server;
  }

  static async startOn(owner: Owner, port: number, ...parameters: string[]): Promise<RedisServer> {
    const server = new RedisServer(owner, port);
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
    const child = spawn('redis-server', parameters, {stdio: ['ignore', 'pipe', 'ignore']});
    this.#process = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
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
    // The process of the tests need not wait for it.
    child.unref();
    (child.stdout as Socket).unref();
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** Keeps connections open without answering. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
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
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as {port: number};
  server.close();
  await once(server, 'close');
  return port;
}
