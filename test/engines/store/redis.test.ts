import {setImmediate} from 'node:timers/promises';
import KeyvRedis, {createClient} from '@keyv/redis';
import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../src/store/opening/open.ts';
import {eventually} from '../../support/store/eventually.ts';
import {compression} from '../../support/store/compression.ts';
import {run, testStore} from '../../support/store/conformance.ts';
import {cleanSharedRedis, missingRedis, sharedRedis} from '../../support/store/redis-server.ts';

const skip = await missingRedis();
const guarantee = 'store';

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

cleanSharedRedis();

testStore({title: 'redis:', guarantee, skip, open: (namespace) => openStore(sharedRedis, {namespace, timeout})});

const bufferClient = createClient({
  url: sharedRedis,
  disableOfflineQueue: true,
  RESP: 3,
  commandOptions: {typeMapping: {36: Buffer}},
});
const hosts = {
  'the Redis adapter': new KeyvRedis(sharedRedis),
  'an adapter whose client answers with buffers': new KeyvRedis(bufferClient as never),
  'a Keyv over Redis': new Keyv(new KeyvRedis(sharedRedis)),
  'a Keyv over Redis with another namespace and separator': new Keyv(
    new KeyvRedis(sharedRedis, {keyPrefixSeparator: '->'}),
    {namespace: `${run}-host`, useKeyPrefix: false},
  ),
  'a Keyv that compresses over Redis': new Keyv({
    store: new KeyvRedis(sharedRedis),
    namespace: 'host',
    compression,
  }),
};
for (const [title, option] of Object.entries(hosts)) {
  testStore({title, guarantee, skip, open: (namespace) => openStore(option, {namespace, timeout})});
  test.after.always(() => option.disconnect());
}

const check = skip === undefined ? test.serial : test.serial.skip;

for (const [title, option] of Object.entries(hosts)) {
  if (!(option instanceof Keyv)) continue;
  check(`${title} and the store read each other's records`, async (t) => {
    const namespace = `${run}-reads`;
    const store = openStore(option, {namespace, timeout});
    t.teardown(() => store.close());
    t.true(await store.insert('record', {text: ':colon'}));
    t.deepEqual(await option.get(`${namespace}:record`), {text: ':colon'});
    await option.set(`${namespace}:other`, {number: 1});
    t.deepEqual((await store.get('other'))?.value, {number: 1});
    await store.remove('record');
    await store.remove('other');
  });
}

check('another Keyv on the same adapter does not hide the records', async (t) => {
  const adapter = new KeyvRedis(sharedRedis);
  const store = openStore(new Keyv(adapter, {namespace: `${run}-first`}), {namespace: 'n', timeout});
  t.teardown(() => store.close());
  await store.insert('record', 1);
  new Keyv(adapter, {namespace: `${run}-second`});
  t.is((await store.get('record'))?.value, 1);
});

check("the store has its own connection, and does not change the host's client", async (t) => {
  const adapter = new KeyvRedis(sharedRedis);
  const listeners = adapter.client.listenerCount('error');
  const store = openStore(adapter, {namespace: run, timeout});
  await store.ping();
  t.is(adapter.client.listenerCount('error'), listeners);
  t.false(adapter.client.isOpen);
  await adapter.getClient();
  t.teardown(() => adapter.disconnect());
  await store.close();
  t.true(adapter.client.isOpen);
});

check('a host can connect its client after it has passed it on', async (t) => {
  const client = createClient({url: sharedRedis});
  const store = openStore(new KeyvRedis(client), {namespace: run, timeout});
  await client.connect();
  t.teardown(async () => {
    client.destroy();
    await store.close();
  });
  await t.notThrowsAsync(store.ping());
});

check('a process that was blocked for longer than the timeout still accepts the reply', async (t) => {
  const store = openStore(sharedRedis, {namespace: run, timeout: 50});
  t.teardown(() => store.close());
  await eventually(() => store.ping());
  const get = store.get('absent');
  // The client writes in the next turn of the event loop, and the reply arrives while the loop is blocked.
  await setImmediate();
  await setImmediate();
  const end = performance.now() + 200;
  while (performance.now() < end);
  t.is(await get, undefined);
});

check('close() waits for commands under way', async (t) => {
  const store = openStore(sharedRedis, {namespace: run, timeout});
  await store.ping();
  const inserts = Promise.all(Array.from({length: 100}, (_, index) => store.insert(`under-way-${index}`, index)));
  await store.close();
  t.true((await inserts).every(Boolean));
});

check('a store can be closed before it is connected', async (t) => {
  const store = openStore(sharedRedis, {namespace: run, timeout});
  await t.notThrowsAsync(store.close());
});
