import {
  type Comparison,
  differences,
  type Figure,
  quartiles,
  ratioByCpu,
  ratioByRate,
  type Series,
  type Slice,
} from './figures.ts';
import {conditionsOf, type Machine} from './machine.ts';
import {connections, delay} from './phases.ts';

export interface Results {
  readonly machine: Machine;
  /** The names and versions of the engines. */
  readonly engines: readonly string[];
  /** How often the servers of redirects and pages were started. */
  readonly starts: number;
  readonly roundsOfStart: number;
  readonly seconds: number;
  readonly links: number;
  readonly series: readonly Series[];
}

export function all({series}: Results, group: Series['group']): Series[] {
  return series.filter((each) => each.group === group);
}

/** The first series of a group, or the one with this name. */
export function one(results: Results, group: Series['group'], name?: string): Series {
  const [found] = all(results, group).filter((each) => name === undefined || each.name === name);
  return found ?? {group, name: name ?? group, slices: []};
}

/** The subject with its baseline. */
export function comparisonOf(results: Results, subject: Series): Comparison {
  return {subject, baseline: one(results, subject.group === 'page' ? 'bare page' : 'baseline')};
}

/** The groups of counted redirects. */
const redirects = ['one', 'one by hand', 'many', 'many by hand'] as const;

/** The groups that were measured: not every engine has a counter written by hand. */
function measuredRedirects(results: Results): ReadonlyArray<(typeof redirects)[number]> {
  return redirects.filter((group) => all(results, group).length > 0);
}

/** The name of a group of counted redirects in tables. */
function titleOf({links}: Results, group: Series['group']): string {
  return group.replace('many', `${links.toLocaleString('en')} links`).replace('one', 'one link');
}

/** All subjects that have a baseline. */
export function comparisons(results: Results): Comparison[] {
  const subjects = [...redirects, 'page' as const].flatMap((group) => all(results, group));
  return subjects.map((subject) => comparisonOf(results, subject));
}

/** A figure, with the quartiles in brackets. */
function cell({low, value, high}: Figure, digits: number): string {
  return `${textOf(value, digits)} (${textOf(low, digits)} to ${textOf(high, digits)})`;
}

function textOf(value: number, digits: number): string {
  return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** The median of the slices, with the quartiles. */
function ofSlices({slices}: Series, figure: (slice: Slice) => number, digits: number): string {
  return slices.length === 0 ? '' : cell(quartiles(slices.map(figure)), digits);
}

/** The ratio to the baseline, with the quartiles. */
function ratioCell(results: Results, subject: Series, ratio: (comparison: Comparison) => Figure): string {
  return subject.slices.length === 0 ? '' : cell(ratio(comparisonOf(results, subject)), 2);
}

/** The cells that both kinds of tables have. */
function figuresOf(series: Series): readonly string[] {
  return [
    ofSlices(series, ({cpu}) => cpu, 1),
    ofSlices(series, ({perSecond}) => perSecond, 0),
    ofSlices(series, ({p50}) => p50, 2),
    ofSlices(series, ({p99}) => p99, 2),
  ];
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** A table of subjects that are compared with a baseline, which is the first row. */
function compared(results: Results, baseline: Series, subjects: readonly Series[], titles: (each: Series) => string) {
  const row = (each: Series, ratios: readonly string[]): readonly string[] => [
    titles(each),
    ...ratios,
    ...figuresOf(each),
  ];
  const ratiosOf = (subject: Series): readonly string[] =>
    [ratioByCpu, ratioByRate].map((ratio) => ratioCell(results, subject, ratio));
  return table(
    ['', 'ratio by CPU', 'ratio by rate', 'CPU, µs', 'per second', 'p50, ms', 'p99, ms'],
    [row(baseline, ['1', '1']), ...subjects.map((subject) => row(subject, ratiosOf(subject)))],
  );
}

/** A table of series without a baseline. */
function details(series: readonly Series[]): string {
  return table(
    ['', 'CPU, µs', 'per second', 'p50, ms', 'p99, ms'],
    series.map((each) => [each.name, ...figuresOf(each)]),
  );
}

/** The latency divided by the time of a round trip through the proxy. */
function tripsOf({p50}: Slice): number {
  return p50 / (2 * delay);
}

/** The table of the main figures, with a row for each engine, and one for another shortener if it was measured. */
export function summaryOf(results: Results): string {
  const groups = measuredRedirects(results);
  const ratios = (of: (group: (typeof groups)[number]) => Series): readonly string[] =>
    groups.map((group) => ratioCell(results, of(group), ratioByCpu));
  return table(
    ['', ...groups.map((group) => titleOf(results, group)), 'round trips', 'creates per second'],
    [
      ...all(results, 'one').map(({name}) => [
        name,
        ...ratios((group) => one(results, group, name)),
        ofSlices(one(results, 'trip', name), ({trips = Number.NaN}) => trips, 2) || 'none',
        ofSlices(one(results, 'create', name), ({perSecond}) => perSecond, 0),
      ]),
      ...all(results, 'one of a peer').map(({name}) => [
        `${name}, on Postgres and Redis`,
        ...ratios((group) => one(results, `${group} of a peer` as Series['group'], name)),
        '',
        '',
      ]),
    ],
  );
}

/** The major version of Node.js with which the results were measured. */
export function nodeOf({machine}: Results): number {
  return Number(/^v(\d+)/.exec(machine.node)?.[1]);
}

/** The part of docs/speed.md with figures. The results are those of the newest version of Node.js first. */
export function speedOf([newest, ...others]: readonly Results[]): string {
  if (newest === undefined) throw new Error('There are no published results');
  const {machine} = newest;
  const where = `The server, the load generator and the engine shared ${machine.cores} cores of a rented machine, with Node.js ${nodeOf(newest)}. \`bench/results/node-${nodeOf(newest)}/redirects.md\` in the repository has the full report, with rates, latencies, pages of a site and several processes.`;
  const kutt = 'Kutt redirects before it stores the visit. Its CPU time includes its processes that store visits.';
  const peer = all(newest, 'one of a peer').length > 0 ? [kutt] : [];
  return [summaryOf(newest), ...peer, where, ...others.map((other) => differenceOf(newest, other))].join('\n\n');
}

/** What differs with another version of Node.js. */
function differenceOf(newest: Results, other: Results): string {
  const bare = (results: Results): string =>
    textOf(quartiles(one(results, 'baseline').slices.map(({cpu}) => cpu)).value, 1);
  const subjects = (['one', 'many'] as const).flatMap((group) => all(newest, group));
  const changes = subjects
    .map((subject) => {
      const {group, name} = subject;
      const [now, then] = [newest, other].map((results) =>
        ratioByCpu(comparisonOf(results, one(results, group, name))),
      );
      return {
        title: `${name}, ${titleOf(newest, group)}`,
        now: now?.value ?? Number.NaN,
        then: then?.value ?? Number.NaN,
      };
    })
    .filter(({now, then}) => !Number.isNaN(now - then))
    .sort((a, b) => Math.abs(b.now - b.then) - Math.abs(a.now - a.then));
  const [most] = changes;
  const ratios = most
    ? ` The ratios of the package differ most for ${most.title}: ${textOf(most.then, 2)} instead of ${textOf(most.now, 2)}.`
    : '';
  return `With Node.js ${nodeOf(other)}, a bare redirect takes ${bare(other)} µs of CPU time instead of ${bare(newest)} µs.${ratios} Its report is \`bench/results/node-${nodeOf(other)}/redirects.md\`.`;
}

/** How far the two halves of a run are apart in its ratios: two short runs on the same machine, at the same time. */
function noiseOf(results: Results): string {
  const found = differences(comparisons(results)).sort((a, b) => a.share - b.share);
  const percent = (place: number): string => `${(100 * (found[place]?.share ?? Number.NaN)).toFixed(1)} %`;
  return `the ratios of the odd and of the even rounds differ by ${percent(Math.floor(found.length / 2))} in the median, and by at most ${percent(found.length - 1)} (the ratio ${found.at(-1)?.ratio}).`;
}

function conditions(results: Results): string {
  const {machine, engines, starts, roundsOfStart, seconds} = results;
  return `Measured with \`npm run bench\` on ${machine.date}.

${conditionsOf(machine)}
- Engines, on the same machine and not pinned to a core: ${engines.join(', ')}.
- ${
    machine.isPinned
      ? 'The measured server is pinned to one core, the load generator to another.'
      : 'The measured server and the load generator share the cores.'
  } The generator does not sleep while it waits, because a write to a sleeping client costs a server more.
- Node.js is started with \`--min-semi-space-size=16\`, the size to which V8 grows the young generation of a busy process. Without it, the young generation would shrink while a server waits for its turn.
- Each server gets its first requests one at a time. If it began with many at once, V8 would in a third of the runs allocate objects of every request in the old generation, until the process ends.
- ${starts * roundsOfStart} rounds after a warm-up, with new server processes for each ${roundsOfStart}. In each round, every subject has a slice of ${seconds} s in turn. Round trips and several processes have fewer rounds. ${connections} connections, one request at a time on each.
- "CPU" is the CPU time of the server process per request. Figures are medians of the slices, with the lower and upper quartile in brackets. A ratio is the geometric mean of those of the rounds, with their quartiles. Above 1, the subject is cheaper or faster than the baseline.
- Noise: ${noiseOf(results)}
- After the rounds, each store had exactly as many visits as redirects were answered.`;
}

/** What the counters written by hand are, if they were measured. */
function byHand(results: Results): string {
  if (!measuredRedirects(results).includes('one by hand')) return '';
  return `"By hand" is the least that a stored visit costs on the engine (\`bench/hand-written.ts\`). All links are in the memory of the process, and visits are stored in groups, with one statement that adds to the total and the day of each link. It does not notice changes by other processes, and loses or doubles visits when a reply is lost. It has no referrers, totals of accounts, passwords, limits or outages.\n\n`;
}

/** The table of another shortener, if one was measured. */
function peers(results: Results): string {
  const subjects = [...all(results, 'one of a peer'), ...all(results, 'many of a peer')];
  if (subjects.length === 0) return '';
  const title = (each: Series): string =>
    each.group === 'baseline' ? each.name : `${each.name}, ${titleOf(results, each.group).replace(' of a peer', '')}`;
  return `## Another shortener

It was measured in the same rounds, on Postgres and Redis. It redirects before it stores the visit. The CPU time includes its processes that store visits, until all are stored. Its slices take 0.2 s.

${compared(results, one(results, 'baseline'), subjects, title)}

`;
}

export function reportOf(results: Results): string {
  const {links} = results;
  const many = `${links.toLocaleString('en')} links`;
  return `# Redirects

${conditions(results)}

## Summary

The ratios are the CPU time of a bare Koa redirect divided by that of a counted one (1.00: equally cheap), for visits of one link and of ${many} with a Zipf distribution, after each link has been visited once. Round trips are those to the engine for a visit of a link seen lately. Links are created ${connections} at once.

${summaryOf(results)}

## Counted redirects

The baseline is a Koa application whose only middleware is \`ctx.redirect(url)\`. It looks nothing up and counts nothing.

${byHand(results)}![CPU time of a redirect, as a ratio to a bare one](redirects.svg)

${compared(
  results,
  one(results, 'baseline'),
  all(results, 'one').flatMap(({name}) =>
    redirects.map((group) => one(results, group, name)).filter(({slices}) => slices.length > 0),
  ),
  ({group, name}) => (group === 'baseline' ? name : `${name}, ${titleOf(results, group)}`),
)}

${peers(results)}## Pages of the host

The baseline is the same application without the middleware: one route of @koa/router with a small page. The store is \`memory:\`.

${compared(results, one(results, 'bare page'), all(results, 'page'), ({name}) => name)}

## Round trips

A link seen lately is visited repeatedly, one visit at a time. A proxy in front of the engine adds ${delay} ms in each direction, so a round trip takes ${2 * delay} ms.

${table(
  ['', 'latency, ms', `by ${2 * delay} ms`, 'counted by the proxy'],
  all(results, 'trip').map((each) => [
    each.name,
    ofSlices(each, ({p50}) => p50, 1),
    ofSlices(each, tripsOf, 2),
    ofSlices(each, ({trips = Number.NaN}) => trips, 2),
  ]),
)}

## Several processes

Several server processes on one engine, with visits of ${many} and ${connections} connections per process. The figures are the sums of all processes. They may use every core, also that of the load generator.

${details(all(results, 'processes'))}

## Creates

Links are created through the programmatic interface, ${connections} at once. Each is stored when its create resolves.

${details(all(results, 'create'))}
`;
}
