import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {format, resolveConfig} from 'prettier';
import {chartOf} from './chart.ts';
import {nodeOf, reportOf, type Results, speedOf} from './report.ts';

const results = new URL('results/', import.meta.url);
const speed = new URL('../docs/speed.md', import.meta.url);
/** What surrounds the figures in docs/speed.md. */
const figures = /(?<=<!-- figures -->\n\n).*?(?=\n\n<!-- end of figures -->)/s;

/** All published results, those of the newest version of Node.js first. */
export function publishedResults(): Results[] {
  return readdirSync(results)
    .filter((name) => name.startsWith('node-'))
    .map((name) => JSON.parse(readFileSync(new URL(`${name}/redirects.json`, results), 'utf8')) as Results)
    .sort((a, b) => nodeOf(b) - nodeOf(a));
}

/** docs/speed.md with the published figures. */
export async function speedPage(): Promise<string> {
  const page = readFileSync(speed, 'utf8');
  if (!figures.test(page)) throw new Error('There is no place for figures in docs/speed.md');
  return formatted(
    'speed.md',
    page.replace(figures, () => speedOf(publishedResults())),
  );
}

/**
 * Writes the report to `bench/results` and its figures to docs/speed.md, or the report to `reports/bench` if the run did
 * not measure everything with the usual options.
 */
export async function publish(measured: Results, isComplete: boolean): Promise<void> {
  const short = rounded(measured);
  const parent = isComplete ? results : new URL('../reports/bench/', import.meta.url);
  const folder = fileURLToPath(new URL(`node-${nodeOf(short)}/`, parent));
  mkdirSync(folder, {recursive: true});
  const report = reportOf(short);
  await write(join(folder, 'redirects.json'), JSON.stringify(short));
  await write(join(folder, 'redirects.md'), report);
  writeFileSync(join(folder, 'redirects.svg'), chartOf(short));
  if (isComplete) writeFileSync(speed, await speedPage());
  console.log(`\n${report}\nWritten to ${folder}`);
}

/** The results with five digits of each number, so that the file is short enough to be committed. */
function rounded(measured: Results): Results {
  const text = JSON.stringify(measured, (_, value: unknown) =>
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
