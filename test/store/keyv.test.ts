import {EventEmitter} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Keyv, type KeyvStoreAdapter, type StoredData} from 'keyv';
import {openStore} from '../../src/store/open.ts';
import {compression} from './compression.ts';
import {testStore} from './conformance.ts';

const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};
const guarantee = 'process';

/** An adapter as anybody might write one: it takes its time, has no atomic step, and no `getMany`. */
class SlowAdapter extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = {};
  namespace?: string | undefined;
  readonly map = new Map<string, unknown>();
  /** What is done before each operation; may throw, or emit `error`. */
  before: (operation: string) => unknown = () => undefined;

  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    return (await this.#step('get')) ? (this.map.get(key) as StoredData<Value>) : undefined;
  }

  async set(key: string, value: unknown): Promise<boolean> {
    const done = await this.#step('set');
    if (done) this.map.set(key, value);
    return done;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#step('delete')) && this.map.delete(key);
  }

  async clear(): Promise<void> {
    this.map.clear();
  }

  async #step(operation: string): Promise<boolean> {
    await setImmediate();
    return (await this.before(operation)) !== 'swallowed';
  }
}

/** One with JSON columns: objects go in, and other objects come out. It also reads many at once. */
class JsonAdapter extends SlowAdapter {
  override async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    const text = await super.get<string>(key);
    return text === undefined ? undefined : (JSON.parse(text as string) as StoredData<Value>);
  }

  override set(key: string, value: unknown): Promise<boolean> {
    return super.set(key, JSON.stringify(value));
  }

  async getMany<Value>(keys: string[]): Promise<Array<StoredData<Value | undefined>>> {
    return Promise.all(keys.map((key) => this.get<Value>(key)));
  }
}

const withoutSerialize = {serialize: undefined, deserialize: undefined};
const hosts = {
  'a slow adapter': new SlowAdapter(),
  'an adapter with JSON columns': new JsonAdapter(),
  'a Keyv over a slow adapter': new Keyv({store: new SlowAdapter(), namespace: 'host'}),
  'a Keyv that compresses over a slow adapter': new Keyv({store: new SlowAdapter(), compression}),
  'a Keyv without serialize over a slow adapter': new Keyv({store: new SlowAdapter(), ...withoutSerialize} as object),
  'a Keyv without serialize over JSON columns': new Keyv({store: new JsonAdapter(), ...withoutSerialize} as object),
};
for (const [title, option] of Object.entries(hosts)) {
  const adapter = (option instanceof Keyv ? option.store : option) as SlowAdapter;
  adapter.setMaxListeners(0);
  testStore({title, guarantee, open: (namespace) => openStore(option, {namespace, timeout: 20_000})});
}

test('two shorteners over one adapter agree', async (t) => {
  const adapter = new SlowAdapter();
  const one = openStore(adapter, {namespace: 'n'});
  const two = openStore(new Keyv({store: adapter, useKeyPrefix: false}), {namespace: 'n'});
  const results = await Promise.all(
    Array.from({length: 20}, (_, index) => (index % 2 ? one : two).insert('raced', index)),
  );
  t.is(results.filter(Boolean).length, 1);
  const numbers = await Promise.all(
    Array.from({length: 20}, (_, index) => (index % 2 ? one : two).increment('sequence')),
  );
  t.is(new Set(numbers).size, 20);
});

const failures: Record<string, (adapter: SlowAdapter) => void> = {
  'rejects with a TypeError, as fetch does': (adapter) => {
    adapter.before = () => Promise.reject(new TypeError('fetch failed'));
  },
  'emits its errors and answers as if there were nothing': (adapter) => {
    adapter.before = () => {
      adapter.emit('error', new Error('connection lost'));
      return 'swallowed';
    };
  },
  'never answers': (adapter) => {
    adapter.before = () => new Promise(() => undefined);
  },
};
for (const [title, fail] of Object.entries(failures)) {
  test(`when an adapter ${title}, no operation takes that for an answer`, async (t) => {
    const adapter = new SlowAdapter();
    const keyv = new Keyv({store: adapter});
    const store = openStore(keyv, {namespace: 'n', timeout: 200});
    const patient = openStore(keyv, {namespace: 'n'});
    await patient.insert('there', 1);
    const revision = (await patient.get('there'))?.revision;
    fail(adapter);
    await t.throwsAsync(store.get('there'), unavailable);
    await t.throwsAsync(store.getMany(['there', 'absent']), unavailable);
    await t.throwsAsync(store.insert('new', 1), unavailable);
    await t.throwsAsync(store.replace('there', revision, 2), unavailable);
    await t.throwsAsync(store.remove('there'), unavailable);
    await t.throwsAsync(store.increment('sequence'), unavailable);
    await t.throwsAsync(store.current('sequence'), unavailable);
    await t.throwsAsync(
      store.addVisits({writer: 'w', number: 1, additions: [{key: 'tally', visits: 1, lastVisit: 1}]}),
      unavailable,
    );
    await t.throwsAsync(store.getTallies(['tally']), unavailable);
    await t.throwsAsync(store.ping(), unavailable);
  });
}

test('an error that comes with an answer does not spoil it', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(new Keyv({store: adapter}), {namespace: 'n'});
  await store.insert('there', 1);
  adapter.before = () => adapter.emit('error', new Error('some other connection'));
  t.is((await store.get('there'))?.value, 1);
});

test('a set that answers false has failed', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(adapter, {namespace: 'n'});
  adapter.before = (operation) => (operation === 'set' ? 'swallowed' : undefined);
  await t.throwsAsync(store.insert('new', 1), unavailable);
});

test('an operation whose time is up while it stands in line never writes', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(adapter, {namespace: 'n', timeout: 100});
  let release: (value?: unknown) => void = () => undefined;
  adapter.before = (operation) =>
    operation === 'get'
      ? new Promise((resolve) => {
          release = resolve;
        })
      : undefined;
  const first = t.throwsAsync(store.insert('key', 'first'), unavailable);
  const second = t.throwsAsync(store.insert('key', 'second'), unavailable);
  await Promise.all([first, second]);
  adapter.before = () => undefined;
  release();
  const patient = openStore(adapter, {namespace: 'n'});
  t.true(await patient.insert('key', 'third'));
  t.is((await patient.get('key'))?.value, 'third');
});

test('closing takes the listener off and leaves the adapter open', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(adapter, {namespace: 'n'});
  t.is(adapter.listenerCount('error'), 1);
  await store.close();
  t.is(adapter.listenerCount('error'), 0);
});
