import {createKeyv} from '@keyv/redis';
import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
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

for (const [title, options, scheme] of [
  ['without a namespace', {}, 'redis:'],
  ['with the same namespace', {namespace: run}, 'valkey:'],
] as const) {
  check(`clear() of a neighbour's Keyv ${title} leaves the records`, async (t) => {
    // Another server, because without a namespace it clears all other keys.
    const server = await RedisServer.start();
    const keyv = createKeyv(server.url, options);
    const store = openStore(server.url.replace('redis:', scheme), {namespace: run, timeout});
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
