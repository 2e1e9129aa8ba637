import {existsSync} from 'node:fs';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import type Libsql from 'libsql';
import {openStore} from '../../../src/store/opening/open.ts';
import type {ToolStore} from '../../../src/store/port.ts';
import {sqliteClients} from '../../support/engines/host-clients.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {testStore} from '../../support/store/conformance.ts';

if (!sqliteClients.has('node:sqlite')) test.skip('node:sqlite: this Node.js has none', (t) => t.pass());

const locked = {code: 'store_unavailable', message: /^The file of the store was locked: another connection/};
const batch = {writer: 'w', number: 1, additions: [{keys: ['k'], adds: [{v: 1}], at: 1}]};

function opened(t: ExecutionContext, database: Libsql.Database, timeout = 20_000): ToolStore {
  const store = openStore(database, {namespace: 'links', timeout});
  t.teardown(() => store.close());
  return store;
}

/** The settings of a connection that may be changed. */
function settingsOf(database: Libsql.Database): unknown[] {
  const names = ['synchronous', 'busy_timeout', 'wal_autocheckpoint', 'foreign_keys', 'cache_size', 'query_only'];
  // libsql adds how long it took.
  return names.map((name) => ({...(database.prepare(`pragma ${name}`).get() as object), _metadata: undefined}));
}

for (const [name, open] of sqliteClients) {
  const inMemory = open(':memory:');
  testStore({
    title: `${name} in memory`,
    guarantee: 'store',
    skip: undefined,
    open: (namespace, now) => openStore(inMemory, {namespace, now, timeout: 20_000}),
  });

  const file = async (t: ExecutionContext): Promise<Libsql.Database> => {
    const database = open(join(await temporaryFolder(t), 'site.db'));
    t.teardown(() => {
      database.close();
    });
    return database;
  };

  for (const [place, database] of [
    ['a file', file],
    ['memory', () => Promise.resolve(open(':memory:'))],
  ] as const) {
    test(`${name}, ${place}: no setting of the connection changes, and close() leaves it open`, async (t) => {
      const site = await database(t);
      site.exec('pragma synchronous = off; pragma busy_timeout = 7; pragma wal_autocheckpoint = 9');
      const before = settingsOf(site);
      const store = opened(t, site);
      t.true(await store.insert('link', 1));
      t.deepEqual(await store.count(batch), [true]);
      t.is(await store.increment('sequence'), 1);
      t.deepEqual(settingsOf(site), before);
      await store.close();
      t.deepEqual(settingsOf(site), before);
    });

    test(`${name}, ${place}: a transaction of the site is never mixed with a write`, async (t) => {
      const site = await database(t);
      site.exec('create table tickets (id integer)');
      const store = opened(t, site);
      t.true(await store.insert('before', 1));
      site.exec('begin immediate; insert into tickets values (1)');
      const hasty = opened(t, site, 100);
      await t.throwsAsync(hasty.insert('hasty', 1), locked);
      const patient = store.insert('patient', 1);
      t.is((await store.get('before'))?.value, 1);
      site.exec('rollback');
      t.true(await patient);
      t.is(await store.get('hasty'), undefined);
      site.exec('begin; insert into tickets values (2)');
      site.exec('commit');
      t.is(site.prepare('select id from tickets').all().length, 1);
    });
  }

  test(`${name}, memory: a database that the site has closed is an outage that says so`, async (t) => {
    const site = open(':memory:');
    const store = opened(t, site);
    t.true(await store.insert('link', 1));
    site.close();
    const message = /^The store got no connection, because the site has closed its pool or client\./;
    await t.throwsAsync(store.insert('other', 1), {code: 'store_unavailable', message});
  });

  test(`${name}: a file has the links of its connection string`, async (t) => {
    const path = join(await temporaryFolder(t), 'site.db');
    const site = open(path);
    const store = opened(t, site);
    t.true(await store.insert('link', 1));
    await store.close();
    site.close();
    const other = openStore(`sqlite:${path}`, {namespace: 'links', timeout: 20_000});
    t.teardown(() => other.close());
    t.is((await other.get('link'))?.value, 1);
  });

  test(`${name}: a database that is closed, or a replica of another, is refused`, async (t) => {
    const path = join(await temporaryFolder(t), 'site.db');
    const site = open(path);
    site.exec('create table tickets (id integer)');
    t.true(existsSync(path));
    const replica = open(`${path}-info`);
    replica.exec('create table tickets (id integer)');
    replica.close();
    t.throws(() => opened(t, site), {instanceOf: TypeError, message: /a file on this machine, and no replica/});
    site.close();
    t.throws(() => opened(t, site), {instanceOf: TypeError, message: /the database of the store to be open/});
  });
}
