import test from 'ava';
import {
  addTo,
  noCounters,
  parseCounters,
  readCounters,
  removeFrom,
  sumByKey,
} from '../../../../src/store/batching/counting.ts';

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

test('several additions to one key are summed up, and the latest time is kept', (t) => {
  const sums = sumByKey([
    {keys: ['a', 'totals'], adds: [{visits: 1}, {visits: 1, d7: 1}], at: 5},
    {keys: ['totals'], adds: [{visits: 2, d8: 2}], at: 4},
  ]);
  t.deepEqual(
    Array.from(sums, ([key, stored]) => [key, readCounters(stored)]),
    [
      ['a', {counts: new Map([['visits', 1]]), at: 5}],
      ['totals', {counts: new Map(Object.entries({visits: 3, d7: 1, d8: 2})), at: 5}],
    ],
  );
});

test('additions that are the same object are summed up like others, and do not change', (t) => {
  const [one, two] = [
    {visits: 1, d7: 1},
    {visits: 2, d8: 2},
  ];
  const additions = [one, one, two, one, two, two].map((add, at) => ({keys: ['totals'], adds: [add], at}));
  const sum = sumByKey(additions).get('totals');
  const counts = {visits: 9, d7: 3, d8: 6};
  t.deepEqual({...sum?.counts}, counts);
  t.deepEqual({...sum?.counts}, counts);
  t.is(sum?.at, 5);
  t.deepEqual(
    [one, two],
    [
      {visits: 1, d7: 1},
      {visits: 2, d8: 2},
    ],
  );
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

test('a counter may be named like a property that every object has', (t) => {
  for (const isStored of [false, true]) {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    let stored = noCounters();
    t.deepEqual(readCounters(stored, names).counts, new Map());
    for (let round = 0; round < 2; round += 1) {
      for (const name of names) addTo(stored, Object.fromEntries([[name, 1]]), 1);
      if (isStored) stored = parseCounters(JSON.stringify(stored)) ?? stored;
    }
    t.deepEqual(readCounters(stored).counts, new Map(names.map((name) => [name, 2])));
  }
});
