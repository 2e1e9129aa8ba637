import {readFileSync} from 'node:fs';
import test from 'ava';
import {chartOf} from '../../../bench/chart.ts';
import {whyNoisy} from '../../../bench/figures.ts';
import {formatted} from '../../../bench/publish.ts';
import {comparisons, reportOf, type Results, summaryOf} from '../../../bench/report.ts';

const file = (name: string): URL => new URL(`../../../${name}`, import.meta.url);
const read = (name: string): string => readFileSync(file(name), 'utf8');
const results = JSON.parse(read('bench/results/redirects.json')) as Results;

test('the published figures are those of a quiet run', (t) => {
  t.is(whyNoisy(comparisons(results), results.machine), undefined);
});

test('the published report and chart show the published figures', async (t) => {
  t.is(read('bench/results/redirects.md'), await formatted('redirects.md', reportOf(results)));
  t.is(read('bench/results/redirects.svg'), chartOf(results));
});

test('the documentation has the summary of the published figures', async (t) => {
  t.true(read('docs/speed.md').includes(await formatted('speed.md', summaryOf(results))));
});
