import test from 'ava';
import {
  type Comparison,
  differences,
  quartiles,
  ratioByCpu,
  ratioByRate,
  type Slice,
  whyNoisy,
} from '../../../bench/figures.ts';
import {zipf} from '../../../bench/zipf.ts';

function slice(cpu: number, perSecond: number): Slice {
  return {perSecond, cpu, p50: 1, p99: 2};
}

/** A subject that has these ratios in the rounds, by CPU time and by rate. */
function compared(ratios: readonly number[], rates = ratios): Comparison {
  return {
    subject: {
      group: 'one',
      name: 'memory',
      slices: ratios.map((ratio, round) => slice(30 / ratio, 100 * (rates[round] ?? 0))),
    },
    baseline: {group: 'baseline', name: 'Koa', slices: ratios.map(() => slice(30, 100))},
  };
}

function rounded(ratio: number): number {
  return Number(ratio.toFixed(6));
}

const idle = {loadBefore: [0.2], cores: 2};
const steady = Array.from({length: 36}, (_, index) => 1 + (index % 5) / 100);
const unsteady = Array.from({length: 36}, (_, index) => (index % 2 === 0 ? 1 : 1.15));

test('the quartiles of an odd number of values are among the values, in any order', (t) => {
  t.deepEqual(quartiles([5, 1, 4, 2, 3]), {low: 2, value: 3, high: 4});
});

test('quartiles between two values are interpolated', (t) => {
  t.deepEqual(quartiles([40, 10, 30, 20]), {low: 17.5, value: 25, high: 32.5});
});

test('a single value is its own quartiles', (t) => {
  t.deepEqual(quartiles([7]), {low: 7, value: 7, high: 7});
});

test('a ratio is above 1 for a cheaper or faster subject', (t) => {
  t.is(rounded(ratioByCpu(compared([2, 2, 2, 2, 2, 2])).value), 2);
  t.is(rounded(ratioByRate(compared([1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2])).value), 2);
  t.is(rounded(ratioByCpu(compared([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])).value), 0.5);
});

test('slices are compared with the baseline of their own round', (t) => {
  const slow = {...compared([]).subject, slices: [slice(20, 1), slice(80, 1), slice(20, 1)]};
  const baseline = {...compared([]).baseline, slices: [slice(10, 1), slice(40, 1), slice(10, 1)]};
  t.is(rounded(ratioByCpu({subject: slow, baseline}).value), 0.5);
});

test('a ratio is the geometric mean of those of the rounds', (t) => {
  t.is(rounded(ratioByCpu(compared([1, 4])).value), 2);
});

test('the quartiles of a ratio are those of the rounds', (t) => {
  const {low, high} = ratioByCpu(compared([3, 1, 5, 4, 2]));
  t.deepEqual([rounded(low), rounded(high)], [2, 4]);
});

test('the odd rounds are compared with the even ones', (t) => {
  const [byCpu, byRate] = differences([compared(unsteady, steady)]);
  t.is(byCpu?.share.toFixed(3), '0.150');
  t.true((byRate?.share ?? 1) < 0.05);
});

test('a run is not noisy if its odd and its even rounds agree', (t) => {
  t.is(whyNoisy([compared(steady)], idle), undefined);
});

test('a run is noisy if they differ by more in one ratio', (t) => {
  t.regex(whyNoisy([compared(steady), compared(unsteady, steady)], idle) ?? '', /by CPU time of "one: memory"/);
  t.regex(whyNoisy([compared(steady), compared(steady, unsteady)], idle) ?? '', /by rate of "one: memory"/);
});

test('a run without rounds is noisy', (t) => {
  t.not(whyNoisy([compared([])], idle), undefined);
  t.not(whyNoisy([compared([1])], idle), undefined);
});

test('a run on a busy machine is noisy, even with steady ratios', (t) => {
  t.regex(whyNoisy([compared(steady)], {loadBefore: [1.01, 0.1, 0.1], cores: 2}) ?? '', /load average/);
  t.is(whyNoisy([compared(steady)], {loadBefore: [1, 9, 9], cores: 2}), undefined);
});

test('Zipf draws are reproducible, and favour the first items in proportion to their rank', (t) => {
  const draws = zipf(1000, 100_000);
  t.deepEqual(draws, zipf(1000, 100_000));
  const share = (rank: number): number => draws.filter((item) => item === rank).length;
  t.true(Math.abs(share(0) / share(1) - 2) < 0.2);
  t.true(Math.abs(share(0) / share(9) - 10) < 1.5);
  t.true(draws.every((item) => item < 1000));
});
