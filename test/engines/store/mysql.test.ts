import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../../src/store/opening/open.ts';
import {compression} from '../../support/store/compression.ts';
import {testStore} from '../../support/store/conformance.ts';
import {eventually} from '../../support/store/eventually.ts';
import {ask, dropDatabase, hostMysql, missingMysql, ownMysql} from '../../support/store/mysql-server.ts';

const skip = await missingMysql();
const url = ownMysql('one', skip);
const secondUrl = ownMysql('two', skip, 'latin1_swedish_ci');
const thirdUrl = ownMysql('three', skip);
const guarantee = 'store';
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

testStore({title: 'mysql:', guarantee, skip, open: (namespace) => openStore(url, {namespace, timeout})});

/** Created when first used: an adapter connects at once, and its database must exist. */
function lazy<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

const hosts = {
  'the MySQL adapter': lazy(() => hostMysql(url, {table: 'adapter'})),
  'a Keyv with another table': lazy(
    () => new Keyv({store: hostMysql(url, {table: "Host's `own", keySize: 190}), namespace: 'Host É'}),
  ),
  'a Keyv that compresses over MySQL, with options that change the results of its client': lazy(() => {
    const options = {
      connectionLimit: 3,
      table: 'compressed',
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
    };
    return new Keyv({store: hostMysql(url, options), namespace: 'host', compression});
  }),
};
for (const [title, host] of Object.entries(hosts)) {
  testStore({
    title,
    guarantee,
    hasSmallRecords: true,
    skip,
    open: (namespace) => openStore(host(), {namespace, timeout}),
  });
}

check("a Keyv and the store read each other's records, under lower-case keys", async (t) => {
  const keyv = new Keyv({store: hostMysql(url), namespace: 'host'});
  const store = openStore(keyv, {namespace: 'reads'});
  t.true(await store.insert('record', {text: ':colon'}));
  t.deepEqual(await keyv.get('reads:record'), {text: ':colon'});
  await keyv.set('reads:other', {number: 1});
  t.deepEqual((await store.get('other'))?.value, {number: 1});
});

check(
  "two shorteners with two URLs and a host's Keyv with a third work at once, and after one is closed",
  async (t) => {
    const one = openStore(url, {namespace: 'urls'});
    const two = openStore(secondUrl, {namespace: 'urls'});
    const keyv = new Keyv({store: hostMysql(thirdUrl), namespace: 'urls'});
    const three = openStore(keyv, {namespace: 'urls'});
    t.teardown(() => Promise.all([two.close(), keyv.disconnect()]));
    const stores = [one, two, three];
    t.deepEqual(await Promise.all(stores.map((store, index) => store.insert('same', {index}))), [true, true, true]);
    await one.close();
    t.deepEqual((await two.get('same'))?.value, {index: 1});
    t.deepEqual((await three.get('same'))?.value, {index: 2});
    t.deepEqual(await keyv.get('same'), {index: 2});
    for (const [index, database] of [url, secondUrl, thirdUrl].entries()) {
      t.deepEqual(await ask(database, "select value from keyv where id = 'urls:same'"), [
        {value: `{"value":{"index":${index}}}`},
      ]);
    }
  },
);

check('a record too long for the table of an adapter fails alone, and is not an outage', async (t) => {
  await ask(thirdUrl, 'drop table if exists keyv');
  await ask(thirdUrl, 'create table keyv (id varchar(255) primary key, value text)');
  const outages: Error[] = [];
  const store = openStore(thirdUrl, {namespace: 'narrow', timeout, onOutage: (error) => outages.push(error)});
  t.teardown(() => store.close());
  const inserts = [store.insert('aBc', 1), store.insert('large', 'x'.repeat(70_000)), store.insert('abc', 2)];
  const [first, second, third] = await Promise.allSettled(inserts);
  t.like([first, third], [{value: true}, {value: true}]);
  t.like(second, {status: 'rejected', reason: {code: 'store_unavailable', cause: {code: 'ER_DATA_TOO_LONG'}}});
  t.is(await store.get('large'), undefined);
  t.deepEqual(outages, []);
});

check(
  'an adapter created while its server is away does not end the process, and works when the server is back',
  async (t) => {
    const absent = `${new URL(thirdUrl).pathname.slice(1)}-absent`;
    const store = openStore(hostMysql(new URL(`/${absent}`, thirdUrl).href), {namespace: 'n'});
    await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
    await t.throwsAsync(store.ping(), {code: 'store_unavailable'});
    await ask(thirdUrl, `create database \`${absent}\``);
    t.teardown(() => dropDatabase(absent));
    await eventually(() => store.ping());
    t.true(await store.insert('record', 1));
  },
);

check('a value that the column refuses fails its own operation, and is no outage', async (t) => {
  await ask(secondUrl, 'create table narrow (id varchar(255) primary key, value text) character set latin1');
  const store = openStore(hostMysql(secondUrl, {table: 'narrow'}), {namespace: 'n'});
  t.true(await store.insert('record', 'text'));
  const {revision} = (await store.get('record')) ?? {};
  await t.throwsAsync(store.insert('other', '\u{1f517}'), {code: 'store_unavailable'});
  await t.throwsAsync(store.replace('record', revision, '\u{1f517}'), {code: 'store_unavailable'});
  t.false(store.isAway);
  t.true(await store.replace('record', revision, 'another text'));
  await store.close();
});
