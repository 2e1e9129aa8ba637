import test from 'ava';
import {type Comparison, differences, quartiles, ratioByCpu, type Slice} from '../../../bench/figures.ts';
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

const steady = Array.from({length: 36}, (_, index) => 1 + (index % 5) / 100);
const unsteady = Array.from({length: 36}, (_, index) => (index % 2 === 0 ? 1 : 1.15));

test('the quartiles of an odd number of values are among the values, in any order', (t) => {
  t.deepEqual(quartiles([5, 1, 4, 2, 3]), {low: 2, value: 3, high: 4});
});

test('a ratio is the geometric mean of those of the rounds', (t) => {
  t.is(rounded(ratioByCpu(compared([1, 4])).value), 2);
});

test('the odd and the even rounds are compared by each ratio', (t) => {
  const shares = (ratios: readonly number[], rates?: readonly number[]): readonly string[] =>
    differences([compared(ratios, rates)]).map(({ratio, share}) => `${ratio}: ${share.toFixed(2)}`);
  t.deepEqual(shares(unsteady, steady), ['by CPU time of "one: memory": 0.15', 'by rate of "one: memory": 0.00']);
  t.deepEqual(shares(steady, unsteady), ['by CPU time of "one: memory": 0.00', 'by rate of "one: memory": 0.15']);
});

test('Zipf draws are reproducible, and favour the first items in proportion to their rank', (t) => {
  const draws = zipf(1000, 100_000);
  t.deepEqual(draws, zipf(1000, 100_000));
  const share = (rank: number): number => draws.filter((item) => item === rank).length;
  t.true(Math.abs(share(0) / share(1) - 2) < 0.2);
  t.true(Math.abs(share(0) / share(9) - 10) < 1.5);
  t.true(draws.every((item) => item < 1000));
});
