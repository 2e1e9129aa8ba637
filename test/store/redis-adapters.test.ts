import test from 'ava';
import {redisAdapter} from '../../src/store/redis-adapters.ts';

const settings = {timeout: 1000, onError: () => undefined};
const createKeyPrefix = (key: string, namespace?: string): string => `${namespace ?? ''}::${key}`;

/** What such an adapter is taken for, and what its client is sent for a key. */
async function sentBy(client: object): Promise<unknown[] | undefined> {
  let sent: unknown[] = [];
  const sendCommand = async (...parameters: unknown[]): Promise<unknown> => {
    sent = parameters.slice(0, -1);
    return null;
  };
  const listeners = {on: () => undefined, off: () => undefined};
  const adapter = {client: {isOpen: true, ...listeners, sendCommand, ...client}, createKeyPrefix, namespace: 'n'};
  const found = redisAdapter(adapter as never, settings);
  if (!found) return undefined;
  await found.driver.get(found.adapterKey('key'));
  return sent;
}

test('a client of one server, of a cluster and of sentinels is each spoken to in its own way', async (t) => {
  const command = ['MGET', 'n::key'];
  t.deepEqual(await sentBy({isReady: true}), [command]);
  t.deepEqual(await sentBy({masters: [1], slots: []}), ['n::key', false, command]);
  t.deepEqual(await sentBy({getSentinelNode: () => undefined}), [false, command]);
});

test('what is no adapter of Redis is taken for none', async (t) => {
  t.is(await sentBy({}), undefined);
  t.is(await sentBy({isReady: true, sendCommand: undefined}), undefined);
  const client = {isReady: true, sendCommand: () => undefined};
  for (const adapter of [{}, {client}, {createKeyPrefix}, {client, createKeyPrefix: 'n'}]) {
    t.is(redisAdapter(adapter as never, settings), undefined);
  }
});
