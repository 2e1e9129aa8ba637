import {readFileSync} from 'node:fs';
import test from 'ava';
import {format, resolveConfig} from 'prettier';
import {chartOf} from '../../../bench/chart.ts';
import {whyNoisy} from '../../../bench/figures.ts';
import {comparisons, reportOf, type Results, summaryOf} from '../../../bench/report.ts';

const file = (name: string): URL => new URL(`../../../${name}`, import.meta.url);
const read = (name: string): string => readFileSync(file(name), 'utf8');
const results = JSON.parse(read('bench/results/redirects.json')) as Results;

async function formatted(text: string): Promise<string> {
  const filepath = file('docs/speed.md').pathname;
  return format(text, {...(await resolveConfig(filepath)), filepath});
}

test('the published figures are those of a quiet run', (t) => {
  t.is(whyNoisy(comparisons(results), results.machine), undefined);
});

test('the published report and chart show the published figures', async (t) => {
  t.is(read('bench/results/redirects.md'), await formatted(reportOf(results)));
  t.is(read('bench/results/redirects.svg'), chartOf(results));
});

test('the documentation has the summary of the published figures', async (t) => {
  t.true(read('docs/speed.md').includes(await formatted(summaryOf(results))));
});
