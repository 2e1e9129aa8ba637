import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {format, resolveConfig} from 'prettier';
import {chartOf} from './chart.ts';
import {whyNoisy} from './figures.ts';
import {comparisons, reportOf, type Results} from './report.ts';

/**
 * Writes the report to `bench/results`, or to `reports/bench` if it must not be published.
 *
 * @param isComplete whether the run measured everything with the usual options
 * @returns the exit code of the bench: 1 after a noisy run
 */
export async function publish(measured: Results, isComplete: boolean): Promise<0 | 1> {
  const results = rounded(measured);
  const noise = whyNoisy(comparisons(results), results.machine);
  const folder = fileURLToPath(
    new URL(noise === undefined && isComplete ? 'results/' : '../reports/bench/', import.meta.url),
  );
  mkdirSync(folder, {recursive: true});
  const report = reportOf(results);
  await write(join(folder, 'redirects.json'), JSON.stringify(results));
  await write(join(folder, 'redirects.md'), report);
  writeFileSync(join(folder, 'redirects.svg'), chartOf(results));
  console.log(`\n${report}\nWritten to ${folder}`);
  if (noise !== undefined) console.error(`Noisy: do not publish; ${noise}.`);
  else if (!isComplete)
    console.log('Not published, because this run did not measure everything with the usual options.');
  return noise === undefined ? 0 : 1;
}

/** The results with five digits of each number, so that the file is short enough to be committed. */
function rounded(results: Results): Results {
  const text = JSON.stringify(results, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(5)) : value,
  );
  return JSON.parse(text) as Results;
}

async function write(filepath: string, text: string): Promise<void> {
  writeFileSync(filepath, await formatted(filepath, text));
}

/** The text in the format of committed files. */
export async function formatted(filepath: string, text: string): Promise<string> {
  return format(text, {...(await resolveConfig(filepath)), filepath});
}
