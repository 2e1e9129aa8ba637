import {readFileSync} from 'node:fs';
import {arch, availableParallelism, cpus, platform, totalmem} from 'node:os';
import {isPinned, type Measured} from './load.ts';

/** One line of the report. */
export interface Subject {
  readonly name: string;
  readonly group: 'redirect' | 'page';
  /** The figures of each round. */
  readonly runs: Measured[];
}

export interface Creates {
  readonly engine: string;
  /** Of each round, in links per second. */
  readonly perSecond: number[];
}

export interface Results {
  readonly rounds: number;
  readonly seconds: number;
  readonly links: number;
  readonly connections: number;
  readonly generator: string;
  readonly subjects: readonly Subject[];
  readonly creates: readonly Creates[];
}

/** What a subject is compared with. */
const yardsticks: Record<Subject['group'], string> = {
  redirect: 'Koa, only `ctx.redirect(url)`',
  page: 'host page, not mounted',
};

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const perSecond = ({requests, microseconds}: Measured): number => (requests / microseconds) * 1e6;

/** The ratio to the yardstick of the same round, in each round. */
function ratiosOf(subject: Subject, {subjects}: Results): number[] {
  const yardstick = subjects.find(({name}) => name === yardsticks[subject.group]);
  return subject.runs.map((run, round) => {
    const other = yardstick?.runs[round];
    return other ? perSecond(run) / perSecond(other) : Number.NaN;
  });
}

const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const milliseconds = (runs: readonly Measured[], of: (run: Measured) => number): string =>
  (median(runs.map(of)) / 1000).toFixed(2);

function versionOf(name: string): string {
  // Not every package lets its package.json be imported.
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const {version} = JSON.parse(readFileSync(file, 'utf8')) as {version: string};
  return `${name} ${version}`;
}

export function reportOf(results: Results): string {
  const {rounds, seconds, links, connections, generator, subjects, creates} = results;
  const packages = ['koa', '@koa/router', 'keyv', '@keyv/redis', '@keyv/postgres', '@keyv/mysql', 'libsql'];
  const rowsOf = (group: Subject['group']): string[][] =>
    subjects
      .filter((subject) => subject.group === group)
      .map((subject) => {
        const ratios = ratiosOf(subject, results);
        return [
          subject.name,
          median(ratios).toFixed(2),
          `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
          whole(median(subject.runs.map(perSecond))),
          milliseconds(subject.runs, ({p50}) => p50),
          milliseconds(subject.runs, ({p99}) => p99),
          milliseconds(subject.runs, ({p999}) => p999),
        ];
      });
  const head = ['', 'ratio', 'in the rounds', 'a second', 'p50, ms', 'p99, ms', 'p99.9, ms'];
  return `# Redirects

Measured with \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: Node.js ${process.version}, ${platform()} ${arch()},
${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB of memory, ${generator};
${packages.map(versionOf).join(', ')}. ${
    isPinned
      ? 'Each server has one core and the load generator another; the engines run on the same machine, wherever the kernel puts them.'
      : 'Servers, load generator and engines share the cores.'
  }
${connections} connections without pipelining, ${rounds} rounds of ${seconds} seconds each, the subjects in turn within a round. Figures are medians of the rounds, and a
ratio is one to the yardstick of the same round. The raw figures are in [redirects.json](redirects.json).

## Counted redirects

Every redirect of ours is a visit that was on the store before its answer was sent; after the rounds the visits on the store
were held against the answers. "Many links" are ${links.toLocaleString('en')}, visited by a Zipf distribution. The yardstick, 1.00, is a Koa application whose
only middleware is \`ctx.redirect(url)\`: it counts nothing and looks nothing up.

![Redirects a second, as a ratio](redirects.svg)

${table(head, rowsOf('redirect'))}

## Pages of the host

The yardstick is the same application without the middleware: one route of @koa/router with a small page. The store is \`memory:\`.

${table(head, rowsOf('page'))}

## Creates

Through the programmatic interface, 50 at once, ${whole(links / rounds)} in each round; every one is on the store when it is answered.

${table(
  ['engine', 'creates a second', 'in the rounds'],
  creates.map(({engine, perSecond: figures}) => [
    engine,
    whole(median(figures)),
    `${whole(Math.min(...figures))} to ${whole(Math.max(...figures))}`,
  ]),
)}
`;
}

const rowHeight = 30;
const left = 250;
const unit = 300;

/** A bar for each subject; the yardstick is a line. */
export function chartOf(results: Results): string {
  const bars = results.subjects
    .filter(({group}) => group === 'redirect')
    .map((subject) => ({name: subject.name.replaceAll('`', ''), ratio: median(ratiosOf(subject, results))}));
  const width = left + Math.ceil(unit * Math.max(...bars.map(({ratio}) => ratio))) + 70;
  const height = bars.length * rowHeight + 50;
  const rows = bars.map(({name, ratio}, index) => {
    const y = index * rowHeight + 36;
    const length = Math.round(ratio * unit);
    const kind = index < 3 ? 'bare' : 'counted';
    return `<text class="name" x="${left - 10}" y="${y + 15}">${name}</text>
<rect class="${kind}" x="${left}" y="${y}" width="${length}" height="22" rx="3"/>
<text class="ratio" x="${left + length + 8}" y="${y + 15}">${ratio.toFixed(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Redirects a second, as a ratio to a Koa application that only redirects</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.name { text-anchor: end; }
.ratio { font-weight: 600; }
.heading { font-weight: 600; }
.bare { fill: #9aa4af; }
.counted { fill: #1a7f64; }
.yardstick { stroke: #24292f; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #d7dde3; }
  .bare { fill: #5c6670; }
  .counted { fill: #3fb68f; }
  .yardstick { stroke: #d7dde3; }
}
</style>
<text class="heading" x="${left}" y="20">Redirects a second; a bare Koa redirect is 1.00</text>
${rows.join('\n')}
<line class="yardstick" x1="${left + unit}" x2="${left + unit}" y1="30" y2="${height - 10}"/>
</svg>
`;
}
