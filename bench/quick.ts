/**
 * Compares the CPU time of redirects within a process, in slices taken in turn: `npm run bench:quick`. What is not compared
 * has processes of its own: V8 compiles a function for all that has called it, and other engines would slow it down.
 */
import {engineNamed, whyMissing} from '../test/support/engines/engines.ts';
import {Child} from './child.ts';
import {target, type Visited} from './measured-links.ts';
import type {Question, Row} from './quick-process.ts';
import {table} from './report.ts';

const names = (process.env['BENCH_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql').split(',');

/** What sites use. Measured in memory only, because it costs the same on each engine, apart from a limit. */
const uses: Readonly<Record<string, Visited>> = {
  'a visit limit': {input: {maxVisits: 1_000_000}},
  'a listener': {isHeard: true},
  attribution: {options: {attribution: {parameter: 'via'}}},
  'a campaign': {input: {utm: {source: 'mail', campaign: 'spring'}}},
  shares: {input: {rules: [{share: 50, url: `${target}&page=b`}]}},
};

async function rowsOf(question: Question): Promise<Row[]> {
  const child = new Child<Question, Row[]>('quick-process.ts');
  try {
    return await child.ask(question);
  } finally {
    await child.close();
  }
}

const rows: Row[] = [];
for (const engine of names) {
  const missing = await whyMissing(engineNamed(engine));
  if (missing !== undefined) {
    console.warn(`Left out: ${missing}`);
    continue;
  }
  rows.push(...(await rowsOf({engine})));
  for (const [name, visited] of Object.entries(uses)) {
    if (engine === 'memory' || name === 'a visit limit') rows.push(...(await rowsOf({engine, use: {name, visited}})));
  }
}

const baselines = [...new Set(rows.flatMap(({ratios}) => Object.keys(ratios)))];
console.log(`
The CPU time of a redirect, without sockets. Ratios are the baseline's time divided by that of the subject: above 1, the
subject is cheaper. In brackets are those of three parts of the run.

${table(
  ['', 'CPU, µs', 'CPU of the engine', 'bytes written', ...baselines.map((baseline) => `ratio to ${baseline}`)],
  rows.map(({title, cpu, engineCpu, bytes, ratios}) => [
    title,
    ...[cpu, engineCpu, bytes].map((figure) => figure.toFixed(1)),
    ...baselines.map((baseline) => {
      const ratio = ratios[baseline];
      if (ratio === undefined) return '';
      return `${ratio.value.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`;
    }),
  ]),
)}`);
process.exit();
