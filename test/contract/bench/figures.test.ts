import test from 'ava';
import {quartiles, ratiosByCpu, ratiosByRate, type Series, whyNoisy} from '../../../bench/figures.ts';
import {zipf} from '../../../bench/zipf.ts';

function series(slices: ReadonlyArray<{cpu: number; perSecond: number}>): Series {
  return {group: 'baseline', name: 'bare', slices: slices.map((slice) => ({...slice, p50: 1, p99: 2}))};
}

const idle = {loadBefore: [0.2], cores: 2};
const steadySlices = [93, 97, 100, 103, 107].map((value) => ({cpu: value, perSecond: value}));

test('the quartiles of an odd number of values are among the values, in any order', (t) => {
  t.deepEqual(quartiles([5, 1, 4, 2, 3]), {low: 2, median: 3, high: 4});
});

test('quartiles between two values are interpolated', (t) => {
  t.deepEqual(quartiles([40, 10, 30, 20]), {low: 17.5, median: 25, high: 32.5});
});

test('a single value is its own quartiles', (t) => {
  t.deepEqual(quartiles([7]), {low: 7, median: 7, high: 7});
});

test('a ratio compares slices of the same round, and is above 1 for a cheaper or faster subject', (t) => {
  const baseline = series([
    {cpu: 30, perSecond: 100},
    {cpu: 60, perSecond: 50},
  ]);
  const subject = series([
    {cpu: 15, perSecond: 200},
    {cpu: 80, perSecond: 25},
  ]);
  t.deepEqual(ratiosByCpu(subject, baseline), [2, 0.75]);
  t.deepEqual(ratiosByRate(subject, baseline), [2, 0.5]);
});

test('a run is not noisy if the quartiles of its baseline are within 15 per cent of the median', (t) => {
  t.is(whyNoisy(series(steadySlices), idle), undefined);
});

test('a run is noisy if the CPU time or the rate of its baseline varies by more than 15 per cent', (t) => {
  const steady = 100;
  const values = [80, 90, 100, 110, 120];
  t.regex(whyNoisy(series(values.map((cpu) => ({cpu, perSecond: steady}))), idle) ?? '', /CPU time are 20 %/);
  t.regex(whyNoisy(series(values.map((perSecond) => ({cpu: steady, perSecond}))), idle) ?? '', /rate are 20 %/);
});

test('a run without a slice of the baseline is noisy', (t) => {
  t.not(whyNoisy(series([]), idle), undefined);
});

test('a run on a busy machine is noisy, even with a steady baseline', (t) => {
  t.regex(whyNoisy(series(steadySlices), {loadBefore: [1.01, 0.1, 0.1], cores: 2}) ?? '', /load average/);
  t.is(whyNoisy(series(steadySlices), {loadBefore: [1, 9, 9], cores: 2}), undefined);
});

test('Zipf draws are reproducible, and favour the first items in proportion to their rank', (t) => {
  const draws = zipf(1000, 100_000);
  t.deepEqual(draws, zipf(1000, 100_000));
  const share = (rank: number): number => draws.filter((item) => item === rank).length;
  t.true(Math.abs(share(0) / share(1) - 2) < 0.2);
  t.true(Math.abs(share(0) / share(9) - 10) < 1.5);
  t.true(draws.every((item) => item < 1000));
});
