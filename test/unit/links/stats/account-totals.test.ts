import {accountTotals, totalsShards} from '../../../../src/links/stats/totals.ts';
import {dayCounter, visitsCounter} from '../../../../src/link/counters.ts';
import test from 'ava';
import {readTotals} from '../../../../src/links/stats/account-totals.ts';
import {allStats, readAskedStats} from '../../../../src/links/stats/visit-stats.ts';
import {openStore} from '../../../../src/store/opening/open.ts';
import type {Store} from '../../../../src/store/port.ts';
import {range} from '../../../support/engines/crowd.ts';
import {account, start, url} from '../../../support/links-world.ts';
import {counting, intercepted, memoryStore, outage} from '../../../support/store-stub.ts';

const generation = 'life';
/** The number of the day. */
const today = 500;

/** Counts as some process does. */
async function count(store: Store, shard: number, add: Record<string, number>, at: number): Promise<void> {
  const additions = [{keys: [accountTotals.key({generation: generation, shard: shard})], adds: [add], at}];
  await store.count({writer: `${shard}`, number: 1, additions});
}

async function readAll(store: Store, life: string) {
  const [stats] = await readTotals(store, life, today, [allStats]);
  return stats;
}

const empty = {links: 0, brokenLinks: 0, totalVisits: 0, lastAccessed: null, days: [], details: {}, conversions: []};

test('the totals sum up the counters of all shards', async (t) => {
  const store = memoryStore();
  for (const shard of range(totalsShards)) {
    await count(
      store,
      shard,
      {[visitsCounter]: 2, [dayCounter(499)]: 1, [dayCounter(500)]: 1, 'referrer:a.example': 1, 'referrer:direct': 1},
      shard * 1000,
    );
  }
  t.deepEqual(await readAll(store, generation), {
    ...empty,
    totalVisits: 16,
    lastAccessed: '1970-01-01 00:00:07',
    days: [
      {date: '1971-05-15', visits: 8, conversions: 0, values: []},
      {date: '1971-05-16', visits: 8, conversions: 0, values: []},
    ],
    details: {
      referrer: [
        {value: 'a.example', visits: 8},
        {value: 'direct', visits: 8},
      ],
    },
  });
  t.deepEqual(await readAll(store, 'another life'), empty);
});

/** Counters of as many days as are kept, the last one day 500. */
const keptDays = Object.fromEntries(range(400).map((index) => [dayCounter(500 - index), 1]));

test('what is asked at once about one account is read once, also of the links that match', async (t) => {
  const {links, asked} = start();
  for (const tag of ['mail', 'print']) await links.create(account, {url, tags: [tag]});
  const day = {from: '2031-05-06', until: '2031-05-06'};
  for (const [filter, count] of [
    [{}, 2],
    [{tag: 'mail'}, 1],
  ] as const) {
    asked.length = 0;
    await links.accountStats(account, filter);
    const alone = asked.length;
    asked.length = 0;
    const read = await Promise.all([{}, day].map((span) => links.accountStats(account, {...filter, ...span})));
    t.deepEqual([read.map((each) => each.links), asked.length], [[count, count], alone]);
  }
});

test('counters of days that are too old are removed from every shard', async (t) => {
  const store = memoryStore();
  await count(store, 1, {...keptDays, [dayCounter(100)]: 1}, 5);
  await count(store, 2, {[visitsCounter]: 1, [dayCounter(99)]: 1}, 5);
  await count(store, 3, {[dayCounter(500)]: 1}, 5);
  await readAll(store, generation);
  const kept = await store.getCounters(
    [1, 2, 3].map((shard) => accountTotals.key({generation: generation, shard: shard})),
  );
  t.deepEqual(
    kept.map(({counts}) => Array.from(counts.keys()).sort()),
    [Object.keys(keptDays).sort(), [visitsCounter], [dayCounter(500)]],
  );
});

/** Two months more than are kept. */
const months = Object.fromEntries(range(17).map((month) => [`${(10 + month).toString(36)}.referrer:a.example`, 1]));

test('details of months that are long past are added to those of all time, once', async (t) => {
  const store = memoryStore();
  await count(store, 1, {...months, 'referrer:a.example': 5}, 5);
  await count(store, 2, {'a.referrer:a.example': 7}, 5);
  const read = async () => (await readAll(store, generation))?.details;
  const details = {referrer: [{value: 'a.example', visits: 29}]};
  t.deepEqual(await Promise.all([read(), read(), read()]), [details, details, details]);
  t.deepEqual(await read(), details);
  const [first, second] = await store.getCounters(
    [1, 2].map((shard) => accountTotals.key({generation: generation, shard: shard})),
  );
  t.is(first?.counts.size, 16);
  t.is(first?.counts.get('referrer:a.example'), 7);
  t.deepEqual(Object.fromEntries(second?.counts ?? []), {'referrer:a.example': 7});
});

test('a read that was cut while it added up old months adds them once, also on a copy of the store', async (t) => {
  const store = memoryStore();
  const key = accountTotals.key({generation: generation, shard: 1});
  await count(store, 1, months, 5);
  let removals = 0;
  const cut = intercepted(store, (operation, of) => {
    if (operation !== 'removeCounters' || of !== key) return;
    removals += 1;
    // The first one removes days.
    if (removals === 2) throw outage();
  });
  await readAll(cut, generation);
  const [counters] = await store.getCounters([key]);
  const copy = openStore(new Map(), {namespace: 'test'});
  await copy.setCounters([[key, counters ?? {counts: new Map(), at: 5}]]);
  for (let repeat = 0; repeat < 2; repeat += 1) await readAll(copy, generation);
  const [added] = await copy.getCounters([key]);
  t.is(added?.counts.size, 16);
  t.is(added?.counts.get('referrer:a.example'), 2);
});

test('sums and days are read by the names of their counters, and are those of a whole reading', async (t) => {
  const memory = memoryStore();
  const details = Object.fromEntries(range(400).map((index) => [`c.referrer:${index}`, 1]));
  const days = Object.fromEntries(range(90).map((age) => [dayCounter(today - age), 2]));
  for (const shard of range(totalsShards)) {
    await count(memory, shard, {[visitsCounter]: 180, ...days, ...details}, shard * 1000);
  }
  const {store, read} = counting(memory);
  const whole = await readAll(store, generation);
  const wholeRead = read.counters;
  const reads = async (...asked: ReadonlyArray<Parameters<typeof readAskedStats>[0]>) => {
    read.counters = 0;
    return readTotals(store, generation, today, asked.map(readAskedStats));
  };
  t.deepEqual(await reads({include: []}), [{...whole, days: [], details: {}}]);
  t.is(read.counters, totalsShards);
  t.deepEqual(await reads({include: ['days']}), [{...whole, details: {}}]);
  t.is(read.counters, totalsShards * 91);
  const week = {from: '1971-05-10', until: '1971-05-16'};
  const [ofWeek, sums] = await reads({...week, include: ['days']}, {include: []});
  t.like(ofWeek, {totalVisits: 7 * 2 * totalsShards, details: {}});
  t.is(ofWeek?.days.length, 7);
  t.deepEqual(sums, {...whole, days: [], details: {}});
  t.is(read.counters, totalsShards * 8);
  t.deepEqual(await reads(week, {include: []}), [
    {...ofWeek, details: {}},
    {...whole, days: [], details: {}},
  ]);
  t.is(read.counters, wholeRead);
  t.throws(() => readAskedStats({include: ['days', 'hours']} as never), {code: 'malformed_parameter'});
});
