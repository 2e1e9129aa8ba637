import {setImmediate} from 'node:timers/promises';
import {createKeyv} from '@keyv/redis';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {eventually} from '../../support/store/eventually.ts';
import {testStore} from '../../support/store/conformance.ts';
import {run} from '../../support/store/run.ts';
import {cleanSharedRedis, missingRedis, RedisServer, sharedRedis} from '../../support/store/redis-server.ts';

const skip = await missingRedis();
const guarantee = 'store';

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

cleanSharedRedis();

testStore({
  title: 'redis:',
  guarantee,
  skip,
  open: (namespace, now) => openStore(sharedRedis, {namespace, now, timeout}),
});

const check = skip === undefined ? test.serial : test.serial.skip;

for (const [title, options] of [
  ['without a namespace', {}],
  ['with the same namespace', {namespace: run}],
] as const) {
  check(`clear() of a neighbour's Keyv ${title} leaves the records`, async (t) => {
    // Another server, because without a namespace it clears all other keys.
    const server = await RedisServer.start();
    const keyv = createKeyv(server.url, options);
    const store = openStore(server.url, {namespace: run, timeout});
    t.teardown(async () => {
      await store.close();
      await keyv.disconnect();
      await server.kill();
    });
    await keyv.set('cached', 1);
    t.true(await store.insert('record', 1));
    t.is(await store.increment('sequence'), 1);
    await keyv.clear();
    t.is(await keyv.get('cached'), undefined);
    t.is((await store.get('record'))?.value, 1);
    t.is(await store.current('sequence'), 1);
  });
}

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
