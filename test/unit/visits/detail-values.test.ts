import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {detailNames, detailOf, DetailValues, escapeValue} from '../../../src/visits/detail-values.ts';
import type {Store} from '../../../src/store/port.ts';
import {range} from '../../support/engines/crowd.ts';
import {intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

interface World {
  readonly store: Store;
  readonly errors: Error[];
  /** The store operations so far. */
  readonly asked: Array<keyof Store>;
  /** Runs before each operation. */
  before: () => void | Promise<void>;
  isAway: boolean;
  /** Starts another process on the same store. */
  readonly start: () => DetailValues;
}

function start(): World {
  const store = memoryStore();
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    return world.before();
  });
  const failing = reportedAway(watched, () => world.isAway);
  const world: World = {
    store,
    errors: [],
    asked: [],
    before: () => undefined,
    isAway: false,
    start: () => new DetailValues(failing, (error) => world.errors.push(error)),
  };
  return world;
}

/** Resolves when a read of the store has ended. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

const referrer = (value: string): Record<string, string> => ({referrer: value});

/** The counters of so many values. */
function countersOf(values: DetailValues, key: string, count: number): string[] {
  return range(count).flatMap((number) => values.counters(key, referrer(`site-${number}.example`)));
}

/** Stores visits with this many referrers under a key. */
async function count(store: Store, key: string, referrers: number): Promise<void> {
  const add = Object.fromEntries(range(referrers).map((number) => [`referrer:stored-${number}.example`, 1]));
  await store.count({writer: key, number: 1, additions: [{counters: [{key, add}], at: 1}]});
}

test('the counters of details are named after their values, and ask the store nothing', (t) => {
  const world = start();
  const values = world.start();
  const details = {referrer: 'news.example', country: 'NZ', kind: 'direct', rest: 'other'};
  const names = ['referrer:news.example', 'country:NZ', 'kind:direct', 'rest:other'];
  t.deepEqual(values.counters('k', details), names);
  t.deepEqual(values.counters('k', details), names);
  t.deepEqual(values.counters('k', {}), []);
  t.deepEqual(world.asked, []);
});

test('any value can be read from the name of its counter, which has no other characters than the port allows', (t) => {
  const values = ['a b', 'ü', '100%', 'a:b', '\'quoted\' "twice"', '{}[],\\', '~!*()', '😀', 'a%20b', 'at', '日本'];
  for (const value of values) {
    const [counter = ''] = start().start().counters('k', {kind: value});
    t.regex(counter, /^[\w:.%-]{1,640}$/, value);
    t.deepEqual(detailOf(counter), {name: 'kind', value});
  }
  t.is(new Set(values.map(escapeValue)).size, values.length);
});

test('a long value is cut between two characters, so that the name of its counter is short enough', (t) => {
  const [counter = ''] = start()
    .start()
    .counters('k', {[`${'n'.repeat(32)}`]: '😀'.repeat(64)});
  t.true(counter.length <= 640);
  t.is(detailOf(counter)?.value, '😀'.repeat(50));
});

test('a counter that this package has not written is shown as it is', (t) => {
  t.deepEqual(detailOf('referrer:100%'), {name: 'referrer', value: '100%'});
  t.is(detailOf('v'), undefined);
  t.is(detailOf('d4f'), undefined);
  t.deepEqual(
    detailNames({
      counts: new Map([
        ['v', 2],
        ['b:1', 1],
        ['a:1', 1],
        ['a:2', 1],
      ]),
      at: 1,
    }),
    ['a', 'b'],
  );
});

test('a process counts at most a hundred values of a detail by themselves, for each link', async (t) => {
  const world = start();
  const values = world.start();
  countersOf(values, 'k', 11);
  await settled();
  const counters = countersOf(values, 'k', 200);
  t.is(counters.filter((counter) => counter !== 'referrer:other').length, 100);
  t.is(countersOf(values, 'another link', 5).filter((counter) => counter !== 'referrer:other').length, 5);
  t.deepEqual(countersOf(values, 'k', 100), counters.slice(0, 100));
});

test('after ten new values of a link a process asks once which values the store has', async (t) => {
  const world = start();
  await count(world.store, 'k', 95);
  const values = world.start();
  t.is(countersOf(values, 'k', 30).filter((counter) => counter !== 'referrer:other').length, 10);
  t.deepEqual(world.asked, ['getCounters']);
  await settled();
  t.deepEqual(values.counters('k', referrer('stored-90.example')), ['referrer:stored-90.example']);
  t.deepEqual(values.counters('k', referrer('site-20.example')), ['referrer:other']);
  t.deepEqual(values.counters('k', referrer('site-9.example')), ['referrer:site-9.example']);
  t.deepEqual(world.asked, ['getCounters']);
});

test('in an outage the first values of a link count by themselves, and further ones once the store is back', async (t) => {
  const world = start();
  const values = world.start();
  world.isAway = true;
  t.is(countersOf(values, 'k', 20).filter((counter) => counter !== 'referrer:other').length, 10);
  t.deepEqual(world.asked, []);
  world.isAway = false;
  countersOf(values, 'k', 20);
  await settled();
  t.is(countersOf(values, 'k', 20).filter((counter) => counter !== 'referrer:other').length, 20);
});

test('a failed read is repeated with the next new value, and only a fault of the program is reported', async (t) => {
  const world = start();
  const values = world.start();
  for (const [failure, errors] of [
    [outage(), 0],
    [new Error('a fault'), 1],
  ] as const) {
    world.before = () => {
      throw failure;
    };
    t.true(countersOf(values, 'k', 11).includes('referrer:other'));
    await settled();
    t.is(world.errors.length, errors);
  }
  world.before = () => undefined;
  countersOf(values, 'k', 11);
  await settled();
  t.false(countersOf(values, 'k', 11).includes('referrer:other'));
});
