import {storeKey} from '../../../src/keys.ts';
import {randomBytes} from 'node:crypto';
import test, {type ExecutionContext} from 'ava';
import type {ToolStore} from '../../../src/store/port.ts';
import {update} from '../../../src/store/update.ts';
import {checkCounters} from './conformance-counters.ts';
import {checkExpiry} from './conformance-expiry.ts';
import {checkKeys} from './conformance-keys.ts';
import {run} from './run.ts';

export interface StoreUnderTest {
  readonly title: string;
  /** Opens another store on the engine; called many times. The suite closes the stores. */
  readonly open: (namespace: string, now?: () => number) => ToolStore;
  readonly guarantee: ToolStore['guarantee'];
  /** Whether a record in the host's table is limited to some ten kilobytes. */
  readonly hasSmallRecords?: boolean;
  /** Whether the engine can list its keys; true by default. */
  readonly canList?: boolean;
  /** Whether the engine removes expired records, and lists its keys, so that this shows; by default `canList`. */
  readonly collects?: boolean;
  /** Why the engine cannot be tested here. */
  readonly skip?: string | undefined;
}

const many = 50;

/** Declares one test of the store. */
export type Check = (
  sentence: string,
  body: (t: ExecutionContext, store: ToolStore, namespace: string) => Promise<void>,
) => void;

/** Tests everything that the port promises. */
export function testStore(underTest: StoreUnderTest): void {
  const {title, open, guarantee, hasSmallRecords, canList, skip} = underTest;
  const check: Check = (sentence, body) => {
    (skip === undefined ? test.serial : test.serial.skip)(`${title}: ${sentence}`, async (t) => {
      const namespace = `${run}-${randomBytes(6).toString('hex')}`;
      const store = open(namespace);
      t.teardown(() => store.close());
      await body(t, store, namespace);
    });
  };

  check('the store has its guarantee and answers a ping', async (t, store) => {
    t.is(store.guarantee, guarantee);
    await t.notThrowsAsync(store.ping());
  });

  check('a record is read back unchanged', async (t, store) => {
    const value = {
      text: ':a colon first, "quotes", \\, \', ?, $1, \u0000, é, 字, 🙂',
      marked: ':base64:AAAA',
      nested: {list: [1, -0.5, null, true, ':x', {deep: ''}], empty: {}},
      large: Number.MAX_SAFE_INTEGER,
    };
    t.true(await store.insert('record', value));
    t.deepEqual((await store.get('record'))?.value, value);
  });

  check('false, null, zero and the empty string can be records', async (t, store) => {
    for (const [index, value] of [false, null, 0, ''].entries()) {
      t.true(await store.insert(`plain-${index}`, value));
      t.is((await store.get(`plain-${index}`))?.value, value);
      t.false(await store.insert(`plain-${index}`, 'other'));
    }
  });

  const large = hasSmallRecords
    ? 'a record of a megabyte is refused, and the old record stays'
    : 'a record of a megabyte is stored completely';
  check(large, async (t, store) => {
    const text = randomBytes(768 * 1024).toString('base64');
    if (hasSmallRecords) {
      await t.throwsAsync(store.insert('large', {text}), {code: 'store_unavailable'});
      t.true(await store.insert('large', 'small'));
      await t.throwsAsync(store.replace('large', (await store.get('large'))?.revision, {text}));
      t.is((await store.get('large'))?.value, 'small');
      return;
    }
    await store.insert('large', {text});
    const entry = await store.get<{text: string}>('large');
    t.true(entry?.value.text === text);
    t.true(await store.replace('large', entry?.revision, {text: text + '!'}));
    t.is((await store.get<{text: string}>('large'))?.value.text.length, text.length + 1);
  });

  check('insert does not replace an existing record', async (t, store) => {
    t.true(await store.insert('taken', 'first'));
    t.false(await store.insert('taken', 'second'));
    t.is((await store.get('taken'))?.value, 'first');
  });

  check('of concurrent inserts exactly one succeeds', async (t, store, namespace) => {
    const second = guarantee === 'store' ? open(namespace) : store;
    t.teardown(() => second.close());
    const results = await Promise.all(
      Array.from({length: many}, (_, index) => (index % 2 ? store : second).insert('raced', {index})),
    );
    t.is(results.filter(Boolean).length, 1);
    t.deepEqual((await store.get('raced'))?.value, {index: results.indexOf(true)});
  });

  check('replace requires the current revision', async (t, store) => {
    await store.insert('versioned', 'one');
    const first = await store.get('versioned');
    t.true(await store.replace('versioned', first?.revision, 'two'));
    t.false(await store.replace('versioned', first?.revision, 'three'));
    t.is((await store.get('versioned'))?.value, 'two');
    await store.remove('versioned');
    t.false(await store.replace('versioned', first?.revision, 'four'));
    t.is(await store.get('versioned'), undefined);
  });

  check('concurrent updates are all applied', async (t, store, namespace) => {
    const second = guarantee === 'store' ? open(namespace) : store;
    t.teardown(() => second.close());
    await store.insert('counter', {count: 0});
    await Promise.all(
      Array.from({length: many}, (_, index) =>
        update<{count: number}>(index % 2 ? store : second, 'counter', ({count}) => ({count: count + 1})),
      ),
    );
    t.deepEqual((await store.get('counter'))?.value, {count: many});
  });

  check('a record is removed only if it is unchanged', async (t, store) => {
    await store.insert('brief', {n: 1});
    const before = await store.get('brief');
    t.true(await store.replace('brief', before?.revision, {n: 2}));
    t.false(await store.removeUnchanged('brief', before?.revision));
    const after = await store.get('brief');
    t.deepEqual(after?.value, {n: 2});
    t.true(await store.removeUnchanged('brief', after?.revision));
    t.is(await store.get('brief'), undefined);
    t.false(await store.removeUnchanged('brief', after?.revision));
    t.true(await store.insert('brief', {n: 3}));
  });

  check('a sequence begins at 1 and never gives a number twice', async (t, store, namespace) => {
    const second = guarantee === 'store' ? open(namespace) : store;
    t.teardown(() => second.close());
    t.is(await store.current('sequence'), 0);
    const numbers = await Promise.all(
      Array.from({length: many}, (_, index) => (index % 2 ? store : second).increment('sequence')),
    );
    t.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({length: many}, (_, index) => index + 1),
    );
    t.is(await store.current('sequence'), many);
    t.is(await store.current('another'), 0);
  });

  checkCounters(check);
  checkKeys(check, open, canList);
  checkExpiry(check, underTest);

  check('keys are case-sensitive', async (t, store) => {
    t.true(await store.insert('link:aBc', 1));
    t.true(await store.insert('link:abc', 2));
    t.is((await store.get('link:aBc'))?.value, 1);
    t.is(await store.get('link:ABC'), undefined);
  });

  check('a key may have any printable ASCII character', async (t, store) => {
    const printable = Array.from({length: 94}, (_, index) => String.fromCharCode(33 + index)).join('');
    t.true(await store.insert(printable, 1));
    t.true(await store.insert(storeKey('account', 'jürgen:%_?*'), 2));
    t.is((await store.get(printable))?.value, 1);
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
    const unavailable = {code: 'store_unavailable', name: 'ShortUrlError'};
    await t.throwsAsync(store.get('a'), unavailable);
    await t.throwsAsync(store.getMany(['a']), unavailable);
    await t.throwsAsync(store.insert('a', 1), unavailable);
    await t.throwsAsync(store.replace('a', '', 1), unavailable);
    await t.throwsAsync(store.remove('a'), unavailable);
    await t.throwsAsync(store.increment('a'), unavailable);
    await t.throwsAsync(store.current('a'), unavailable);
    await t.throwsAsync(store.count({writer: 'a', number: 1, additions: []}), unavailable);
    await t.throwsAsync(store.getCounters(['a']), unavailable);
    await t.throwsAsync(store.removeCounters('a', ['b']), unavailable);
    await t.throwsAsync(store.keys('records', ''), unavailable);
    await t.throwsAsync(store.ping(), unavailable);
  });
}
