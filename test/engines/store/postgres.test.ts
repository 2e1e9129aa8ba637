import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../src/store/opening/open.ts';
import {compression} from '../../support/store/compression.ts';
import {run, testStore} from '../../support/store/conformance.ts';
import {eventually} from '../../support/store/eventually.ts';
import {ask, hostPostgres, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';

const skip = await missingPostgres();
const url = ownPostgres('one', skip);
const secondUrl = ownPostgres('two', skip);
const thirdUrl = ownPostgres('three', skip);
const guarantee = 'store';
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

testStore({title: 'postgres:', guarantee, skip, open: (namespace) => openStore(url, {namespace, timeout})});

/** Created when first used: an adapter connects at once, and its database must exist. */
function lazy<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

const hosts = {
  'the Postgres adapter': lazy(() => hostPostgres(url)),
  'a Keyv with another table and schema': lazy(
    () =>
      new Keyv({store: hostPostgres(url, {table: 'Links', schema: '"Host\'s own"', keySize: 190}), namespace: 'host'}),
  ),
  'a Keyv that compresses over Postgres': lazy(
    () => new Keyv({store: hostPostgres(url, {max: 3}), namespace: 'host', compression}),
  ),
};
for (const [title, host] of Object.entries(hosts)) {
  testStore({title, guarantee, skip, open: (namespace) => openStore(host(), {namespace, timeout})});
}

for (const [title, host] of Object.entries(hosts)) {
  check(`${title} and the store read each other's records`, async (t) => {
    const given = host();
    const keyv = given instanceof Keyv ? given : new Keyv({store: given, useKeyPrefix: false});
    const store = openStore(given, {namespace: `${run}-reads`});
    t.true(await store.insert('record', {text: ':colon'}));
    t.deepEqual(await keyv.get(`${run}-reads:record`), {text: ':colon'});
    await keyv.set(`${run}-reads:other`, {number: 1});
    t.deepEqual((await store.get('other'))?.value, {number: 1});
  });
}

check(
  "two shorteners with two URLs and a host's Keyv with a third work at once, and after one is closed",
  async (t) => {
    const one = openStore(url, {namespace: 'urls'});
    const two = openStore(secondUrl, {namespace: 'urls'});
    const keyv = new Keyv({store: hostPostgres(thirdUrl), namespace: 'urls'});
    const three = openStore(keyv, {namespace: 'urls'});
    t.teardown(() => Promise.all([two.close(), keyv.disconnect()]));
    const stores = [one, two, three];
    t.deepEqual(await Promise.all(stores.map((store, index) => store.insert('same', index))), [true, true, true]);
    await one.close();
    t.is((await two.get('same'))?.value, 1);
    t.is((await three.get('same'))?.value, 2);
    t.is(await keyv.get('same'), 2);
    for (const [index, database] of [url, secondUrl, thirdUrl].entries()) {
      t.deepEqual(
        await ask(database, "select value::jsonb -> 'value' as value from public.keyv where key = 'urls:same'"),
        [{value: index}],
      );
    }
  },
);

check('a table with short keys has long keys by their digest', async (t) => {
  const keyv = new Keyv({store: hostPostgres(url, {table: 'short', keySize: 80}), namespace: 'host'});
  const store = openStore(keyv, {namespace: 'short'});
  t.true(await store.insert(`${'k'.repeat(150)}a`, 1));
  t.true(await store.insert(`${'k'.repeat(150)}b`, 2));
  t.is((await store.get(`${'k'.repeat(150)}b`))?.value, 2);
});

check(
  'an adapter created while its server is away does not end the process, and works when the server is back',
  async (t) => {
    const absent = new URL(thirdUrl);
    absent.pathname += '-absent';
    const store = openStore(hostPostgres(absent.href), {namespace: 'n'});
    await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
    await ask(thirdUrl, `create database "${absent.pathname.slice(1)}"`);
    t.teardown(() => eventually(() => ask(thirdUrl, `drop database "${absent.pathname.slice(1)}"`)));
    t.true(await store.insert('record', 1));
  },
);
