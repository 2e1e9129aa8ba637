import {once} from 'node:events';
import {type AddressInfo, createServer, type Socket} from 'node:net';
import type {ExecutionContext} from 'ava';
import {RedisConnection} from '../../../src/store/engines/redis/connection.ts';
import {sentinelAddress} from '../../../src/store/engines/redis/open.ts';
import {openMaster} from '../../../src/store/engines/redis/sentinel.ts';
import {timed, type TimedConnection} from './timed-connection.ts';

/** A reply of a server: text, number, null, list or error. */
type Reply = string | number | null | Error | readonly Reply[];

type Answer = (command: string[]) => Reply;

/** A server in the test's process that speaks the protocol of Redis. */
interface RespServer {
  /** The commands, without those by which a client introduces itself. */
  readonly asked: string[][];
  readonly port: number;
  readonly address: string;
}

async function startServer(t: ExecutionContext, answer: Answer): Promise<RespServer> {
  const asked: string[][] = [];
  const sockets = new Set<Socket>();
  const replyTo = (command: string[]): Reply => {
    if (command[0] === 'CLIENT') return 'OK';
    asked.push(command);
    return answer(command);
  };
  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      for (let read = readCommand(text); read; read = readCommand(text)) {
        text = read.rest;
        socket.write(written(replyTo(read.command)));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const {port} = server.address() as AddressInfo;
  return {asked, port, address: `127.0.0.1:${port}`};
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

/** A Sentinel and a master, and their replies, which a test can change. */
interface Servers {
  readonly sentinel: RespServer;
  readonly master: RespServer;
  readonly says: {named: Answer; role: Answer};
}

export async function startServers(t: ExecutionContext): Promise<Servers> {
  const says: Servers['says'] = {
    named: () => ['127.0.0.1', `${master.port}`],
    role: () => ['master', 0, []],
  };
  const sentinel = await startServer(t, (command) => says.named(command));
  const master: RespServer = await startServer(t, (command) => {
    if (command[0] === 'AUTH' || command[0] === 'SELECT') return 'OK';
    return command[0] === 'ROLE' ? says.role(command) : 'master';
  });
  return {sentinel, master, says};
}

export function connectTo(
  t: ExecutionContext,
  sentinels: readonly RespServer[],
  {access = '', path = 'links'} = {},
): TimedConnection {
  const text = `redis+sentinel://${access}${sentinels.map(({address}) => address).join(',')}/${path}`;
  // Long enough for a busy machine.
  const timeout = 20_000;
  const settings = {timeout, onError: () => undefined};
  const connection = timed(new RedisConnection(openMaster(sentinelAddress(text)), settings), timeout);
  t.teardown(() => connection.close());
  return connection;
}

export function get(connection: TimedConnection): Promise<unknown> {
  return connection.send('key', ['GET', 'key']);
}
