import {quartiles, ratiosByCpu, ratiosByRate, type Series, type Slice} from './figures.ts';
import type {Machine} from './machine.ts';
import {connections, delay} from './phases.ts';

export interface Results {
  readonly machine: Machine;
  /** Their names with their versions. */
  readonly engines: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly links: number;
  readonly series: readonly Series[];
}

export function all({series}: Results, group: Series['group']): Series[] {
  return series.filter((each) => each.group === group);
}

/** The only series of a group, or the one of this name. */
export function one(results: Results, group: Series['group'], name?: string): Series {
  const [found] = all(results, group).filter((each) => name === undefined || each.name === name);
  return found ?? {group, name: name ?? group, slices: []};
}

/** The median, and the quartiles beside it. */
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

/** The series with everything that was measured of them. */
function details(series: readonly Series[], titles: (each: Series) => string, yardstick?: Series): string {
  const of = (each: Series, figure: (slice: Slice) => number, digits: number): string =>
    cell(each.slices.map(figure), digits);
  return table(
    ['', ...(yardstick ? ['ratio by CPU', 'ratio by rate'] : []), 'CPU, µs', 'a second', 'p50, ms', 'p99, ms'],
    series.map((each) => [
      titles(each),
      ...(yardstick ? [cell(ratiosByCpu(each, yardstick), 2), cell(ratiosByRate(each, yardstick), 2)] : []),
      of(each, ({cpu}) => cpu, 1),
      of(each, ({perSecond}) => perSecond, 0),
      of(each, ({p50}) => p50, 2),
      of(each, ({p99}) => p99, 2),
    ]),
  );
}

/** Latency by the delay of the proxy. */
function tripsOf({slices}: Series): number[] {
  return slices.map(({p50}) => p50 / (2 * delay));
}

/** For the README. */
export function summaryOf(results: Results): string {
  const baseline = one(results, 'baseline');
  return table(
    ['', 'one link', `${results.links.toLocaleString('en')} links`, 'round trips', 'creates a second'],
    all(results, 'one').map((hot) => [
      hot.name,
      cell(ratiosByCpu(hot, baseline), 2),
      cell(ratiosByCpu(one(results, 'many', hot.name), baseline), 2),
      cell(tripsOf(one(results, 'trip', hot.name)), 1) || 'none',
      cell(
        one(results, 'create', hot.name).slices.map(({perSecond}) => perSecond),
        0,
      ),
    ]),
  );
}

function conditions({machine, engines, rounds, seconds, series}: Results): string {
  const {date, node, system, cores, processor, gigabytes, packages, loadBefore, isPinned} = machine;
  const busiest = Math.max(...series.flatMap(({slices}) => slices.map(({busy = 0}) => busy)));
  return `Measured with \`npm run bench\` on ${date}.

- Machine: ${cores} cores (${processor}), ${gigabytes} GB of memory, ${system}. Load average before the run: ${loadBefore.map((load) => load.toFixed(2)).join(', ')}.
- Node.js ${node}; ${packages.join(', ')}.
- Engines, on the same machine and without a core of their own: ${engines.join(', ')}.
- ${
    isPinned
      ? 'The measured server is pinned to one core, the load generator to another.'
      : 'The measured server and the load generator share the cores.'
  } The generator was busy for ${Math.round(busiest * 100)} % of a slice at most.
- Node.js is started with \`--min-semi-space-size=16\`, which V8 gives a busy process by itself: it would shrink while a server waits for its turn.
- ${rounds} rounds after a warm-up. In each round, every subject has a slice of ${seconds} s in turn. ${connections} connections, one request at a time on each.
- "CPU" is the CPU time of the server process for each request. Figures are the median of the slices, with the lower and upper quartile in brackets. A ratio compares slices of the same round. Above 1, the subject is cheaper or faster than the baseline.
- After the rounds, the visits on each store were exactly as many as the redirects answered.`;
}

export function reportOf(results: Results): string {
  const {links} = results;
  const baseline = one(results, 'baseline');
  const [bare, ...pages] = all(results, 'page');
  const many = `${links.toLocaleString('en')} links`;
  return `# Redirects

${conditions(results)}

## Summary

CPU time of a bare Koa redirect by that of a counted one (1.00: as cheap), visits of one link and of ${many} by a Zipf distribution; round trips to the engine for a visit of a link seen lately; links created in a second, ${connections} at once.

${summaryOf(results)}

## Counted redirects

The baseline is a Koa application whose only middleware is \`ctx.redirect(url)\`. It looks nothing up and counts nothing.

![CPU time of a redirect, as a ratio to a bare one](redirects.svg)

${details([baseline, ...all(results, 'one').flatMap((hot) => [hot, one(results, 'many', hot.name)])], ({group, name}) => (group === 'baseline' ? name : `${name}, ${group === 'one' ? 'one link' : many}`), baseline)}

## Pages of the host

The baseline is the same application without the middleware: one route of @koa/router with a small page. The store is \`memory:\`.

${bare ? details([bare, ...pages], ({name}) => name, bare) : ''}

## Round trips

A link seen lately is visited again and again, one visit at a time. A proxy before the engine adds ${delay} ms in each direction, so a round trip takes ${2 * delay} ms.

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

Server processes on one engine, visits of ${many}, all processes together, ${connections} connections for each. They may use every core, the load generator's too.

${details(all(results, 'processes'), ({name}) => name)}

## Creates

Through the programmatic interface, ${connections} at once. Each is on the store when it is answered.

${details(all(results, 'create'), ({name}) => name)}
`;
}
