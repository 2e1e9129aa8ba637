import test from 'ava';
import {keyToSplit, maxName, RowSums, rowsOf} from '../../../../src/store/batching/joint-counters.ts';
import type {Increments} from '../../../../src/store/port.ts';

test('counters that are raised by the largest amount share a row, if another shares it and their names are short', (t) => {
  const [long, other] = ['x'.repeat(maxName), 'y'.repeat(maxName - 3)];
  const cases: ReadonlyArray<readonly [adds: Increments, rows: Record<string, number>]> = [
    [{v: 1, d7: 1, 'referrer:direct': 1}, {' v d7 referrer:direct': 1}],
    [
      {v: 3, 'a:x': 2, d7: 3, 'a:y': 1},
      {'a:x': 2, 'a:y': 1, ' v d7': 3},
    ],
    [{next: 5}, {next: 5}],
    [
      {v: 2, g: 1},
      {g: 1, v: 2},
    ],
    [{}, {}],
    [
      {v: 1, [long]: 1, d7: 1, [other]: 1},
      {[long]: 1, [other]: 1, ' v d7': 1},
    ],
    [{v: 1, [other]: 1}, {[` v ${other}`]: 1}],
  ];
  for (const [adds, rows] of cases) t.deepEqual(rowsOf(adds), Object.entries(rows));
});

test('sums have the latest time of the rows with a counter that was asked for', (t) => {
  const sums = new RowSums(new Set(['v', 'next']));
  sums.add(' v d7', 2, 5);
  sums.add('v', 1, 7);
  sums.add('d7', 9, 100);
  sums.add('next', 4, undefined);
  t.deepEqual(sums.counters, {
    counts: new Map([
      ['v', 3],
      ['next', 4],
    ]),
    at: 7,
  });
});

test('a writer looks at a key of its batches after some hundred additions, and at each of them in the end', (t) => {
  const added = [{key: 'a'}, {key: 'b'}];
  const keys = Array.from({length: 40_000}, () => keyToSplit(added)).filter((key) => key !== undefined);
  t.true(keys.length > 200 && keys.length < 450, `${keys.length}`);
  t.deepEqual([...new Set(keys)].sort(), ['a', 'b']);
});
