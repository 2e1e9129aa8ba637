import {dayCounter} from '../../../../src/link/counters.ts';
import test from 'ava';
import {toStats} from '../../../../src/links/stats/visit-stats.ts';
import type {Counters} from '../../../../src/store/port.ts';

function counters(counts: Record<string, number>, at?: number): Counters {
  return {counts: new Map(Object.entries(counts)), at};
}

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
