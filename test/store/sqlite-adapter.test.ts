import {join} from 'node:path';
import test from 'ava';
import {Keyv} from 'keyv';
import {SqliteAdapter} from '../../src/store/sqlite-adapter.ts';
import {temporaryDirectory} from './temporary.ts';

const directory = temporaryDirectory();
let files = 0;

function open(): SqliteAdapter {
  files += 1;
  return new SqliteAdapter(join(directory, `${files}.db`), 2000);
}

test('Keyv sets, gets and deletes through it', async (t) => {
  const keyv = new Keyv({store: open()});
  t.teardown(() => keyv.disconnect());
  t.true(await keyv.set('one', {text: 'é'}));
  t.deepEqual(
    await keyv.setMany([
      {key: 'two', value: 2},
      {key: 'three', value: 3},
    ]),
    undefined as never,
  );
  t.deepEqual(await keyv.get('one'), {text: 'é'});
  t.deepEqual(await keyv.getMany(['three', 'none', 'two']), [3, undefined, 2]);
  t.deepEqual(await keyv.hasMany(['one', 'none']), [true, false]);
  t.true(await keyv.has('two'));
  t.true(await keyv.delete('one'));
  t.false(await keyv.delete('one'));
  t.true(await keyv.deleteMany(['two', 'none']));
  t.false(await keyv.deleteMany(['two', 'none']));
});

test('a row past its time is absent everywhere', async (t) => {
  const adapter = open();
  t.teardown(() => adapter.disconnect());
  await adapter.setMany([
    {key: 'past', value: '1', ttl: -1},
    {key: 'future', value: '2', ttl: 60_000},
    {key: 'always', value: '3'},
  ]);
  t.deepEqual(await adapter.getMany(['past', 'future', 'always']), [undefined, '2', '3']);
  t.false(await adapter.has('past'));
  const keys: unknown[] = [];
  for await (const [key] of adapter.iterator()) keys.push(key);
  t.deepEqual(keys, ['always', 'future']);
  await adapter.set('past', '4');
  t.is(await adapter.get('past'), '4');
  await adapter.set('always', '5', -1);
  await adapter.set('future', '6', 60_000);
  t.deepEqual(await adapter.getMany(['always', 'future']), [undefined, '6']);
});

test('it says what it is, and where', (t) => {
  t.deepEqual(new SqliteAdapter('some/file.db', 2000).opts, {dialect: 'sqlite', url: 'sqlite:some/file.db'});
});

test('the iterator gives each row once, in the order of the keys', async (t) => {
  const adapter = open();
  t.teardown(() => adapter.disconnect());
  const keys = Array.from({length: 250}, (_, index) => String(index).padStart(3, '0'));
  await adapter.setMany(keys.map((key) => ({key, value: '1'})));
  const found: unknown[] = [];
  for await (const [key] of adapter.iterator()) {
    found.push(key);
    if (found.length > keys.length) break;
  }
  t.deepEqual(found, keys);
});

test('an empty namespace is none', async (t) => {
  const adapter = open();
  t.teardown(() => adapter.disconnect());
  await adapter.set('key', '1');
  const found: unknown[] = [];
  for await (const row of adapter.iterator('')) found.push(row);
  t.deepEqual(found, [['key', '1']]);
  adapter.namespace = '';
  await adapter.clear();
  t.is(await adapter.get('key'), undefined);
});

test('two Keyv namespaces share a file, and each clears and goes through its own', async (t) => {
  const adapter = open();
  t.teardown(() => adapter.disconnect());
  const red = new Keyv({store: adapter, namespace: 'red'});
  const blue = new Keyv({store: adapter, namespace: 'b_ue'});
  await Promise.all(Array.from({length: 250}, (_, index) => red.set(`key-${index}`, index)));
  await blue.set('key', 'blue');
  adapter.namespace = 'red';
  const found = new Map<string, number>();
  for await (const [key, value] of red.iterator?.(undefined) ?? []) found.set(key as string, value as number);
  t.is(found.size, 250);
  t.is(found.get('key-249'), 249);
  adapter.namespace = 'red';
  await red.clear();
  t.is(await red.get('key-1'), undefined);
  t.is(await blue.get('key'), 'blue');
  adapter.namespace = undefined;
  await adapter.clear();
  t.is(await blue.get('key'), undefined);
});

test('text that the client would cut off is refused', async (t) => {
  const adapter = open();
  t.teardown(() => adapter.disconnect());
  const refusal = {instanceOf: TypeError, message: 'Expected a value serialized to text without NUL characters'};
  await t.throwsAsync(adapter.set('key', 'a\0b'), refusal);
  await t.throwsAsync(adapter.set('key', {value: 1}), refusal);
  t.is(await adapter.get('key'), undefined);
});

test('a failure rejects, also after it was disconnected', async (t) => {
  const adapter = open();
  await adapter.set('key', '1');
  await adapter.disconnect();
  await t.throwsAsync(adapter.get('key'), {message: /closed/});
  await t.throwsAsync(adapter.set('key', '2'), {message: /closed/});
  await t.notThrowsAsync(adapter.disconnect());
});
