import test from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../src/store/open.ts';
import {compression} from './compression.ts';
import {testStore} from './conformance.ts';
import {eventually} from './eventually.ts';
import {ask, connection, dropDatabase, hostMysql, missingMysql, ownMysql} from './mysql-server.ts';

const skip = await missingMysql();
const url = ownMysql('one', skip);
const secondUrl = ownMysql('two', skip, 'latin1_swedish_ci');
const thirdUrl = ownMysql('three', skip);
const guarantee = 'store';
const check = skip === undefined ? test.serial : test.serial.skip;

/** So that a machine with more to do than these tests does not fail them, in milliseconds. */
const timeout = 20_000;

testStore({title: 'mysql:', guarantee, skip, open: (namespace) => openStore(url, {namespace, timeout})});

/** Made when they are needed: an adapter connects at once, and its database must be there. */
function lazy<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}

const hosts = {
  'the MySQL adapter': lazy(() => hostMysql(url, {table: 'adapter'})),
  'a Keyv over a table of its own': lazy(
    () => new Keyv({store: hostMysql(url, {table: "Host's `own", keySize: 190}), namespace: 'Host É'}),
  ),
  'a Keyv that compresses over MySQL, with options that change what its client answers': lazy(() => {
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

check('a Keyv reads what the store wrote, and the store what it wrote, under keys in small letters', async (t) => {
  const keyv = new Keyv({store: hostMysql(url), namespace: 'host'});
  const store = openStore(keyv, {namespace: 'reads'});
  t.true(await store.insert('record', {text: ':colon'}));
  t.deepEqual(await keyv.get('reads:record'), {text: ':colon'});
  await keyv.set('reads:other', {number: 1});
  t.deepEqual((await store.get('other'))?.value, {number: 1});
});

check(
  "two shorteners with two URLs, and a host's Keyv with a third, all work at once, and after one is closed",
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

for (const collation of ['utf8mb4_general_ci', 'utf8mb4_unicode_ci', 'utf8mb4_bin', 'latin1_swedish_ci']) {
  check(
    `a table in ${collation} keeps keys apart that its collation takes for one, and finds each by its index`,
    async (t) => {
      const table = `in_${collation}`;
      const charset = collation.split('_')[0];
      await ask(
        url,
        `create table ${table} (id varchar(255) primary key, value text) character set ${charset} collate ${collation}`,
      );
      const adapter = hostMysql(url, {table});
      const stores = ['n', 'N', 'ñ', 'n ', 'n^'].map((namespace) => openStore(adapter, {namespace}));
      const keys = ['abc', 'aBc', 'ABC', 'abc^', '^abc', 'abc_', 'ab%'];
      for (const store of stores) {
        for (const key of keys) t.true(await store.insert(key, key), key);
        t.deepEqual(
          (await store.getMany(keys)).map((entry) => entry?.value),
          keys,
        );
      }
      const [store] = stores;
      const entry = await store?.get('abc');
      t.false(
        await store?.replace('abc', String(entry?.revision).toUpperCase(), 'other'),
        'records differ by case too',
      );
      const [plan] = await ask(url, `explain select id, value from ${table} where id in ('n:abc')`);
      t.is(plan?.['key'], 'PRIMARY');
      t.is(Number(plan?.['rows']), 1);
    },
  );
}

check("a write that waits for somebody's lock fails in time, and does not happen when the lock is gone", async (t) => {
  const store = openStore(url, {namespace: 'locked', timeout: 1000});
  t.teardown(() => store.close());
  await store.insert('record', 'before');
  const revision = (await store.get('record'))?.revision;
  const other = await connection(url);
  t.teardown(() => other.end());
  await other.query('begin');
  await other.query("select * from keyv where id = 'locked:record' for update");
  await t.throwsAsync(store.replace('record', revision, 'after'), {code: 'store_unavailable'});
  const waiting = "select 1 from information_schema.processlist where db = database() and info like 'update%'";
  await eventually(async () => {
    if ((await ask(url, waiting)).length > 0) throw new Error('The statement still waits');
  });
  await other.query('commit');
  t.is((await store.get('record'))?.value, 'before');
});

check('a table that is dropped is created again', async (t) => {
  const store = openStore(secondUrl, {namespace: 'dropped'});
  t.teardown(() => store.close());
  await store.insert('record', 1);
  await ask(secondUrl, 'drop table keyv');
  t.is(await store.get('record'), undefined);
  await ask(secondUrl, 'drop table keyv');
  const inserts = Array.from({length: 10}, (_, index) => store.insert(`record-${index}`, 1));
  t.true((await Promise.all(inserts)).every(Boolean));
});

check('a table that an adapter has created is used as it is, and what it cannot hold is refused', async (t) => {
  await ask(thirdUrl, 'drop table if exists keyv');
  await ask(thirdUrl, 'create table keyv (id varchar(255) primary key, value text)');
  const store = openStore(thirdUrl, {namespace: 'narrow'});
  t.teardown(() => store.close());
  t.true(await store.insert('aBc', 1));
  t.true(await store.insert('abc', 2));
  const error = await t.throwsAsync(store.insert('large', 'x'.repeat(70_000)), {code: 'store_unavailable'});
  t.regex(String(error.cause), /too long/);
  t.is((error.cause as {sql?: unknown}).sql, undefined, 'the record is not in the error');
  t.is(await store.get('large'), undefined);
});

check('an adapter whose server cuts records off without a word is refused, and says why', async (t) => {
  const adapter = hostMysql(url);
  const query = (adapter as unknown as {query: (statement: {sql: string}) => Promise<unknown>}).query.bind(adapter);
  const lax = Object.assign(adapter, {
    query: (statement: {sql: string}) =>
      statement.sql.includes('@@sql_mode') ? Promise.resolve([{mode: 'ANSI'}]) : query(statement),
  });
  const store = openStore(lax, {namespace: 'lax'});
  const error = await t.throwsAsync(store.insert('record', 1), {code: 'store_unavailable'});
  t.regex(String(error.cause), /Expected the sql_mode of MySQL to be strict/);
});

check(
  'an adapter that was made while its server was away does not end the process, and works when it is back',
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
