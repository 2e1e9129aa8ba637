import test from 'ava';
import {redisAdapter, valkeyAdapter} from '../../src/store/redis-adapters.ts';

const settings = {timeout: 1000, onError: () => undefined};
const createKeyPrefix = (key: string, namespace?: string): string => `${namespace ?? ''}::${key}`;
const nothing = (): undefined => undefined;

/** A client as hosts have it, which tells with which options it is opened again, and does not connect. */
function client(members: object = {}) {
  const opened: object[] = [];
  const duplicate = (options: object): object => {
    opened.push(options);
    return {on: nothing, connect: () => Promise.reject(new Error('refused'))};
  };
  return {opened, sendCommand: nothing, duplicate, ...members};
}

test('a client of one server is opened again with its own options, and without a queue or a reconnection', async (t) => {
  const host = client({options: {username: 'user', socket: {host: 'h', port: 1, tls: true}, RESP: 3}});
  const found = redisAdapter({client: host, createKeyPrefix, namespace: 'n'} as never, settings);
  await found?.driver.close();
  t.is(found?.adapterKey('key'), 'n::key');
  t.like(host.opened[0], {
    disableOfflineQueue: true,
    commandOptions: {},
    socket: {host: 'h', port: 1, tls: true, reconnectStrategy: false},
  });
});

test('a cluster client is opened again with its own nodes and defaults', async (t) => {
  const defaults = {username: 'user', socket: {tls: true}};
  const host = client({_options: {rootNodes: [{url: 'redis://h:1'}], defaults}});
  const found = redisAdapter({client: host, createKeyPrefix, namespace: 'n'} as never, settings);
  await found?.driver.close();
  t.like(host.opened[0], {
    rootNodes: [{url: 'redis://h:1'}],
    defaults: {username: 'user', disableOfflineQueue: true, socket: {tls: true, reconnectStrategy: false}},
  });
});

test('a client that cannot be opened again is refused', (t) => {
  for (const host of [{sendCommand: nothing, options: {}}, client()]) {
    t.throws(() => redisAdapter({client: host, createKeyPrefix} as never, settings), {
      instanceOf: TypeError,
      message: /a second time/,
    });
  }
});

test('what is no adapter of Redis or Valkey is taken for none', (t) => {
  const host = client({options: {}});
  for (const adapter of [
    {},
    {client: host},
    {createKeyPrefix},
    {client: host, createKeyPrefix: 'n'},
    {client: {...host, sendCommand: undefined}, createKeyPrefix},
  ]) {
    t.is(redisAdapter(adapter as never, settings), undefined);
  }
  for (const adapter of [{}, {redis: {duplicate: nothing, call: nothing}}, {redis: {}, _getKeyName: nothing}]) {
    t.is(valkeyAdapter(adapter as never, settings), undefined);
  }
});
