import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {testStore} from '../../support/store/conformance.ts';
import {ask, missingMysql, ownMysql} from '../../support/store/mysql-server.ts';

const skip = await missingMysql();
const url = ownMysql('one', skip);
const secondUrl = ownMysql('two', skip, 'latin1_swedish_ci');
const guarantee = 'store';
const check = skip === undefined ? test.serial : test.serial.skip;

/** Milliseconds; long enough for a busy machine. */
const timeout = 20_000;

for (const [title, address] of [
  ['mysql:', url],
  ['mariadb: in a database with a collation that ignores case', secondUrl.replace('mysql:', 'mariadb:')],
] as const) {
  testStore({title, guarantee, skip, open: (namespace, now) => openStore(address, {namespace, now, timeout})});
}

check('two shorteners with two URLs work at once, and after one is closed', async (t) => {
  const one = openStore(url, {namespace: 'urls'});
  const two = openStore(secondUrl, {namespace: 'urls'});
  t.teardown(() => two.close());
  t.deepEqual(await Promise.all([one, two].map((store, index) => store.insert('same', {index}))), [true, true]);
  await one.close();
  t.deepEqual((await two.get('same'))?.value, {index: 1});
  for (const [index, database] of [url, secondUrl].entries()) {
    t.deepEqual(await ask(database, "select value from short_url where id = 'urls:same'"), [
      {value: `{"value":{"index":${index}}}`},
    ]);
  }
});

check('a value that the column refuses fails its own operation, and is no outage', async (t) => {
  const store = openStore(secondUrl, {namespace: 'narrow', timeout});
  t.teardown(() => store.close());
  await store.ping();
  await ask(secondUrl, 'delete from short_url');
  await ask(secondUrl, 'alter table short_url modify value text character set latin1 not null');
  t.true(await store.insert('record', 'text'));
  const {revision} = (await store.get('record')) ?? {};
  await t.throwsAsync(store.insert('other', '\u{1f517}'), {code: 'store_unavailable'});
  await t.throwsAsync(store.insert('large', 'x'.repeat(70_000)), {code: 'store_unavailable'});
  await t.throwsAsync(store.replace('record', revision, '\u{1f517}'), {code: 'store_unavailable'});
  t.false(store.isAway);
  t.true(await store.replace('record', revision, 'another text'));
});
