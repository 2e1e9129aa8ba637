import {setImmediate} from 'node:timers/promises';
import test from 'ava';
import {type Details, DetailValues} from '../../../src/visits/detail-values.ts';
import type {Store} from '../../../src/store/port.ts';
import {range} from '../../support/engines/crowd.ts';
import {intercepted, memoryStore, outage, reportedAway} from '../../support/store-stub.ts';

const key = 'v:{example.com:spring}:c';

function start() {
  const store = memoryStore();
  const world = {
    store,
    /** The store operations so far. */
    asked: [] as Array<keyof Store>,
    /** Runs before each operation. */
    before: (): void => undefined,
    isAway: false,
    /** Starts another process on the same store. */
    start: (): ((details: Details) => readonly string[]) => {
      const values = new DetailValues(reportedAway(watched, () => world.isAway));
      return (details) => values.counters(key, details, () => [key]);
    },
  };
  const watched = intercepted(store, (operation) => {
    world.asked.push(operation);
    world.before();
  });
  return world;
}

async function count(store: Store, add: Record<string, number>): Promise<void> {
  await store.count({writer: 'w', number: 1, additions: [{keys: [key], adds: [add], at: 1}]});
}

/** The process has read the stored values. */
async function untilRead(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

test('a visit never waits for the store, whose values are read once in the background', async (t) => {
  const world = start();
  const counters = world.start();
  t.deepEqual(counters({referrer: 'a.example', country: 'NZ'}), ['referrer:a.example', 'country:NZ']);
  t.deepEqual(counters({country: 'NZ', referrer: 'b.example'}), ['country:NZ', 'referrer:b.example']);
  await untilRead();
  counters({referrer: 'c.example'});
  await untilRead();
  t.deepEqual(world.asked, ['getCounters']);
});

test('a visit without details, and the values `direct` and `other`, do not use the store', async (t) => {
  const world = start();
  const counters = world.start();
  t.deepEqual(counters({}), []);
  t.deepEqual(counters({referrer: 'direct', country: 'other'}), ['referrer:direct', 'country:other']);
  await untilRead();
  t.deepEqual(world.asked, []);
});

test('after a hundred values of a detail a new one is counted as `other`', (t) => {
  const counters = start().start();
  for (const index of range(100)) t.deepEqual(counters({referrer: `${index}`}), [`referrer:${index}`]);
  t.deepEqual(counters({referrer: 'late', country: 'NZ'}), ['referrer:other', 'country:NZ']);
  t.deepEqual(counters({referrer: '99'}), ['referrer:99']);
});

test('a process that starts again counts the stored values and no further ones', async (t) => {
  const world = start();
  await count(world.store, Object.fromEntries(range(100).map((index) => [`referrer:${index}`, 1])));
  const counters = world.start();
  counters({referrer: 'early'});
  await untilRead();
  t.deepEqual(counters({referrer: 'late'}), ['referrer:other']);
  t.deepEqual(counters({referrer: '7'}), ['referrer:7']);
  t.deepEqual(counters({referrer: 'early'}), ['referrer:early']);
});

test('of more than a hundred stored values the most visited are counted by themselves', async (t) => {
  const world = start();
  await count(world.store, Object.fromEntries(range(150).map((index) => [`referrer:${index}`, index + 1])));
  const counters = world.start();
  counters({referrer: '149'});
  await untilRead();
  t.deepEqual(counters({referrer: '50'}), ['referrer:50']);
  t.deepEqual(counters({referrer: '49'}), ['referrer:other']);
});

test('an outage does not turn a value into `other`, and the stored values are read after it', async (t) => {
  const world = start();
  await count(world.store, Object.fromEntries(range(100).map((index) => [`referrer:${index}`, 1])));
  const counters = world.start();
  world.isAway = true;
  t.deepEqual(counters({referrer: 'a.example'}), ['referrer:a.example']);
  t.deepEqual(world.asked, []);
  world.isAway = false;
  world.before = () => {
    throw outage();
  };
  t.deepEqual(counters({referrer: 'b.example'}), ['referrer:b.example']);
  await untilRead();
  world.before = () => undefined;
  t.deepEqual(counters({referrer: 'c.example'}), ['referrer:c.example']);
  await untilRead();
  t.deepEqual(counters({referrer: 'd.example'}), ['referrer:other']);
});
