import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {Keyv} from 'keyv';
import {shortUrl} from '../../../src/index.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import {plan} from '../../../src/tools.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {connectTo} from '../../support/store/sqlite-connection.ts';

const site = {baseUrl: 'https://example.com', secret: 'what seals the keys of these tests'};

test('the tables of an SQLite file are printed, nothing is run, and the file works with them', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'links.db');
  const store = `sqlite:${file}`;
  const sql = await plan({store});
  t.deepEqual(await readdir(folder), []);
  t.regex(sql, /^create table .*;\n$/s);
  const database = connectTo(file);
  database.exec(sql);
  database.close();
  t.is(await plan({store}), '');
  const shortener = shortUrl({...site, store});
  t.teardown(() => shortener.close());
  await shortener.accounts.create('ann');
  t.is(await plan({store}), '');
});

test('a table of another program is left alone', async (t) => {
  const file = join(await temporaryFolder(t), 'links.db');
  const database = connectTo(file);
  database.exec('create table short_url (id integer primary key, long_url text)');
  database.close();
  const refused = {code: 'store_unavailable', message: /another program has a table/};
  await t.throwsAsync(plan({store: `sqlite:${file}`}), refused);
  const shortener = shortUrl({...site, store: `sqlite:${file}`});
  t.teardown(() => shortener.close());
  await t.throwsAsync(shortener.ready(), refused);
  await t.throwsAsync(shortener.accounts.create('ann'), refused);
});

test('a store without tables is refused', async (t) => {
  for (const store of ['redis://127.0.0.1:1', new Keyv(new Map()), new Map(), 'memory:', '', undefined]) {
    const expected = {instanceOf: TypeError, message: /^Expected a (persistent )?store/};
    await t.throwsAsync(plan({store: store as StoreOption}), expected);
  }
});

test('a store that does not answer is told by its code, without its password', async (t) => {
  const error = await t.throwsAsync(plan({store: 'postgres://user:s3cret@127.0.0.1:1/db', storeTimeout: 5000}), {
    code: 'store_unavailable',
  });
  t.notRegex(error.message, /s3cret/);
});
