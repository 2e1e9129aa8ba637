import {readFileSync} from 'node:fs';
import test from 'ava';
import {chartOf} from '../../../bench/chart.ts';
import {formatted, publishedResults, speedPage} from '../../../bench/publish.ts';
import {nodeOf, reportOf} from '../../../bench/report.ts';

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

for (const results of publishedResults()) {
  const folder = `bench/results/node-${nodeOf(results)}`;

  test(`the report and the chart in ${folder} show its figures`, async (t) => {
    t.is(read(`${folder}/redirects.md`), await formatted('redirects.md', reportOf(results)));
    t.is(read(`${folder}/redirects.svg`), chartOf(results));
  });
}

test('the documentation shows the published figures', async (t) => {
  t.is(read('docs/speed.md'), await speedPage());
});
