import type {ExecutionContext} from 'ava';
import {openClusterAt} from '../../../src/store/redis/client.ts';
import {RedisConnection} from '../../../src/store/redis/connection.ts';
import {clusterAddresses} from '../../../src/store/redis/open.ts';
import {type Reply, RespServer} from './resp-server.ts';
import {TimedConnection} from './timed-connection.ts';
import {Told} from './told.ts';

/** A key of slot 3300, and one of slot 12182. */
export const [low, high] = ['b', 'foo'];

/** The reply to CLUSTER SLOTS. The port is that of the slots' master. */
export function slots(...ranges: ReadonlyArray<readonly [first: number, last: number, port: number]>): Reply {
  return ranges.map(([first, last, port]) => [first, last, ['127.0.0.1', port, 'id']]);
}

/** Two nodes with half of the slots each, and their replies, which a test can change. */
export interface Nodes {
  readonly first: RespServer;
  readonly second: RespServer;
  readonly says: {
    slots: () => Reply | Promise<Reply>;
    first: (command: string[]) => Reply | Promise<Reply>;
    second: (command: string[]) => Reply | Promise<Reply>;
  };
  /** The number of CLUSTER SLOTS requests. */
  readonly looks: () => number;
}

export async function startNodes(t: ExecutionContext): Promise<Nodes> {
  const says: Nodes['says'] = {
    slots: () => slots([0, 8191, first.port], [8192, 16_383, second.port]),
    first: () => 'first',
    second: () => 'second',
  };
  const first: RespServer = await RespServer.start(t, (command) =>
    command[0] === 'CLUSTER' ? says.slots() : says.first(command),
  );
  const second: RespServer = await RespServer.start(t, (command) =>
    command[0] === 'CLUSTER' ? says.slots() : says.second(command),
  );
  return {first, second, says, looks: () => first.count('CLUSTER') + second.count('CLUSTER')};
}

/** A connection with one known node, or those given. */
export function connectTo(
  t: ExecutionContext,
  hosts: readonly string[],
  {access = '', timeout = 20_000, told = new Told()}: {access?: string; timeout?: number; told?: Told} = {},
): TimedConnection {
  const addresses = clusterAddresses(`redis+cluster://${access}${hosts.join(',')}`);
  const settings = {isCluster: true, timeout, onError: told.onError};
  const connection = new TimedConnection(new RedisConnection(openClusterAt(addresses), settings), timeout);
  t.teardown(() => connection.close());
  return connection;
}

export function get(connection: TimedConnection, key: string): Promise<unknown> {
  return connection.send(key, ['GET', key]);
}
