import test from 'ava';
import {errorOf, quartiles, ratiosByCpu, ratiosByRate, type Series, whyNoisy} from '../../../bench/figures.ts';
import {zipf} from '../../../bench/zipf.ts';

/** A subject with these ratios, by CPU time and by rate. */
function compared(ratios: readonly number[], rates = ratios): Series {
  const baseline = {cpu: 30, perSecond: 100, p50: 1, p99: 2};
  const slices = ratios.map((ratio, index) => {
    return {...baseline, cpu: 30 / ratio, perSecond: 100 * (rates[index] ?? 0), baseline};
  });
  return {group: 'one', name: 'memory', slices};
}

const idle = {loadBefore: [0.2], cores: 2};
const steady = Array.from({length: 25}, (_, index) => 1 + (index % 5) / 100);
const unsteady = Array.from({length: 25}, (_, index) => 1 + (index % 5) / 4);

test('the quartiles of an odd number of values are among the values, in any order', (t) => {
  t.deepEqual(quartiles([5, 1, 4, 2, 3]), {low: 2, median: 3, high: 4});
});

test('quartiles between two values are interpolated', (t) => {
  t.deepEqual(quartiles([40, 10, 30, 20]), {low: 17.5, median: 25, high: 32.5});
});

test('a single value is its own quartiles', (t) => {
  t.deepEqual(quartiles([7]), {low: 7, median: 7, high: 7});
});

test('a ratio compares a slice with its baseline, and is above 1 for a cheaper or faster subject', (t) => {
  const slices = [
    {cpu: 15, perSecond: 200, p50: 1, p99: 2, baseline: {cpu: 30, perSecond: 100, p50: 1, p99: 2}},
    {cpu: 80, perSecond: 25, p50: 1, p99: 2, baseline: {cpu: 60, perSecond: 50, p50: 1, p99: 2}},
  ];
  const subject: Series = {group: 'one', name: 'memory', slices};
  t.deepEqual(ratiosByCpu(subject), [2, 0.75]);
  t.deepEqual(ratiosByRate(subject), [2, 0.5]);
});

test('the error of a median is half the distance of the values between which the true median is', (t) => {
  // With 25 values these are the 8th and the 18th: the probability is 95.7 % that the true median is between them.
  const values = Array.from({length: 25}, (_, index) => index + 88);
  t.is(errorOf(values), 0.05);
  t.is(errorOf(values.toReversed()), 0.05);
});

test('the error of a median shrinks with the number of values', (t) => {
  t.true(errorOf([...unsteady, ...unsteady, ...unsteady, ...unsteady]) < errorOf(unsteady));
});

test('a run is not noisy if the median of every ratio is certain within seven per cent', (t) => {
  t.is(whyNoisy([compared(steady)], idle), undefined);
});

test('a run is noisy if the median of one ratio is less certain', (t) => {
  t.regex(whyNoisy([compared(steady), compared(unsteady, steady)], idle) ?? '', /by CPU time of "one: memory"/);
  t.regex(whyNoisy([compared(steady), compared(steady, unsteady)], idle) ?? '', /by rate of "one: memory"/);
});

test('a run without enough slices is noisy', (t) => {
  t.not(whyNoisy([compared([])], idle), undefined);
  t.not(whyNoisy([compared([1, 1, 1])], idle), undefined);
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
