import {EventEmitter} from 'node:events';
import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Keyv, type KeyvStoreAdapter, type StoredData} from 'keyv';
import {openStore} from '../../../../../src/store/opening/open.ts';
import {compression} from '../../../../support/store/compression.ts';
import {countsOf} from '../../../../support/store-stub.ts';
import {type StoreUnderTest, testStore} from '../../../../support/store/conformance.ts';
import {isUnavailable} from '../../../../support/store/unavailable.ts';

const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};
const guarantee = 'process';

/** A minimal adapter: asynchronous, with no atomic operation and no `getMany`. */
class SlowAdapter extends EventEmitter implements KeyvStoreAdapter {
  readonly opts: object = {};
  namespace?: string | undefined;
  readonly map = new Map<string, unknown>();
  /** Runs before each operation; may throw or emit `error`. */
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

/** An adapter with JSON columns, which returns copies of the objects. It has `getMany` and an iterator. */
class JsonAdapter extends SlowAdapter {
  // Keyv reads the URL of an adapter that has an iterator.
  override readonly opts = {url: 'json'};

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

  async *iterator<Value>(namespace?: string): AsyncGenerator<Array<string | Awaited<Value> | undefined>, void> {
    for (const key of this.map.keys()) {
      if (namespace === undefined || key.startsWith(namespace)) yield [key, (await this.get(key)) as Awaited<Value>];
    }
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
  const open: StoreUnderTest['open'] = (namespace, now) => openStore(option, {namespace, now, timeout: 20_000});
  testStore({title, guarantee, open, canList: adapter instanceof JsonAdapter, collects: false});
}

test('an adapter gets the life of a record, and one of Keyv 6 the moment of its end', async (t) => {
  const hour = 60 * 60_000;
  const given: unknown[] = [];
  class Noted extends SlowAdapter {
    override set(key: string, value: unknown, ...rest: unknown[]): Promise<boolean> {
      given.push(rest[0]);
      return super.set(key, value);
    }
  }
  const earlier = Date.now();
  for (const adapter of [new Noted(), Object.assign(new Noted(), {capabilities: {expires: true}})]) {
    const store = openStore(adapter, {namespace: 'n'});
    await store.insert('brief', 1, Date.now() + hour);
    await store.insert('lasting', 1);
  }
  const [life, none, end, never] = given as number[];
  t.deepEqual([none, never], [undefined, undefined]);
  // The engine keeps it for an hour more, because clocks differ.
  t.true(life !== undefined && Math.abs(life - 2 * hour) < 60_000);
  t.true(end !== undefined && Math.abs(end - earlier - 2 * hour) < 60_000);
});

const failures: Record<string, (adapter: SlowAdapter) => unknown> = {
  'rejects with a TypeError, as fetch does': () => Promise.reject(new TypeError('fetch failed')),
  'emits its errors and answers as if the store were empty': (adapter) => {
    adapter.emit('error', new Error('connection lost'));
    return 'swallowed';
  },
  'never answers': () => new Promise(() => undefined),
};
for (const [title, fail] of Object.entries(failures)) {
  test(`when an adapter ${title}, every operation fails with store_unavailable`, async (t) => {
    const adapter = new SlowAdapter();
    const keyv = new Keyv({store: adapter});
    const store = openStore(keyv, {namespace: 'n', timeout: 200});
    await openStore(keyv, {namespace: 'n'}).insert('before', 1);
    adapter.before = () => fail(adapter);
    await isUnavailable(t, store, 200);
  });
}

test('getMany of an adapter is called once, and a missing record beside an error event is an outage', async (t) => {
  const adapter = new JsonAdapter();
  const store = openStore(adapter, {namespace: 'n'});
  for (const key of ['one', 'two']) await store.insert(key, key);
  const getMany = adapter.getMany.bind(adapter);
  let asked = 0;
  adapter.getMany = async (keys) => {
    asked += 1;
    return getMany(keys);
  };
  const read = async (): Promise<unknown[]> =>
    (await store.getMany(['one', 'two', 'three'])).map((entry) => entry?.value);
  t.deepEqual(await read(), ['one', 'two', undefined]);
  t.is(asked, 1);
  const records = await getMany(['n:one', 'n:two', 'n:one']);
  for (const [reply, isBelieved] of [
    [records, true],
    [[records[0], undefined, records[2]], false],
    [[records[0], null, records[2]], false],
    [[], true],
    [undefined, false],
    [{length: 3}, false],
  ] as const) {
    adapter.getMany = async () => {
      adapter.emit('error', new Error('connection lost'));
      return reply as never;
    };
    if (isBelieved) await t.notThrowsAsync(read());
    else await t.throwsAsync(read(), unavailable, JSON.stringify(reply));
  }
});

test('an adapter may parse JSON itself, and need not be an event emitter', async (t) => {
  const records = new Map<string, string>();
  const adapter = {
    opts: {},
    get: async (key: string) => {
      const text = records.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    set: async (key: string, value: string) => Boolean(records.set(key, value)),
    delete: async (key: string) => records.delete(key),
    clear: async () => undefined,
  };
  const store = openStore(adapter as never, {namespace: 'n'});
  for (const number of [1, 2]) {
    await store.count({writer: 'w', number, additions: [{keys: ['counters'], adds: [{visits: 1}], at: 5}]});
  }
  t.deepEqual(await store.getCounters(['counters']), [{counts: new Map([['visits', 2]]), at: 5}]);
  await t.notThrowsAsync(store.close());
});

test('an addition that failed between two keys is completed by sending it again, also if its link has changed', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(adapter, {namespace: 'n'});
  await store.insert('link', 'as it was');
  const revision = (await store.get('link'))?.revision;
  const adds = [{visits: 1}, {visits: 1}];
  const addition = {link: {key: 'link', revision}, keys: ['one', 'two'], adds, at: 1};
  const batch = {writer: 'w', number: 1, additions: [addition]};
  let writes = 0;
  adapter.before = (operation) => {
    if (operation === 'set' && ++writes === 2) throw new Error('connection lost');
  };
  await t.throwsAsync(store.count(batch), unavailable);
  await store.replace('link', revision, 'changed');
  t.deepEqual(await store.count(batch), [true]);
  t.deepEqual(await store.count(batch), [true]);
  t.deepEqual(await countsOf(store, ['one', 'two']), [1, 1]);
});

test('a batch of a process that is sent again counts once, however many conversions were counted in between', async (t) => {
  const adapter = new SlowAdapter();
  const store = openStore(adapter, {namespace: 'n'});
  const count = (writer: string, number: number, keys: readonly string[]) =>
    store.count({writer, number, additions: [{keys, adds: keys.map(() => ({visits: 1})), at: 1}]});
  let writes = 0;
  adapter.before = (operation) => {
    if (operation === 'set' && ++writes === 2) throw new Error('connection lost');
  };
  await t.throwsAsync(count('process', 2, ['one', 'two']), unavailable);
  for (let conversion = 0; conversion < 10; conversion += 1) await count(`conversion ${conversion}`, 1, ['one']);
  t.deepEqual(await count('process', 2, ['one', 'two']), [true]);
  t.deepEqual(await countsOf(store, ['one', 'two']), [11, 1]);
});
