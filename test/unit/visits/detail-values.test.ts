import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {type Details, DetailValues, type StoredValues} from '../../../src/visits/detail-values.ts';
import {countersKey, type LinkRecord, ownerValuesKey, valuesKey} from '../../../src/links/record.ts';
import type {Store} from '../../../src/store/port.ts';
import {range} from '../../support/engines/crowd.ts';
import {intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

type Counters = Awaited<ReturnType<DetailValues['counters']>>;

const record = {domain: 'example.com', slug: 'spring', counters: 'c', generation: 'life'} as LinkRecord;

interface World {
  readonly store: Store;
  readonly errors: Error[];
  /** The store operations so far. */
  readonly asked: Array<keyof Store>;
  /** Runs before each operation. */
  before: (operation: keyof Store) => void | Promise<void>;
  isAway: boolean;
  /** Starts another process on the same store. */
  readonly start: (timeout?: number) => DetailValues;
}

function start(): World {
  const store = memoryStore();
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    return world.before(operation);
  });
  const failing = reportedAway(watched, () => world.isAway);
  const world: World = {
    store,
    errors: [],
    asked: [],
    before: () => undefined,
    isAway: false,
    start: (timeout = 1000) => new DetailValues(failing, timeout, (error) => world.errors.push(error)),
  };
  return world;
}

function counters(values: DetailValues, details: Details, link = record): Counters | Promise<Counters> {
  return values.counters(link, countersKey(link), details);
}

/** The values that are stored for the link. */
async function storedIn(store: Store, key = valuesKey(record, 'referrer')): Promise<StoredValues> {
  return (await store.get<StoredValues>(key))?.value ?? [];
}

test('a new value is stored for the link and for its account before it is counted, and remembered', async (t) => {
  const world = start();
  const values = world.start();
  const [ofLink, ofAccount] = await counters(values, {referrer: 'a.example', country: 'NZ'});
  const [[value, code] = []] = await storedIn(world.store);
  t.is(value, 'a.example');
  t.regex(code ?? '', /^[\w-]{4}$/);
  t.is(ofLink[0], `referrer:${String(code)}`);
  t.regex(ofLink[1] ?? '', /^country:[\w-]{4}$/);
  const [[, codeOfAccount] = []] = await storedIn(world.store, ownerValuesKey('life', 'referrer'));
  t.is(ofAccount[0], `referrer:${String(codeOfAccount)}`);

  world.asked.length = 0;
  t.deepEqual(counters(values, {country: 'NZ', referrer: 'a.example'}), [ofLink.toReversed(), ofAccount.toReversed()]);
  t.deepEqual(world.asked, [], 'it is known, so the store is not used');
});

test('a visit without details, and the values `direct` and `other`, do not use the store', (t) => {
  const world = start();
  const values = world.start();
  t.deepEqual(counters(values, {}), [[], []]);
  const both = ['referrer:', 'country:other'];
  t.deepEqual(counters(values, {referrer: 'direct', country: 'other'}), [both, both]);
  t.deepEqual(world.asked, []);
});

test('two links store a value separately, and share the one of their account', async (t) => {
  const world = start();
  const values = world.start();
  const [one, ofAccount] = await counters(values, {referrer: 'a.example'});
  const [other, again] = await counters(values, {referrer: 'a.example'}, {...record, slug: 'autumn'});
  t.notDeepEqual(other, one);
  t.deepEqual(again, ofAccount);
});

test('another process counts a value under the same counter', async (t) => {
  const world = start();
  const told = await counters(world.start(), {referrer: 'a.example'});
  world.asked.length = 0;
  t.deepEqual(await counters(world.start(), {referrer: 'a.example'}), told);
  t.true(
    world.asked.every((operation) => operation === 'get'),
    world.asked.join(),
  );
});

test('of 150 new values in ten processes at once, a hundred get their own counter, the same in all processes', async (t) => {
  const world = start();
  // Lets the processes overlap.
  world.before = async () => {
    await setImmediate();
  };
  const processes = range(10).map(() => world.start(60_000));
  const met = await Promise.all(
    processes.flatMap((values, process) =>
      range(150).map(async (index) => {
        const value = `${(index + 15 * process) % 150}.example`;
        const [[counter]] = await counters(values, {referrer: value});
        return [value, counter] as const;
      }),
    ),
  );
  const counterOf = new Map(met);
  t.true(met.every(([value, counter]) => counterOf.get(value) === counter));
  const counted = new Set(counterOf.values());
  t.is(counted.size, 101);
  t.true(counted.has('referrer:other'));
  t.is((await storedIn(world.store)).length, 100);
  t.is((await storedIn(world.store, ownerValuesKey('life', 'referrer'))).length, 100);
});

test('after a hundred values, a new one is counted as `other` without the store', async (t) => {
  const world = start();
  const values = world.start();
  await Promise.all(range(100).map(async (index) => counters(values, {referrer: `${index}`})));
  world.asked.length = 0;
  t.deepEqual(counters(values, {referrer: 'late'}), [['referrer:other'], ['referrer:other']]);
  t.not((await counters(values, {referrer: '99'}))[0][0], 'referrer:other');
  t.deepEqual(world.asked, []);
});

test('the new values of many visitors are stored with few writes', async (t) => {
  const world = start();
  const values = world.start();
  await Promise.all(range(60).map(async (index) => counters(values, {referrer: `${index % 30}`})));
  t.true(world.asked.length <= 8, world.asked.join());
  t.is((await storedIn(world.store)).length, 30);
});

test('while the store is away a known value keeps its counter, and a new one is counted as `other`', async (t) => {
  const world = start();
  const values = world.start();
  const [known] = await counters(values, {referrer: 'a.example'});
  world.isAway = true;
  world.before = () => {
    throw outage();
  };
  t.deepEqual((await counters(values, {referrer: 'a.example'}))[0], known);
  t.deepEqual(counters(values, {referrer: 'b.example'}), [['referrer:other'], ['referrer:other']]);
  t.deepEqual(world.errors, []);
});

test('a value that cannot be stored is counted as `other` until the store answers', async (t) => {
  const world = start();
  const values = world.start();
  world.before = () => {
    throw outage();
  };
  t.deepEqual(await counters(values, {referrer: 'a.example'}), [['referrer:other'], ['referrer:other']]);
  t.deepEqual(world.errors, [], 'the store reports the outage');
  world.before = () => undefined;
  t.notDeepEqual((await counters(values, {referrer: 'a.example'}))[0], ['referrer:other']);
});

test('a visitor waits for the storing of a value no longer than the timeout', async (t) => {
  const world = start();
  const values = world.start(20);
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  world.before = () => answered;
  t.deepEqual(await counters(values, {referrer: 'a.example'}), [['referrer:other'], ['referrer:other']]);
  answer();
  t.notDeepEqual((await counters(values, {referrer: 'a.example'}))[0], ['referrer:other']);
});

test('values that cannot be read are reported, and counted as `other`', async (t) => {
  const world = start();
  const values = world.start();
  world.before = (operation) => {
    if (operation === 'get') throw new TypeError('no values');
  };
  t.deepEqual(await counters(values, {referrer: 'a.example'}), [['referrer:other'], ['referrer:other']]);
  t.is(world.errors.length, 2);
});

test('a value that a store has lost never shares its counter with another value', async (t) => {
  const world = start();
  const [before, after] = [world.start(), world.start()];
  const [[lost]] = await counters(before, {referrer: 'lost.example'});
  await world.store.remove(valuesKey(record, 'referrer'));
  const [[fresh]] = await counters(after, {referrer: 'fresh.example'});
  t.not(fresh, lost);
  const codes = (await storedIn(world.store)).map(([, code]) => `referrer:${code}`);
  t.deepEqual(codes, [fresh]);
});

test('names and values may be those of properties that every object has', async (t) => {
  const world = start();
  const values = world.start();
  const details = Object.fromEntries([
    ['__proto__', 'constructor'],
    ['constructor', '__proto__'],
  ]) as Details;
  const [ofLink] = await counters(values, details);
  t.regex(ofLink.join(), /^__proto__:[\w-]{4},constructor:[\w-]{4}$/);
  t.deepEqual((await counters(world.start(), details))[0], ofLink);
});
