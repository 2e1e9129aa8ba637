import {dayCounter, visitsCounter} from '../../../../src/link/counters.ts';
import test from 'ava';
import {toStats} from '../../../../src/links/stats/visit-stats.ts';
import type {Counters} from '../../../../src/store/port.ts';

function counters(counts: Record<string, number>, at?: number): Counters {
  return {counts: new Map(Object.entries(counts)), at};
}

test('the days of a link are those of the last 400 with visits, oldest first', (t) => {
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
  const {stats} = toStats(counters({[visitsCounter]: 10, ...days, 'd:x': 1}, now), day);
  t.deepEqual(stats.days, [
    {date: '2023-09-01', visits: 2, conversions: 0},
    {date: '2024-10-03', visits: 3, conversions: 0},
    {date: '2024-10-04', visits: 4, conversions: 0},
  ]);
  t.deepEqual([stats.totalVisits, stats.lastAccessed], [10, '2024-10-04 00:00:00']);
});

test('the values of a detail are sorted by visits, then by name', (t) => {
  const {stats} = toStats(
    counters({
      ...{visits: 20, d5: 20},
      ...{'referrer:z.example': 3, 'referrer:b.example': 7, 'referrer:a.example': 3, 'referrer:direct': 5},
      ...{'referrer:other': 2},
      ...{'country_code:NZ': 20},
    }),
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

test('only days before the newest 400 with visits are old, whatever the clock says', (t) => {
  const days = Array.from({length: 400}, (_, index) => 20_000 + index);
  const oldOf = (counted: readonly number[], now: number): readonly string[] =>
    toStats(counters(Object.fromEntries(counted.map((day) => [dayCounter(day), 1]))), now * 86_400_000).old;
  for (const now of [10, 20_399, 90_000]) {
    t.deepEqual(oldOf([], now), []);
    t.deepEqual(oldOf([9, 20_000], now), []);
    t.deepEqual(oldOf(days, now), []);
    // A process whose clock was wrong has counted a visit.
    t.deepEqual(oldOf([90_000, ...days], now), [dayCounter(20_000)]);
  }
});
