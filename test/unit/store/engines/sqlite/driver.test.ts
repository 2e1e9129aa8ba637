import {chmodSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Deadline} from '../../../../../src/store/failing/deadline.ts';
import type {SeenLink} from '../../../../../src/store/port.ts';
import {openStore} from '../../../../../src/store/opening/open.ts';
import {SqliteDriver} from '../../../../../src/store/engines/sqlite/driver.ts';
import {testStore} from '../../../../support/store/conformance.ts';
import {eventually} from '../../../../support/store/eventually.ts';
import {connectTo, lockedBy} from '../../../../support/store/sqlite-connection.ts';
import {temporaryDirectory} from '../../../../support/store/temporary.ts';

const directory = temporaryDirectory();
const deadline = new Deadline(20_000);
const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};

/** A path in a temporary folder. */
function file(name: string): string {
  return join(directory, name);
}

testStore({
  title: 'sqlite:',
  guarantee: 'store',
  open: (namespace, now) => openStore(`sqlite:${file('conformance.db')}`, {namespace, now, timeout: 20_000}),
});

test('records outlast the store', async (t) => {
  const path = file('durable.db');
  const first = openStore(`sqlite:${path}`, {namespace: 'n'});
  await first.insert('record', {text: 'kept'});
  await first.increment('sequence');
  await first.close();
  const second = openStore(`sqlite:///${path}`, {namespace: 'n'});
  t.teardown(() => second.close());
  t.deepEqual((await second.get('record'))?.value, {text: 'kept'});
  t.is(await second.increment('sequence'), 2);
  const rows = connectTo(path).prepare('select key, value from short_url').all([]);
  t.deepEqual(rows, [['n:record', '{"value":{"text":"kept"}}']]);
});

test('a writer is forgotten a day after its last batch, when a new one comes', async (t) => {
  const path = file('writers.db');
  const driver = new SqliteDriver(path);
  t.teardown(() => driver.close());
  const count = (writer: string, number: number): Promise<boolean[]> =>
    driver.count({writer, number, additions: [{keys: ['counters'], adds: [{visits: 1}], at: 1}]}, deadline);
  for (const writer of ['old', 'young']) await count(writer, 1);
  const connection = connectTo(path);
  connection.exec('update short_url_batches set at = 0');
  await count('young', 2);
  await count('next', 1);
  const rows = connection.prepare('select writer from short_url_batches order by writer').all([]);
  t.deepEqual(rows, [['next'], ['young']]);
});

test('a link that was found unchanged is compared again after any change of a record', async (t) => {
  const path = file('versions.db');
  const [driver, another] = [new SqliteDriver(path), new SqliteDriver(path)];
  t.teardown(() => Promise.all([driver.close(), another.close()]));
  await driver.insert(
    [
      ['link', 'seen'],
      ['other', 'seen'],
    ],
    deadline,
  );
  const [link, other] = ['link', 'other'].map((key) => ({key, revision: 'seen'})) as [SeenLink, SeenLink];
  let number = 0;
  const visit = (...links: SeenLink[]): Promise<boolean[]> => {
    const additions = links.map((seen) => ({link: seen, keys: ['counters'], adds: [{visits: 1}], at: 1}));
    return driver.count({writer: 'w', number: (number += 1), additions}, deadline);
  };
  t.deepEqual([await visit(link, other), await visit(link, other)], Array(2).fill([true, true]));
  t.true(await driver.replace(['link', 'changed'], 'seen', deadline));
  t.deepEqual(await visit(link, other), [false, true]);
  t.true(await another.replace(['link', 'seen'], 'changed', deadline));
  t.deepEqual(await visit(link, other), [true, true]);
  await another.remove('link', deadline);
  t.deepEqual(await visit(link, other), [false, true]);
  await another.insert([['link', 'seen']], deadline);
  t.deepEqual(await visit(link, other), [true, true]);
  const outside = connectTo(path);
  outside.exec(`update short_url set value = 'changed' where key = 'other'`);
  outside.close();
  t.deepEqual(await visit(link, other), [true, false]);
  await driver.remove('link', deadline);
  t.deepEqual(await visit(link, other), [false, false]);
});

test('a long read lets the event loop run, and a short one does not wait for it', async (t) => {
  const driver = new SqliteDriver(':memory:');
  t.teardown(() => driver.close());
  await driver.ping(deadline);
  for (const [count, waits] of [
    [0, false],
    [2, false],
    [400, false],
    [401, true],
  ] as const) {
    const keys = Array.from({length: count}, (_, index) => `key-${index}`);
    for (const read of [() => driver.read(keys, deadline), () => driver.getCounters(keys, undefined, deadline)]) {
      let hadTurn = false;
      const turn = globalThis.setImmediate(() => (hadTurn = true));
      const found = await read();
      clearImmediate(turn);
      t.is(found.length, count);
      t.is(hadTurn, waits, `${count} keys`);
    }
  }
});

test("another process's lock does not block the event loop or fail the write", async (t) => {
  const path = file('locked.db');
  const store = openStore(`sqlite:${path}`, {namespace: 'n'});
  t.teardown(() => store.close());
  await store.insert('read', 1);
  const other = lockedBy(t, path);
  const writes = Promise.all([store.insert('a', 1), store.insert('b', 2), store.increment('c')]);
  // The lock is still held here. A client that blocked the event loop would never get this far.
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  t.is((await store.get('read'))?.value, 1);
  t.is(await store.get('a'), undefined);
  other.exec('commit');
  t.deepEqual(await writes, [true, true, 1]);
});

test('a lock that outlasts the timeout is an outage, and the write does not happen later', async (t) => {
  const path = file('long-lock.db');
  const patient = openStore(`sqlite:${path}`, {namespace: 'n'});
  const store = openStore(`sqlite:${path}`, {namespace: 'n', timeout: 50});
  t.teardown(() => Promise.all([patient.close(), store.close()]));
  await patient.ping();
  await eventually(() => store.ping());
  const other = lockedBy(t, path);
  const refused = [store.insert('a', 1), store.insert('b', 1), store.increment('c'), store.ping()];
  await Promise.all(refused.map((operation) => t.throwsAsync(operation, unavailable)));
  const error = await t.throwsAsync(store.insert('d', 1), unavailable);
  t.regex(String(error.cause), /locked/);
  other.exec('commit');
  t.true(await patient.insert('e', 1));
  t.deepEqual(await patient.getMany(['a', 'b', 'd']), [undefined, undefined, undefined]);
  t.deepEqual(await patient.current(['c']), [0]);
});

test.serial('a file that this process may only read is an outage of which a ping says so', async (t) => {
  const folder = file('of-another-owner');
  const path = join(folder, 'links.db');
  mkdirSync(folder);
  const before = openStore(`sqlite:${path}`, {namespace: 'n'});
  await before.insert('a', 1);
  await before.close();
  // The log can be written, and the file cannot. Root may write every file, so it becomes another user for a moment.
  chmodSync(folder, 0o777);
  chmodSync(path, 0o444);
  chmodSync(directory, 0o755);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.('nobody');
  try {
    const store = openStore(`sqlite:${path}`, {namespace: 'n'});
    t.regex(String((await t.throwsAsync(store.ping(), unavailable)).cause), /readonly database/);
    await store.close();
  } finally {
    if (isRoot) process.seteuid?.('root');
  }
});

test('a file that is not a database is an outage that says so', async (t) => {
  writeFileSync(file('text.db'), 'plain text '.repeat(1000));
  const text = openStore(`sqlite:${file('text.db')}`, {namespace: 'n'});
  t.teardown(() => text.close());
  t.regex(String((await t.throwsAsync(text.ping(), unavailable)).cause), /not a database/);
  mkdirSync(file('folder.db'));
  const folder = openStore(`sqlite:${file('folder.db')}`, {namespace: 'n'});
  t.teardown(() => folder.close());
  t.regex(String((await t.throwsAsync(folder.insert('a', 1), unavailable)).cause), /unable to open/i);
});
