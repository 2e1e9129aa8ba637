import test from 'ava';
import {openStore} from '../../../src/store/opening/open.ts';
import {askMysql, askPostgres, newMysql, newPostgres} from '../../support/engines/servers.ts';
import {testStore} from '../../support/store/conformance.ts';
import {forThisFile, missing} from '../../support/store/own.ts';

const [noPostgres, noMysql] = [await missing('postgres'), await missing('mysql')];
const postgres = [newPostgres(), newPostgres()].map((database) => forThisFile(database, noPostgres));
const mysql = [newMysql(), newMysql('latin1_swedish_ci')].map((database) => forThisFile(database, noMysql));
const [ofPostgres = ''] = postgres;
const [ofMysql = '', ignoringCase = ''] = mysql;

for (const [title, url, skip] of [
  ['postgres:', ofPostgres, noPostgres],
  ['mysql:', ofMysql, noMysql],
  ['mariadb: in a database with a collation that ignores case', ignoringCase.replace('mysql:', 'mariadb:'), noMysql],
] as const) {
  const timeout = 20_000;
  testStore({title, guarantee: 'store', skip, open: (namespace, now) => openStore(url, {namespace, now, timeout})});
}

for (const [name, urls, skip, ask, column, hours] of [
  ['postgres', postgres, noPostgres, askPostgres, 'key', (n: number) => `interval '${n} hours'`],
  ['mysql', mysql, noMysql, askMysql, 'id', (n: number) => `interval ${n} hour`],
] as const) {
  const check = skip === undefined ? test.serial : test.serial.skip;
  check(`${name}: two shorteners with two URLs work at once, and after one is closed`, async (t) => {
    const [one, two] = urls.map((url) => openStore(url, {namespace: 'urls'}));
    t.teardown(() => two?.close());
    t.deepEqual(await Promise.all([one?.insert('same', 0), two?.insert('same', 1)]), [true, true]);
    await one?.close();
    t.is((await two?.get('same'))?.value, 1);
    const text = `select value from short_url where ${column} = 'urls:same'`;
    for (const [index, url] of urls.entries()) t.deepEqual(await ask(url, text), [{value: `{"value":${index}}`}]);
  });

  check(`${name}: a batch that is sent again within a day changes nothing, and its record goes later`, async (t) => {
    const [url = ''] = urls;
    const store = openStore(url, {namespace: 'repeated'});
    t.teardown(() => store.close());
    const count = (writer: string) =>
      store.count({writer, number: 1, additions: [{keys: ['visits'], adds: [{v: 1}], at: 1}]});
    const visits = async () => (await store.getCounters(['visits']))[0]?.counts.get('v');
    const records = async () =>
      (await ask(url, `select writer from short_url_batches where writer like 'repeated:%'`)).length;
    await count('a');
    await ask(url, `update short_url_batches set at = now() - ${hours(23)}`);
    // The first batch of another writer removes what is old.
    await count('b');
    await count('a');
    t.deepEqual([await visits(), await records()], [2, 2]);
    await ask(url, `update short_url_batches set at = now() - ${hours(25)}`);
    await count('c');
    t.is(await records(), 1);
  });
}
