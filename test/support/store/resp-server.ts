import {once} from 'node:events';
import {type AddressInfo, createServer, type Server, type Socket} from 'node:net';
import type {ExecutionContext} from 'ava';

/** A reply: text, number, null, list or error; undefined for no reply. */
export type Reply = string | number | null | Error | readonly Reply[] | undefined;

/** A server in the test's process that speaks the protocol of Redis. The test sets its replies. */
export class RespServer {
  /** The commands, without those by which a client introduces itself. */
  readonly asked: string[][] = [];
  readonly #answer: (command: string[]) => Reply | Promise<Reply>;
  readonly #sockets = new Map<Socket, Set<string>>();
  #server: Server | undefined;
  #watchers: Array<() => void> = [];
  #connections = 0;
  port = 0;

  private constructor(answer: (command: string[]) => Reply | Promise<Reply>) {
    this.#answer = answer;
  }

  static async start(
    t: ExecutionContext,
    answer: (command: string[]) => Reply | Promise<Reply> = () => 'OK',
  ): Promise<RespServer> {
    const server = new RespServer(answer);
    await server.restart();
    t.teardown(() => server.stop());
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The number of open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  /** The number of connections so far. */
  get connections(): number {
    return this.#connections;
  }

  /** The number of commands with this name. */
  count(name: string): number {
    return this.asked.filter(([first]) => first === name).length;
  }

  /** The number of open connections on which a command with this name arrived. */
  openFor(name: string): number {
    return Array.from(this.#sockets.values()).filter((names) => names.has(name)).length;
  }

  /** Resolves as soon as the condition holds. */
  async when(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.drop();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  /** Listens again on the same port. */
  async restart(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#take(socket);
    }).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  #take(socket: Socket): void {
    const names = new Set<string>();
    let text = '';
    let last: Promise<unknown> = Promise.resolve();
    this.#connections += 1;
    this.#sockets.set(socket, names);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#notice();
    });
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let read = readCommand(text); read; read = readCommand(text)) {
        const {command, rest} = read;
        text = rest;
        last = last.then(() => this.#serve(socket, command));
        names.add(command[0] ?? '');
      }
    });
    this.#notice();
  }

  async #serve(socket: Socket, command: string[]): Promise<void> {
    const isGreeting = command[0] === 'CLIENT';
    if (!isGreeting) this.asked.push(command);
    this.#notice();
    const reply = isGreeting ? 'OK' : await this.#answer(command);
    if (reply !== undefined && socket.writable) socket.write(written(reply));
  }

  #notice(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}

/** Reads a list of strings, which is the only form of command; undefined until it is complete. The name is in upper case. */
function readCommand(text: string): {command: string[]; rest: string} | undefined {
  const list = /^\*(\d+)\r\n/.exec(text);
  if (!list) return undefined;
  let place = list[0].length;
  const command: string[] = [];
  for (let left = Number(list[1]); left > 0; left -= 1) {
    const head = /^\$(\d+)\r\n/.exec(text.slice(place));
    if (!head) return undefined;
    const begin = place + head[0].length;
    const end = begin + Number(head[1]);
    if (text.length < end + 2) return undefined;
    command.push(text.slice(begin, end));
    place = end + 2;
  }
  const [name = '', ...parameters] = command;
  return {command: [name.toUpperCase(), ...parameters], rest: text.slice(place)};
}

function written(reply: Exclude<Reply, undefined>): string {
  if (reply === null) return '$-1\r\n';
  if (reply instanceof Error) return `-${reply.message}\r\n`;
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map((item) => written(item ?? null)).join('')}`;
}
