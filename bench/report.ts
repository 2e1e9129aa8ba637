import {errorOf, quartiles, ratiosByCpu, ratiosByRate, type Series, type Slice} from './figures.ts';
import type {Machine} from './machine.ts';
import {connections, delay} from './phases.ts';

export interface Results {
  readonly machine: Machine;
  /** The names and versions of the engines. */
  readonly engines: readonly string[];
  readonly rounds: number;
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

/** The series that are measured next to a baseline. */
export function compared(results: Results): Series[] {
  return [...all(results, 'one'), ...all(results, 'many'), ...all(results, 'page')];
}

/** The median, with the quartiles in brackets. */
function cell(values: readonly number[], digits: number): string {
  if (values.length === 0) return '';
  const text = (value: number): string =>
    value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
  const {low, median, high} = quartiles(values);
  return `${text(median)} (${text(low)} to ${text(high)})`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** A table with all figures of the series, and the ratios to their baseline. */
function details(series: readonly Series[], titles: (each: Series) => string, isCompared = false): string {
  const of = (each: Series, figure: (slice: Slice) => number, digits: number): string =>
    cell(each.slices.map(figure), digits);
  return table(
    ['', ...(isCompared ? ['ratio by CPU', 'ratio by rate'] : []), 'CPU, µs', 'per second', 'p50, ms', 'p99, ms'],
    series.map((each) => [
      titles(each),
      ...(isCompared ? [ratios(each, ratiosByCpu(each)), ratios(each, ratiosByRate(each))] : []),
      of(each, ({cpu}) => cpu, 1),
      of(each, ({perSecond}) => perSecond, 0),
      of(each, ({p50}) => p50, 2),
      of(each, ({p99}) => p99, 2),
    ]),
  );
}

/** A baseline has no ratio. */
function ratios({slices: [first]}: Series, values: readonly number[]): string {
  return first?.baseline ? cell(values, 2) : '1';
}

/** The latency divided by the time of a round trip through the proxy. */
function tripsOf({slices}: Series): number[] {
  return slices.map(({p50}) => p50 / (2 * delay));
}

/** The table of the main figures, one row per engine. */
export function summaryOf(results: Results): string {
  return table(
    ['', 'one link', `${results.links.toLocaleString('en')} links`, 'round trips', 'creates per second'],
    all(results, 'one').map((hot) => [
      hot.name,
      cell(ratiosByCpu(hot), 2),
      cell(ratiosByCpu(one(results, 'many', hot.name)), 2),
      cell(tripsOf(one(results, 'trip', hot.name)), 1) || 'none',
      cell(
        one(results, 'create', hot.name).slices.map(({perSecond}) => perSecond),
        0,
      ),
    ]),
  );
}

function conditions(results: Results): string {
  const {machine, engines, rounds, seconds, series} = results;
  const {date, node, system, cores, processor, gigabytes, packages, loadBefore, isPinned} = machine;
  const busiest = Math.max(...series.flatMap(({slices}) => slices.map(({busy = 0}) => busy)));
  return `Measured with \`npm run bench\` on ${date}.

- Machine: ${cores} cores (${processor}), ${gigabytes} GB of memory, ${system}. Load average before the run: ${loadBefore.map((load) => load.toFixed(2)).join(', ')}.
- Node.js ${node}; ${packages.join(', ')}.
- Engines, on the same machine and not pinned to a core: ${engines.join(', ')}.
- ${
    isPinned
      ? 'The measured server is pinned to one core, the load generator to another.'
      : 'The measured server and the load generator share the cores.'
  } The generator used its core for at most ${Math.round(busiest * 100)} % of a slice.
- Node.js is started with \`--min-semi-space-size=16\`, the size to which V8 grows the young generation of a busy process. Without it, the young generation would shrink while a server waits for its turn.
- ${rounds} rounds after a warm-up. In each round, every subject has a slice of ${seconds} s in turn. Round trips and several processes have fewer rounds. ${connections} connections, one request at a time on each.
- "CPU" is the CPU time of the server process per request. Figures are the median of the slices, with the lower and upper quartile in brackets. A ratio compares slices of the same round. Above 1, the subject is cheaper or faster than the baseline. By the spread of its values, the median of each ratio is at most ${(100 * Math.max(...compared(results).flatMap((each) => [errorOf(ratiosByCpu(each)), errorOf(ratiosByRate(each))]))).toFixed(1)} % off (95 % confidence).
- After the rounds, each store had exactly as many visits as redirects were answered.`;
}

export function reportOf(results: Results): string {
  const {links} = results;
  const many = `${links.toLocaleString('en')} links`;
  return `# Redirects

${conditions(results)}

## Summary

The first two columns are the CPU time of a bare Koa redirect divided by that of a counted one (1.00: equally cheap), for visits of one link and of ${many} with a Zipf distribution. Round trips are those to the engine for a visit of a link seen lately. Links are created ${connections} at once.

${summaryOf(results)}

## Counted redirects

The baseline is a Koa application whose only middleware is \`ctx.redirect(url)\`. It looks nothing up and counts nothing.

![CPU time of a redirect, as a ratio to a bare one](redirects.svg)

${details([one(results, 'baseline'), ...all(results, 'one').flatMap((hot) => [hot, one(results, 'many', hot.name)])], ({group, name}) => (group === 'baseline' ? name : `${name}, ${group === 'one' ? 'one link' : many}`), true)}

## Pages of the host

The baseline is the same application without the middleware: one route of @koa/router with a small page. The store is \`memory:\`.

${details([one(results, 'bare page'), ...all(results, 'page')], ({name}) => name, true)}

## Round trips

A link seen lately is visited repeatedly, one visit at a time. A proxy in front of the engine adds ${delay} ms in each direction, so a round trip takes ${2 * delay} ms.

${table(
  ['', 'latency, ms', `by ${2 * delay} ms`, 'counted by the proxy'],
  all(results, 'trip').map((each) => [
    each.name,
    cell(
      each.slices.map(({p50}) => p50),
      1,
    ),
    cell(tripsOf(each), 2),
    cell(
      each.slices.map(({trips = Number.NaN}) => trips),
      2,
    ),
  ]),
)}

## Several processes

Several server processes on one engine, with visits of ${many} and ${connections} connections per process. The figures are the sums of all processes. They may use every core, also that of the load generator.

${details(all(results, 'processes'), ({name}) => name)}

## Creates

Links are created through the programmatic interface, ${connections} at once. Each is stored when its create resolves.

${details(all(results, 'create'), ({name}) => name)}
`;
}
