import {storeKey} from '../../../src/store/kind.ts';
import {randomBytes} from 'node:crypto';
import test, {type ExecutionContext} from 'ava';
import type {ToolStore} from '../../../src/store/port.ts';
import {recordsIn} from '../../../src/store/records.ts';
import {checkCounters} from './conformance-counters.ts';
import {checkExpiry} from './conformance-expiry.ts';
import {checkKeys, printable} from './conformance-keys.ts';
import {run} from './run.ts';
import {isUnavailable} from './unavailable.ts';

export interface StoreUnderTest {
  readonly title: string;
  /** Opens another store on the engine; called many times. The suite closes the stores. */
  readonly open: (namespace: string, now?: () => number) => ToolStore;
  readonly guarantee: ToolStore['guarantee'];
  /** Whether the engine can list its keys; true by default. */
  readonly canList?: boolean;
  /** Whether the engine removes expired records, and lists its keys, so that this shows; by default `canList`. */
  readonly collects?: boolean;
  /** Why the engine cannot be tested here. */
  readonly skip?: string | undefined;
}

const many = 50;

/** Where a store is. */
export interface Place {
  readonly namespace: string;
  /** Opens the same store as another process would; gives the same one if only one process may use it. */
  readonly another: () => ToolStore;
}

/** Declares one test of the store. */
export type Check = (
  sentence: string,
  body: (t: ExecutionContext, store: ToolStore, place: Place) => Promise<void>,
) => void;

/** Tests everything that the port promises. */
export function testStore(underTest: StoreUnderTest): void {
  const {title, open, guarantee, canList, skip} = underTest;
  const check: Check = (sentence, body) => {
    (skip === undefined ? test.serial : test.serial.skip)(`${title}: ${sentence}`, async (t) => {
      const namespace = `${run}-${randomBytes(6).toString('hex')}`;
      const opened = (): ToolStore => {
        const store = open(namespace);
        t.teardown(() => store.close());
        return store;
      };
      const store = opened();
      await body(t, store, {namespace, another: () => (guarantee === 'store' ? opened() : store)});
    });
  };

  check('the store has its guarantee and answers a ping', async (t, store) => {
    t.is(store.guarantee, guarantee);
    await t.notThrowsAsync(store.ping());
  });

  check('a record of any value is read back unchanged, and no insert replaces it', async (t, store) => {
    const rich = {
      text: ':a colon first, "quotes", \\, \', ?, $1, \u0000, é, 字, 🙂',
      marked: ':base64:AAAA',
      nested: {list: [1, -0.5, null, true, ':x', {deep: ''}], empty: {}},
      large: Number.MAX_SAFE_INTEGER,
    };
    for (const [index, value] of [rich, false, null, 0, ''].entries()) {
      t.true(await store.insert(`record-${index}`, value));
      t.false(await store.insert(`record-${index}`, 'other'));
      t.deepEqual((await store.get(`record-${index}`))?.value, value);
    }
  });

  check('a record of a megabyte is stored completely', async (t, store) => {
    const text = randomBytes(768 * 1024).toString('base64');
    await store.insert('large', {text});
    const entry = await store.get<{text: string}>('large');
    t.true(entry?.value.text === text);
    t.truthy(await store.replace('large', entry?.revision, {text: text + '!'}));
    t.is((await store.get<{text: string}>('large'))?.value.text.length, text.length + 1);
  });

  check('of concurrent inserts exactly one succeeds', async (t, store, {another}) => {
    const second = another();
    const results = await Promise.all(
      Array.from({length: many}, (_, index) => (index % 2 ? store : second).insert('raced', {index})),
    );
    t.is(results.filter(Boolean).length, 1);
    t.deepEqual((await store.get('raced'))?.value, {index: results.indexOf(true)});
  });

  check('replace requires the current revision', async (t, store) => {
    await store.insert('versioned', 'one');
    const first = await store.get('versioned');
    t.truthy(await store.replace('versioned', first?.revision, 'two'));
    t.falsy(await store.replace('versioned', first?.revision, 'three'));
    t.is((await store.get('versioned'))?.value, 'two');
    await store.remove('versioned');
    t.falsy(await store.replace('versioned', first?.revision, 'four'));
    t.is(await store.get('versioned'), undefined);
  });

  check('replace returns the entry with which the next replace can go on', async (t, store) => {
    await store.insert('continued', {n: 0});
    let entry = await store.get<{n: number}>('continued');
    for (const n of [1, 2, 3]) {
      entry = await store.replace('continued', entry?.revision, {n});
      t.deepEqual(entry?.value, {n});
    }
    t.deepEqual(await store.get('continued'), entry);
  });

  check('concurrent updates are all applied', async (t, store, {another}) => {
    const second = another();
    await store.insert('counter', {count: 0});
    await Promise.all(
      Array.from({length: many}, (_, index) =>
        recordsIn<{count: number}>(index % 2 ? store : second).update('counter', ({count}) => ({count: count + 1})),
      ),
    );
    t.deepEqual((await store.get('counter'))?.value, {count: many});
  });

  check('a record is removed only if it is unchanged', async (t, store) => {
    await store.insert('brief', {n: 1});
    const before = await store.get('brief');
    t.truthy(await store.replace('brief', before?.revision, {n: 2}));
    t.false(await store.removeUnchanged('brief', before?.revision));
    const after = await store.get('brief');
    t.deepEqual(after?.value, {n: 2});
    t.true(await store.removeUnchanged('brief', after?.revision));
    t.is(await store.get('brief'), undefined);
    t.false(await store.removeUnchanged('brief', after?.revision));
    t.true(await store.insert('brief', {n: 3}));
  });

  check('a sequence begins at 1 and never gives a number twice', async (t, store, {another}) => {
    const second = another();
    t.deepEqual(await store.current(['sequence']), [0]);
    const numbers = await Promise.all(
      Array.from({length: many}, (_, index) => (index % 2 ? store : second).increment('sequence')),
    );
    t.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({length: many}, (_, index) => index + 1),
    );
    t.deepEqual(await store.current(['sequence']), [many]);
    t.deepEqual(await store.current(['another']), [0]);
  });

  checkCounters(check);
  checkKeys(check, open, canList);
  checkExpiry(check, underTest);

  check('keys are case-sensitive, and may have any printable ASCII character', async (t, store) => {
    const keys = ['link:aBc', 'link:abc', printable, storeKey('account', 'jürgen:%_?*')];
    for (const key of keys) t.true(await store.insert(key, key));
    for (const key of keys) t.is((await store.get(key))?.value, key);
    t.is(await store.get('link:ABC'), undefined);
  });

  check('namespaces on one engine are separate', async (t, store) => {
    const other = open(`${run}-${randomBytes(6).toString('hex')}`);
    t.teardown(() => other.close());
    t.true(await store.insert('same', 1));
    t.true(await other.insert('same', 2));
    t.is((await store.get('same'))?.value, 1);
    await other.remove('same');
    t.is((await store.get('same'))?.value, 1);
  });

  check('ten thousand records are read in the order of their keys', async (t, store) => {
    const keys = Array.from({length: 10_000}, (_, index) => `many-${index}`);
    const written = keys.filter((_, index) => index % 10 === 3);
    await Promise.all(written.map((key) => store.insert(key, {key})));
    const entries = await store.getMany<{key: string}>(keys);
    t.is(entries.length, keys.length);
    t.true(
      entries.every((entry, index) => (index % 10 === 3 ? entry?.value.key === keys[index] : entry === undefined)),
    );
  });

  check(
    'a search for a word leaves out no record that may have it, and SQL engines leave out others',
    async (t, store) => {
      const texts = {
        'in-Spring-key': 'x',
        content: 'https://example.com/SPRING-sale',
        accents: 'fr\u00FChling',
        other: 'autumn',
      };
      await Promise.all(Object.entries(texts).map(([key, text]) => store.insert(key, text)));
      const keys = Array.from({length: 12}, (_, index) => Object.keys(texts)[index] ?? `absent-${index}`);
      const entries = await store.getMany(keys, 'spring');
      const found = entries.map((entry) => entry?.value);
      const searches = ['sqlite', 'postgres', 'mysql'].includes(store.engine);
      t.deepEqual(found.slice(0, 4), [...Object.values(texts).slice(0, 3), searches ? undefined : 'autumn']);
      t.true(found.slice(4).every((value) => value === undefined));
    },
  );

  check('a closed store rejects every operation', async (t, store) => {
    await store.close();
    await t.notThrowsAsync(store.close());
    await isUnavailable(t, store, 0);
    await t.throwsAsync(store.keys('records').next(), {code: 'store_unavailable'});
  });
}
