import type {EventEmitter} from 'node:events';
import {createRequire} from 'node:module';
import {inspect} from 'node:util';
import KeyvValkey from '@keyv/valkey';
import test, {type ExecutionContext} from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../src/store/opening/open.ts';
import {run, testStore} from '../../support/store/conformance.ts';
import {eventually} from '../../support/store/eventually.ts';
import {cleanSharedRedis, missingRedis, RedisServer, sharedRedis} from '../../support/store/redis-server.ts';
import {TcpProxy} from '../../support/store/tcp-proxy.ts';

// Valkey speaks the protocol of Redis, so these tests use a Redis server.
const skip = await missingRedis();
const check = skip === undefined ? test.serial : test.serial.skip;
const guarantee = 'store';
const timeout = 20_000;
const url = sharedRedis.replace('redis:', 'valkey:');
const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};

cleanSharedRedis();

testStore({title: 'valkey:', guarantee, skip, open: (namespace) => openStore(url, {namespace, timeout})});

type Client = EventEmitter & {disconnect(): void; readonly status: string};
const {Redis} = createRequire(import.meta.resolve('@keyv/valkey'))('iovalkey') as {
  Redis: new (url: string, options?: object) => Client;
};
const lazy = {lazyConnect: true};
const hosts = {
  'the Valkey adapter': new KeyvValkey(new Redis(sharedRedis, lazy) as never),
  'a Keyv over Valkey whose adapter and client have a key prefix': new Keyv(
    new KeyvValkey(new Redis(sharedRedis, {...lazy, keyPrefix: `${run}>`}) as never, {useRedisSets: false}),
    {namespace: 'host'},
  ),
};
for (const [title, option] of Object.entries(hosts)) {
  testStore({title, guarantee, skip, open: (namespace) => openStore(option as never, {namespace, timeout})});
  test.after.always(() => option.disconnect());

  check(`${title} and the store read each other's records`, async (t) => {
    const keyv = option instanceof Keyv ? option : new Keyv({store: option as never, useKeyPrefix: false});
    const store = openStore(option as never, {namespace: `${run}-reads`, timeout});
    t.teardown(() => store.close());
    t.true(await store.insert('record', {text: ':colon'}));
    t.deepEqual(await keyv.get(`${run}-reads:record`), {text: ':colon'});
    await keyv.set(`${run}-reads:other`, {number: 1});
    t.deepEqual((await store.get('other'))?.value, {number: 1});
    // The adapter has a list of its keys, which has another prefix than the test.
    await keyv.delete(`${run}-reads:other`);
  });
}

check("closing the store does not change the host's client", async (t) => {
  const client = new Redis(sharedRedis, lazy);
  const store = openStore(new KeyvValkey(client as never) as never, {namespace: run, timeout});
  await store.ping();
  await store.close();
  t.is(client.status, 'wait');
  client.disconnect();
});

check('the Valkey adapter: no error has the wrong password', async (t) => {
  const server = await RedisServer.start('--requirepass', 'right');
  const errors: Error[] = [];
  const client = new Redis(`redis://:wr0ng@127.0.0.1:${server.port}`, lazy);
  const onOutage = (error: Error): void => void errors.push(error);
  const store = openStore(new KeyvValkey(client as never) as never, {namespace: 'n', timeout: 2000, onOutage});
  t.teardown(async () => {
    await store.close();
    client.disconnect();
    await server.kill();
  });
  const error = await t.throwsAsync(store.insert('record', 1), unavailable);
  t.regex(String(error.cause), /WRONGPASS/);
  t.is(errors.length, 1);
  t.notRegex(inspect([error, errors], {depth: Infinity, showHidden: true}), /wr0ng/);
});

async function behindProxy(t: ExecutionContext) {
  const server = await RedisServer.start();
  const proxy = await TcpProxy.start(server.port);
  const client = new Redis(`redis://127.0.0.1:${proxy.port}`, lazy);
  const errors: Error[] = [];
  const store = openStore(new KeyvValkey(client as never) as never, {
    namespace: 'n',
    timeout: 500,
    onOutage: (error) => errors.push(error),
  });
  t.teardown(async () => {
    await store.close();
    client.disconnect();
    await proxy.cut();
    await server.kill();
  });
  await eventually(() => store.ping());
  return {server, proxy, store, errors};
}

check('the Valkey adapter: a write refused in an outage does not happen later', async (t) => {
  const {proxy, store, errors} = await behindProxy(t);
  await proxy.cut();
  const results = await Promise.allSettled(Array.from({length: 20}, (_, index) => store.insert(`refused-${index}`, 1)));
  t.true(results.every(({status}) => status === 'rejected'));
  await t.throwsAsync(store.increment('sequence'), unavailable);
  t.is(errors.length, 1);
  await proxy.mend();
  await eventually(() => store.ping());
  t.is(await store.current('sequence'), 0);
  const entries = await store.getMany(Array.from({length: 20}, (_, index) => `refused-${index}`));
  t.true(entries.every((entry) => entry === undefined));
});

check('the Valkey adapter: a silent connection is an outage, and is replaced', async (t) => {
  const {server, proxy, store} = await behindProxy(t);
  t.true(await store.insert('before', 1));
  proxy.silence();
  const start = performance.now();
  await t.throwsAsync(store.increment('sequence'), unavailable);
  await t.throwsAsync(store.get('before'), unavailable);
  t.true(performance.now() - start < 2500);
  await proxy.mend();
  await eventually(() => store.ping());
  t.is((await store.get('before'))?.value, 1);
  t.true((await store.increment('sequence')) <= 2, 'the network may have delivered what it had accepted');
  t.true((await server.clients()) <= 4);
});
