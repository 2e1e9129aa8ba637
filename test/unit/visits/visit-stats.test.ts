import test from 'ava';
import {countersKey, dayCounter, type LinkRecord, valuesKey, visitsCounter} from '../../../src/links/record.ts';
import {readStats, removeVisits, toStats} from '../../../src/visits/visit-stats.ts';
import type {Counters} from '../../../src/store/port.ts';
import {memoryStore} from '../../support/store-stub.ts';

const record = {domain: 'example.com', slug: 'spring', counters: 'c', generation: 'life'} as LinkRecord;

function counters(counts: Record<string, number>, at?: number): Counters {
  return {counts: new Map(Object.entries(counts)), at};
}

test('the days of a link are those of the last 400 with visits, oldest first, and older counters are named', (t) => {
  const day = 20_000;
  const now = day * 86_400_000 + 5;
  const visitsOn: ReadonlyArray<readonly [day: number, visits: number]> = [
    [day, 4],
    [day - 400, 1],
    [day - 399, 2],
    [day - 1, 3],
    [9, 5],
  ];
  const days = Object.fromEntries(visitsOn.map(([one, visits]) => [dayCounter(one), visits]));
  const {stats, old} = toStats(counters({[visitsCounter]: 10, ...days, 'd:x': 1}, now), new Map(), now);
  t.deepEqual(stats.days, [
    {date: '2023-09-01', visits: 2},
    {date: '2024-10-03', visits: 3},
    {date: '2024-10-04', visits: 4},
  ]);
  t.deepEqual([stats.totalVisits, stats.lastAccessed], [10, '2024-10-04 00:00:00']);
  t.deepEqual(old, [9, 19_600].map(dayCounter));
});

test('the values of a detail come most visited first, then by name', (t) => {
  const {stats} = toStats(
    counters({
      ...{visits: 20, d5: 20},
      ...{'referrer:aaaa': 3, 'referrer:bbbb': 7, 'referrer:cccc': 3, 'referrer:': 5, 'referrer:other': 2},
      ...{'country_code:aaaa': 20},
    }),
    new Map([
      [
        'referrer',
        [
          ['z.example', 'aaaa'],
          ['b.example', 'bbbb'],
          ['a.example', 'cccc'],
          ['never.example', 'dddd'],
        ],
      ],
      ['country_code', [['NZ', 'aaaa']]],
    ]),
    5 * 86_400_000,
  );
  t.deepEqual(stats.details, {
    country_code: [{value: 'NZ', visits: 20}],
    referrer: [
      {value: 'b.example', visits: 7},
      {value: 'direct', visits: 5},
      {value: 'a.example', visits: 3},
      {value: 'z.example', visits: 3},
      {value: 'other', visits: 2},
    ],
  });
  t.deepEqual(Object.keys(stats.details), ['country_code', 'referrer']);
});

test('a counter whose value the store has lost is shown as `other`', (t) => {
  const {stats} = toStats(counters({visits: 3, 'referrer:aaaa': 1, 'referrer:other': 2}), new Map(), 0);
  t.deepEqual(stats.details, {referrer: [{value: 'other', visits: 3}]});
});

test('a detail may be named like a property that every object has', (t) => {
  const {stats} = toStats(counters({visits: 1, '__proto__:': 1, 'constructor:': 1}), new Map(), 0);
  t.deepEqual(Object.entries(stats.details), [
    ['__proto__', [{value: 'direct', visits: 1}]],
    ['constructor', [{value: 'direct', visits: 1}]],
  ]);
});

test('the values of each detail are read from the store', async (t) => {
  const store = memoryStore();
  await store.insert(valuesKey(record, 'referrer'), [['a.example', 'aaaa']]);
  const keyOf = (name: string): string => valuesKey(record, name);
  const read = counters({visits: 2, 'referrer:aaaa': 1, 'country:': 2, 'referrer:': 1});
  const {stats} = await readStats(store, read, keyOf, 0);
  t.deepEqual(stats.details, {
    country: [{value: 'direct', visits: 2}],
    referrer: [
      {value: 'a.example', visits: 1},
      {value: 'direct', visits: 1},
    ],
  });
});

test('removing the visits of a link removes its counters and values', async (t) => {
  const store = memoryStore();
  const key = countersKey(record);
  await store.insert(valuesKey(record, 'referrer'), [['a.example', 'aaaa']]);
  const add = {visits: 2, d5: 2, 'referrer:aaaa': 1, 'referrer:': 1};
  await store.count({writer: 'w', number: 1, additions: [{counters: [{key, add}], at: 1}]});
  await removeVisits(store, record);
  await removeVisits(store, record);
  t.deepEqual(await store.getCounters([key]), [counters({})]);
  t.is(await store.get(valuesKey(record, 'referrer')), undefined);
});
