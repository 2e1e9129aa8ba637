import {totalsKey, totalsShards} from '../../../../src/keys.ts';
import {dayCounter, visitsCounter} from '../../../../src/link/counters.ts';
import test from 'ava';
import {readTotals} from '../../../../src/links/stats/account-totals.ts';
import {accountList, LinkIndex} from '../../../../src/links/list/link-index.ts';
import type {Store} from '../../../../src/store/port.ts';
import {range} from '../../../support/engines/crowd.ts';
import {memoryStore} from '../../../support/store-stub.ts';

const day = 86_400_000;
const generation = 'life';

interface World {
  readonly store: Store;
  /** The number of the day. */
  readonly today: number;
}

function start(now = 500 * day): World {
  const store = memoryStore();
  return {store, today: Math.floor(now / day)};
}

/** Counts as some process does. */
async function count({store}: World, shard: number, add: Record<string, number>, at: number): Promise<void> {
  const additions = [{keys: [totalsKey(generation, shard)], adds: [add], at}];
  await store.count({writer: `${shard}`, number: 1, additions});
}

const empty = {links: 0, totalVisits: 0, lastAccessed: null, days: [], details: {}, conversions: []};

test('the totals sum up the counters of all shards', async (t) => {
  const world = start();
  for (const shard of range(totalsShards)) {
    await count(
      world,
      shard,
      {[visitsCounter]: 2, [dayCounter(499)]: 1, [dayCounter(500)]: 1, 'referrer:a.example': 1, 'referrer:direct': 1},
      shard * 1000,
    );
  }
  t.deepEqual(await readTotals(world.store, generation, world.today), {
    ...empty,
    totalVisits: 16,
    lastAccessed: '1970-01-01 00:00:07',
    days: [
      {date: '1971-05-15', visits: 8, conversions: 0},
      {date: '1971-05-16', visits: 8, conversions: 0},
    ],
    details: {
      referrer: [
        {value: 'a.example', visits: 8},
        {value: 'direct', visits: 8},
      ],
    },
  });
  t.deepEqual(await readTotals(world.store, 'another life', world.today), empty);
});

test('the number of links is the slots of the list without the empty ones', async (t) => {
  const world = start();
  const linkIndex = new LinkIndex(world.store);
  const names = range(5).map((index) => ({domain: 'example.com', slug: `link-${index}`}));
  for (const name of names) await linkIndex.reserve(accountList(generation), name);
  for (const [index, name] of names.slice(0, 2).entries())
    await linkIndex.release(accountList(generation), index + 1, name);
  t.deepEqual(await readTotals(world.store, generation, world.today), {...empty, links: 3});
});

/** Counters of as many days as are kept, the last one day 500. */
const keptDays = Object.fromEntries(range(400).map((index) => [dayCounter(500 - index), 1]));

test('counters of days that are too old are removed from every shard', async (t) => {
  const world = start();
  await count(world, 1, {...keptDays, [dayCounter(100)]: 1}, 5);
  await count(world, 2, {[visitsCounter]: 1, [dayCounter(99)]: 1}, 5);
  await count(world, 3, {[dayCounter(500)]: 1}, 5);
  await readTotals(world.store, generation, world.today);
  const kept = await world.store.getCounters([1, 2, 3].map((shard) => totalsKey(generation, shard)));
  t.deepEqual(
    kept.map(({counts}) => Array.from(counts.keys()).sort()),
    [Object.keys(keptDays).sort(), [visitsCounter], [dayCounter(500)]],
  );
});
