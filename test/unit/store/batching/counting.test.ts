import test from 'ava';
import {addTo, noCounters, readCounters, removeFrom} from '../../../../src/store/batching/counting.ts';

test('additions are summed up, and the latest time is kept', (t) => {
  const stored = noCounters();
  addTo(stored, {visits: 2, d7: 1}, 5);
  addTo(stored, {visits: 3}, 4);
  t.deepEqual(readCounters(stored), {
    counts: new Map([
      ['visits', 5],
      ['d7', 1],
    ]),
    at: 5,
  });
});

test('only the requested counters are read, with no time if there are none', (t) => {
  const stored = noCounters();
  addTo(stored, {visits: 2, d7: 1}, 5);
  t.deepEqual(readCounters(stored, ['d7', 'absent']), {counts: new Map([['d7', 1]]), at: 5});
  t.deepEqual(readCounters(stored, ['absent']), {counts: new Map(), at: undefined});
  t.deepEqual(readCounters(undefined), {counts: new Map(), at: undefined});
  t.deepEqual(readCounters(undefined, ['visits']), {counts: new Map(), at: undefined});
});

test('a removed counter starts at zero again', (t) => {
  const stored = noCounters();
  addTo(stored, {visits: 2, d7: 1}, 5);
  removeFrom(stored, ['d7', 'absent']);
  addTo(stored, {d7: 4}, 6);
  t.deepEqual(readCounters(stored, ['visits', 'd7']), {
    counts: new Map([
      ['visits', 2],
      ['d7', 4],
    ]),
    at: 6,
  });
});
