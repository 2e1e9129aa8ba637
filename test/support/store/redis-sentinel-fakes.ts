import type {ExecutionContext} from 'ava';
import {RedisConnection} from '../../../src/store/redis/connection.ts';
import {sentinelAddress} from '../../../src/store/redis/open.ts';
import {openMaster} from '../../../src/store/redis/sentinel.ts';
import {type Answer, type Reply, RespServer} from './resp-server.ts';
import {TimedConnection} from './timed-connection.ts';

/** A Sentinel and a master, and their replies, which a test can change. */
interface Servers {
  readonly sentinel: RespServer;
  readonly master: RespServer;
  readonly says: {named: Answer; role: Answer};
}

/** A Sentinel's reply with the address of a master. */
function place(server: RespServer): Reply {
  return ['127.0.0.1', `${server.port}`];
}

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

const accepted = new Set(['AUTH', 'SELECT']);

export async function startServers(t: ExecutionContext): Promise<Servers> {
  const says: Servers['says'] = {
    named: () => place(master),
    role: () => ['master', 0, []],
  };
  const sentinel = await RespServer.start(t, (command) => says.named(command));
  const master: RespServer = await RespServer.start(t, (command) => {
    if (accepted.has(command[0] ?? '')) return 'OK';
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
  const settings = {timeout, onError: () => undefined};
  const connection = new TimedConnection(new RedisConnection(openMaster(sentinelAddress(text)), settings), timeout);
  t.teardown(() => connection.close());
  return connection;
}

export function get(connection: TimedConnection): Promise<unknown> {
  return connection.send('key', ['GET', 'key']);
}
