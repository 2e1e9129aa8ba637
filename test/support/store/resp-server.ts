import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import type {ExecutionContext} from 'ava';

/** A reply: text, number, null, list or error. */
export type Reply = string | number | null | Error | readonly Reply[];

export type Answer = (command: string[]) => Reply;

/** A server in the test's process that speaks the protocol of Redis. The test sets its replies. */
export class RespServer {
  /** The commands, without those by which a client introduces itself. */
  readonly asked: string[][] = [];
  readonly port: number;
  readonly #answer: Answer;

  private constructor(port: number, answer: Answer) {
    this.port = port;
    this.#answer = answer;
  }

  static async start(t: ExecutionContext, answer: Answer): Promise<RespServer> {
    const sockets = new Set<Socket>();
    const listener = createServer((socket) => {
      sockets.add(socket);
      server.#take(socket);
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const server = new RespServer((listener.address() as AddressInfo).port, answer);
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    });
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  #take(socket: Socket): void {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let read = readCommand(text); read; read = readCommand(text)) {
        text = read.rest;
        socket.write(written(this.#replyTo(read.command)));
      }
    });
  }

  #replyTo(command: string[]): Reply {
    if (command[0] === 'CLIENT') return 'OK';
    this.asked.push(command);
    return this.#answer(command);
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

function written(reply: Reply): string {
  if (reply === null) return '$-1\r\n';
  if (reply instanceof Error) return `-${reply.message}\r\n`;
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map(written).join('')}`;
}
