import type {ExecutionContext} from 'ava';
import {redisAddresses} from '../../src/store/redis-address.ts';
import {ClusterConnection} from '../../src/store/redis-cluster.ts';
import {type Reply, RespServer} from './resp-server.ts';
import {Told} from './told.ts';

/** A key of slot 0, and one of slot 12 739. */
export const [low, high] = ['', '123456789'];

/** What a node says of slots; the port is that of the master that has them. */
export function slots(...ranges: ReadonlyArray<readonly [first: number, last: number, port: number]>): Reply {
  return ranges.map(([first, last, port]) => [first, last, ['127.0.0.1', port, 'id']]);
}

/** Two nodes with half of the slots each, and what they say; a test changes what it wants otherwise. */
export interface Nodes {
  readonly first: RespServer;
  readonly second: RespServer;
  readonly says: {
    slots: () => Reply | Promise<Reply>;
    first: (command: string[]) => Reply | Promise<Reply>;
    second: (command: string[]) => Reply | Promise<Reply>;
  };
  /** How often it was asked who has which slots. */
  readonly looks: () => number;
  /** Resolves when it has been asked more often than that. */
  readonly looksAfter: (looks: number) => Promise<unknown>;
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
  const looks = (): number => first.count('CLUSTER') + second.count('CLUSTER');
  const looksAfter = (before: number): Promise<unknown> =>
    Promise.race([first, second].map((server) => server.when(() => looks() > before)));
  return {first, second, says, looks, looksAfter};
}

/** A connection that knows one node, or those that are named. */
export function connectTo(
  t: ExecutionContext,
  hosts: readonly string[],
  {timeout = 2000, told = new Told()}: {timeout?: number; told?: Told} = {},
): ClusterConnection {
  const connection = new ClusterConnection(redisAddresses(`redis+cluster://${hosts.join(',')}`, 6379, ''), {
    timeout,
    onError: told.onError,
  });
  t.teardown(() => connection.close());
  return connection;
}

export function get(connection: ClusterConnection, key: string): Promise<unknown> {
  return connection.send(key, ['GET', key]);
}
