import type {ExecutionContext} from 'ava';
import {RedisConnection} from '../../../src/store/redis/connection.ts';
import {sentinelAddress} from '../../../src/store/redis/open.ts';
import {openMaster} from '../../../src/store/redis/sentinel.ts';
import {type Reply, RespServer} from './resp-server.ts';
import {TimedConnection} from './timed-connection.ts';
import {Told} from './told.ts';

type Answer = (command: string[]) => Reply | Promise<Reply>;

/** A Sentinel, a master and another server, and their replies, which a test can change. */
export interface Servers {
  readonly sentinel: RespServer;
  readonly master: RespServer;
  readonly other: RespServer;
  readonly says: {named: Answer; role: Answer; master: Answer; other: Answer};
}

/** A Sentinel's reply with the address of a master. */
function place(server: RespServer): Reply {
  return ['127.0.0.1', `${server.port}`];
}

const accepted = new Set(['AUTH', 'SELECT']);

export async function startServers(t: ExecutionContext): Promise<Servers> {
  const says: Servers['says'] = {
    named: () => place(master),
    role: () => ['master', 0, []],
    master: () => 'master',
    other: () => 'other',
  };
  const server = (answer: Answer): Promise<RespServer> =>
    RespServer.start(t, (command) => {
      if (accepted.has(command[0] ?? '')) return 'OK';
      return command[0] === 'ROLE' ? says.role(command) : answer(command);
    });
  const sentinel = await RespServer.start(t, (command) => says.named(command));
  const master: RespServer = await server((command) => says.master(command));
  const other = await server((command) => says.other(command));
  return {sentinel, master, other, says};
}

interface Settings {
  readonly access?: string;
  readonly path?: string;
  readonly timeout?: number;
  readonly told?: Told;
}

export function connectTo(
  t: ExecutionContext,
  sentinels: readonly RespServer[],
  {access = '', path = 'links', timeout = 20_000, told = new Told()}: Settings = {},
): TimedConnection {
  const text = `redis+sentinel://${access}${sentinels.map(({address}) => address).join(',')}/${path}`;
  const address = sentinelAddress(text);
  const settings = {timeout, onError: told.onError};
  const connection = new TimedConnection(new RedisConnection(openMaster(address), settings), timeout);
  t.teardown(() => connection.close());
  return connection;
}

export function get(connection: TimedConnection): Promise<unknown> {
  return connection.send('key', ['GET', 'key']);
}
