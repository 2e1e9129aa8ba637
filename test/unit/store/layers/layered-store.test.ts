import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {Keyv} from 'keyv';
import {ShortUrlError} from '../../../../src/errors.ts';
import {codecOf} from '../../../../src/store/codec.ts';
import {LayeredStore} from '../../../../src/store/layers/layered-store.ts';
import {Deadline} from '../../../../src/store/failing/deadline.ts';
import {type DriverStub, driverStub} from '../../../support/store/driver-stub.ts';

const unavailable = {instanceOf: ShortUrlError, code: 'store_unavailable'};

/** A store with a driver that the test controls. */
function start() {
  const driver = driverStub();
  const told: Error[] = [];
  const store = new LayeredStore(driver, {
    codec: codecOf(new Keyv()),
    keyOf: (key) => `n:${key}`,
    timeout: 20_000,
    onOutage: (error) => told.push(error),
    onUnreadable: (error) => told.push(error),
  });
  return {driver, store, told};
}

const valuesOf = (entries: ReadonlyArray<{value: unknown} | undefined>): unknown[] =>
  entries.map((entry) => entry?.value);

/** The calls without those that the store makes by itself, now and then. */
const asked = ({calls}: DriverStub): unknown[] => calls.filter(([name]) => name !== 'ping' && name !== 'collect');

/** Makes these operations of the driver wait until the returned function is called. */
function gate(driver: DriverStub, ...operations: string[]): () => void {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  driver.before = (operation) => (operations.includes(operation) ? opened : undefined);
  return open;
}

test('reads of one turn are one call of a remote driver, with each key once', async (t) => {
  const {driver, store} = start();
  await store.insert('a', 1);
  const entries = await Promise.all(['a', 'b', 'a'].map((key) => store.get(key)));
  t.deepEqual(valuesOf(entries), [1, undefined, 1]);
  t.deepEqual(asked(driver), [
    ['insert', ['n:a']],
    ['read', ['n:a', 'n:b']],
  ]);
  const many = await store.getMany(['b', 'a', 'a']);
  t.deepEqual(valuesOf(many), [undefined, 1, 1]);
  t.deepEqual(asked(driver).at(-1), ['read', ['n:b', 'n:a']]);
});

test('of concurrent inserts of a key the first gets true, and the driver gets the key once', async (t) => {
  const {driver, store} = start();
  const results = await Promise.all(['a', 'b', 'a', 'a'].map((key, index) => store.insert(key, index)));
  t.deepEqual(results, [true, true, false, false]);
  t.deepEqual(asked(driver)[0], ['insert', ['n:a', 'n:b']]);
  t.is((await store.get('a'))?.value, 0);
  t.deepEqual(await Promise.all(['a', 'c'].map((key) => store.insert(key, 'late'))), [false, true]);
});

test('concurrent replacements are one call, in which the first of a key is judged before the others', async (t) => {
  const {driver, store} = start();
  const together: unknown[] = [];
  driver.replaceMany = (changes, deadline) => {
    together.push(changes.map(([[key]]) => key));
    return Promise.all(changes.map(async ([row, expected]) => driver.replace(row, expected, deadline)));
  };
  await store.insertMany([
    ['a', 0],
    ['b', 1],
  ]);
  const [a, b] = (await store.getMany(['a', 'b'])).map((entry) => entry?.revision);
  const replace = (key: string, revision: unknown, value: number): Promise<unknown> =>
    store.replace(key, revision, value).then((entry) => entry?.value);
  const changes = [replace('a', a, 2), replace('b', a, 2), replace('b', b, 3), replace('a', a, 4)];
  t.deepEqual(await Promise.all([...changes, store.removeUnchanged('c', 'absent')]), [
    2,
    undefined,
    3,
    undefined,
    false,
  ]);
  t.deepEqual(together, [
    ['n:a', 'n:b'],
    ['n:b', 'n:a'],
  ]);
  t.deepEqual(valuesOf(await store.getMany(['a', 'b'])), [2, 3]);
});

test('an insert over an expired record does not replace one that another process has inserted meanwhile', async (t) => {
  const {driver, store} = start();
  await store.insert('a', 'expired', 1);
  const read = driver.read.bind(driver);
  driver.read = async (keys, deadline) => {
    driver.read = read;
    const [expired] = await read(keys, deadline);
    await driver.replace(['n:a', '{"value":"of another process"}'], expired, new Deadline(20_000));
    return [expired];
  };
  t.false(await store.insert('a', 'mine'));
  t.is((await store.get('a'))?.value, 'of another process');
});

test('concurrent increments are one step for each key, and each caller gets another number', async (t) => {
  const {driver, store} = start();
  t.is(await store.increment('a'), 1);
  const numbers = await Promise.all(['a', 'b', 'a', 'a', 'b'].map((key) => store.increment(key)));
  t.deepEqual(numbers, [2, 1, 3, 4, 2]);
  const steps = [
    ['n:a', 3],
    ['n:b', 2],
  ];
  t.deepEqual(asked(driver).at(-1), ['increment', steps]);
  t.deepEqual(await store.current(['a']), [4]);
  t.deepEqual(await store.current(['c']), [0]);
});

test("a batch reaches the driver with whole keys, and its writer's key has another prefix", async (t) => {
  const {driver, store} = start();
  const adds = [{visits: 1, d7: 1}, {visits: 1}];
  const addition = {keys: ['visits', 'totals'], adds, at: 5};
  const link = {key: 'link', revision: 'as it was'};
  t.deepEqual(await store.count({writer: 'w', number: 3, additions: [{...addition, link}, addition]}), [false, true]);
  const keys = ['n:visits', 'n:totals'];
  t.deepEqual(asked(driver), [
    [
      'count',
      {
        writer: 'n:batch:w',
        number: 3,
        additions: [
          {link: {key: 'n:link', revision: 'as it was', keys}, keys, adds, at: 5},
          {link: undefined, keys, adds, at: 5},
        ],
      },
    ],
  ]);
});

test('a failure of the driver is an outage, which is reported once and ends with an answered ping', async (t) => {
  const {driver, store, told} = start();
  await store.ping();
  const open = gate(driver, 'ping');
  const {before} = driver;
  driver.before = (operation) => {
    if (operation === 'read') throw new Error('connection lost');
    return before(operation);
  };
  for (let round = 0; round < 3; round += 1) await t.throwsAsync(store.get('a'), unavailable);
  t.true(store.isAway);
  t.is(told.length, 1);
  t.like(told[0], {code: 'store_unavailable', cause: {message: 'connection lost'}});
  driver.before = () => undefined;
  t.true(store.isAway);
  open();
  await store.whenBack();
  t.false(store.isAway);
  t.is(await store.get('a'), undefined);
  await store.close();
});

test('the error of a refused row does not repeat the password of the store', async (t) => {
  const refused = new Error('the row is too long for app with s3cret');
  const store = new LayeredStore(
    {...driverStub(), insert: async () => [refused], replace: async () => refused},
    {
      codec: codecOf(new Keyv()),
      keyOf: (key) => key,
      address: {names: {}, logins: ['s3cret']},
      timeout: 20_000,
    },
  );
  for (const attempt of [store.insert('a', 1), store.insertMany([['a', 1]]), store.replace('a', 'b', 1)]) {
    const {cause} = await t.throwsAsync(attempt, unavailable);
    t.is((cause as Error).message, 'the row is too long for app with …');
  }
  t.false(store.isAway);
});

test('a store closes once, after every operation that has begun, also those not yet sent', async (t) => {
  const {driver, store} = start();
  await store.insert('a', 1);
  const open = gate(driver, 'insert');
  const begun = [
    store.get('a'),
    store.getMany(['a', 'b']),
    store.insert('b', 2),
    store.insert('b', 3),
    store.increment('sequence'),
    store.count({writer: 'w', number: 1, additions: []}),
    store.remove('c'),
  ];
  const closed = Promise.all([store.close(), store.close()]);
  await t.throwsAsync(store.get('a'), {...unavailable, message: 'The store is closed.'});
  await setImmediate();
  // It would share no call with the inserts above, so it would begin only now.
  await t.throwsAsync(store.insert('late', 1), {...unavailable, message: 'The store is closed.'});
  t.false(driver.calls.some(([operation]) => operation === 'close'));
  open();
  await closed;
  await t.notThrowsAsync(Promise.all(begun));
  await store.close();
  t.is(
    driver.calls.findIndex(([operation]) => operation === 'close'),
    driver.calls.length - 1,
  );
  store.lost(new Error('connection lost'));
  t.false(store.isAway);
});
