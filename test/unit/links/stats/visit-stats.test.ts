import {dayCounter} from '../../../../src/link/counters.ts';
import test from 'ava';
import {readAskedStats, toStats} from '../../../../src/links/stats/visit-stats.ts';
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
    toStats(counters(Object.fromEntries(counted.map((day) => [dayCounter(day), 1]))), now * 86_400_000).old.ofDays;
  for (const now of [10, 20_399, 90_000]) {
    t.deepEqual(oldOf([], now), []);
    t.deepEqual(oldOf([9, 20_000], now), []);
    t.deepEqual(oldOf(days, now), []);
    // A process whose clock was wrong has counted a visit.
    t.deepEqual(oldOf([90_000, ...days], now), [dayCounter(20_000)]);
  }
});

test('the details of a span are those of its months, and those of all time are all', (t) => {
  const counted = counters({
    'referrer:a.example': 1,
    '5.referrer:a.example': 2,
    '6.referrer:b.example': 4,
    '7.device:ios': 8,
  });
  const detailsOf = (from: string, until: string) => toStats(counted, 250, readAskedStats({from, until})).stats.details;
  t.deepEqual(detailsOf('1970-06-30', '1970-07-01'), {
    referrer: [
      {value: 'b.example', visits: 4},
      {value: 'a.example', visits: 2},
    ],
  });
  t.deepEqual(detailsOf('1970-08-03', '1970-08-04'), {device: [{value: 'ios', visits: 8}]});
  t.deepEqual(toStats(counted, 250).stats.details, {
    device: [{value: 'ios', visits: 8}],
    referrer: [
      {value: 'b.example', visits: 4},
      {value: 'a.example', visits: 3},
    ],
  });
});
