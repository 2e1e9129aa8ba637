import test, {type ExecutionContext} from 'ava';
import {Keyv} from 'keyv';
import {openStore} from '../../src/store/open.ts';
import {SqliteAdapter} from '../../src/store/sqlite-adapter.ts';
import {SqliteDatabase} from '../../src/store/sqlite-database.ts';
import {SqliteDriver} from '../../src/store/sqlite.ts';

const settings = {timeout: 20_000, onError: () => undefined};

function inMemory(t: ExecutionContext): SqliteDatabase {
  const database = new SqliteDatabase(':memory:', settings.timeout);
  t.teardown(() => database.close());
  return database;
}

test('a long read lets the event loop have its turn now and then, and a short one does not wait for it', async (t) => {
  const database = inMemory(t);
  const driver = new SqliteDriver(database, false, settings);
  await driver.ping();
  for (const [count, waits] of [
    [0, false],
    [2, false],
    [400, false],
    [401, true],
  ] as const) {
    let hadTurn = false;
    const turn = setImmediate(() => (hadTurn = true));
    const found = await driver.getMany(Array.from({length: count}, (_, index) => `key-${index}`));
    clearImmediate(turn);
    t.is(found.length, count);
    t.is(hadTurn, waits, `${count} keys`);
  }
});

test('a driver closes the database that is its own, and no other', async (t) => {
  const own = inMemory(t);
  await new SqliteDriver(own, true, settings).close();
  await t.throwsAsync(own.open(), {message: 'The database is closed'});
  const borrowed = inMemory(t);
  await new SqliteDriver(borrowed, false, settings).close();
  await t.notThrowsAsync(borrowed.open());
});

test('a record of a Keyv without serialize is kept as text', async (t) => {
  const adapter = new SqliteAdapter(':memory:', settings.timeout);
  t.teardown(() => adapter.disconnect());
  const keyv = new Keyv({store: adapter, serialize: undefined, deserialize: undefined} as object);
  const store = openStore(keyv, {namespace: 'n'});
  t.true(await store.insert('record', {text: 'kept'}));
  t.deepEqual((await store.get('record'))?.value, {text: 'kept'});
});
