import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {format, type FormatConfig} from 'oxfmt';
import {chartOf} from './chart.ts';
import {nodeOf, reportOf, type Results, speedOf, table} from './report.ts';

const results = new URL('results/', import.meta.url);
const speed = new URL('../docs/speed.md', import.meta.url);
/** What surrounds the figures in docs/speed.md. */
const figures = /(?<=<!-- figures -->\n\n).*?(?=\n\n<!-- end of figures -->)/s;
const figuresOfSizes = /(?<=<!-- sizes -->\n\n).*?(?=\n\n<!-- end of sizes -->)/s;

/** All published results, those of the newest version of Node.js first. */
export function publishedResults(): Results[] {
  return readdirSync(results)
    .filter((name) => name.startsWith('node-'))
    .map((name) => JSON.parse(readFileSync(new URL(`${name}/redirects.json`, results), 'utf8')) as Results)
    .sort((a, b) => nodeOf(b) - nodeOf(a));
}

/** What a link takes on an engine, by the way in which bytes are measured. */
export interface SizesOfEngine {
  readonly engine: string;
  readonly way: string;
  /** Bytes of a link when it was created, visited once, and visited for a year. */
  readonly created: number;
  readonly visited: number;
  readonly year: number;
  /** The counters of a link after a year, and the rows that they and the totals of its account take. */
  readonly counters: number;
  readonly rows: number;
}

export interface Sizes {
  readonly date: string;
  readonly links: number;
  /** How many links are visited every day. */
  readonly busy: number;
  /** The days between conversions of a link. */
  readonly betweenConversions: number;
  readonly engines: readonly SizesOfEngine[];
}

const sizes = new URL('sizes.json', results);

/** The table of docs/speed.md about the size of links. */
function sizesOf({links, busy, betweenConversions, engines}: Sizes): string {
  const number = (value: number): string => value.toLocaleString('en');
  const rows = engines.map(({engine, way, ...found}) => [
    `${engine}, ${way}`,
    ...[found.created, found.visited, found.year, found.counters, found.rows].map(number),
  ]);
  return `Bytes of a link with a URL of 60 characters, its place in the lists and its share of the totals of its account: of ${number(links)} links, of which ${number(busy)} are visited every day. Each visit has three details with 18 values in all, and a link has an order in each of two currencies every ${betweenConversions} days. \`npm run bench:sizes\` measures again.

${table(['', 'created', 'after its first visit', 'after a year', 'counters', 'rows'], rows)}`;
}

/** docs/speed.md with the published figures. */
export async function speedPage(): Promise<string> {
  const page = readFileSync(speed, 'utf8');
  if (!figures.test(page) || !figuresOfSizes.test(page))
    throw new Error('There is no place for figures in docs/speed.md');
  const published = JSON.parse(readFileSync(sizes, 'utf8')) as Sizes;
  return formatted(
    'speed.md',
    page.replace(figures, () => speedOf(publishedResults())).replace(figuresOfSizes, () => sizesOf(published)),
  );
}

/** Writes the sizes to `bench/results` and docs/speed.md if they were measured with the usual options. */
export async function publishSizes(measured: Sizes, isComplete: boolean): Promise<void> {
  console.log(sizesOf(measured));
  if (!isComplete) return;
  await write(fileURLToPath(sizes), JSON.stringify(measured));
  writeFileSync(speed, await speedPage());
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
  const options = JSON.parse(readFileSync(new URL('../.oxfmtrc.json', import.meta.url), 'utf8')) as FormatConfig;
  return (await format(filepath, text, options)).code;
}
