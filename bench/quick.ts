/**
 * Compares the CPU time of redirects within one process, in short slices taken in turn: `npm run bench:quick`. Requests
 * come over streams in place of sockets, so neither the network nor the place of a process in memory changes a figure.
 */
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import type {Middleware} from 'koa';
import {crowd, range} from '../test/support/engines/crowd.ts';
import {engineNamed, freshOn, whyMissing} from '../test/support/engines/engines.ts';
import {type Owner, withOwner} from '../test/support/owner.ts';
import {type EngineMeter, engineMeter, writtenBytes} from './engine-use.ts';
import {quartiles} from './figures.ts';
import {handWritten} from './hand-written.ts';
import {InProcessServer, underKoa} from './in-process.ts';
import {type MeasuredLinks, packaged, target, type Visited} from './measured-links.ts';
import {randomPaths} from './measured-site.ts';
import {table} from './report.ts';

const names = (process.env['BENCH_ENGINES'] ?? 'memory,sqlite,redis,postgres,mysql').split(',');
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 9);
const links = Number(process.env['BENCH_LINKS'] ?? 2000);
/** The folder of a clone with another commit, in which `npm run build` has run. */
const former = process.env['BENCH_FORMER'];
/** Requests in a slice. */
const requests = 1000;
const atOnce = 50;
/** Requests that each subject answers before its first slice. */
const warm = 5000;

/** What sites use. Measured in memory only, because it costs the same on each engine, apart from a limit. */
const uses: Readonly<Record<string, Visited>> = {
  'a visit limit': {input: {maxVisits: 1_000_000}},
  'a listener': {isHeard: true},
  attribution: {options: {attribution: {parameter: 'via'}}},
  'a campaign': {input: {utm: {source: 'mail', campaign: 'spring'}}},
  shares: {input: {rules: [{share: 50, url: `${target}&page=b`}]}},
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: {type: 'minor'}) => void;

interface Slice {
  /** Microseconds of a request in this process, and in the engine. */
  readonly cpu: number;
  readonly engineCpu: number;
  /** Bytes that a request has written to the engine's log or to files. */
  readonly bytes: number;
}

/** A server in this process, with its slices. */
class Subject {
  readonly server: InProcessServer;
  readonly #meter: EngineMeter | undefined;
  readonly slices: Slice[] = [];

  constructor(middleware: Middleware, meter?: EngineMeter) {
    this.server = new InProcessServer(underKoa(middleware), atOnce);
    this.#meter = meter;
  }

  async warmUp(paths: readonly string[]): Promise<this> {
    this.server.visit(paths);
    await this.server.run(warm);
    return this;
  }

  async measure(): Promise<void> {
    const before = await this.#meter?.use();
    const [cpu, bytes] = used();
    await this.server.run(requests);
    const [cpuAfter, bytesAfter] = used();
    const after = await this.#meter?.use();
    this.slices.push({
      cpu: (cpuAfter - cpu) / requests,
      engineCpu: ((after?.cpu ?? 0) - (before?.cpu ?? 0)) / requests,
      bytes: (bytesAfter - bytes + (after?.bytes ?? 0) - (before?.bytes ?? 0)) / requests,
    });
  }
}

/** The CPU time of this process in microseconds, with that for its garbage so far, and the bytes that it has written. */
function used(): readonly [cpu: number, bytes: number] {
  collect({type: 'minor'});
  const {user, system} = process.cpuUsage();
  return [user + system, writtenBytes()];
}

/** What a subject is compared with. */
const baselines = ['bare Koa', 'by hand', 'a plain visit', 'the former'] as const;

interface Row {
  readonly title: string;
  readonly subject: Subject;
  readonly baselines: Readonly<Partial<Record<(typeof baselines)[number], Subject | undefined>>>;
}

/** Servers with visits of one link and of many. */
async function subjectsOf(
  made: MeasuredLinks,
  {meter, paths}: {readonly meter?: EngineMeter | undefined; readonly paths?: readonly string[]},
): Promise<readonly [one: Subject, many: Subject]> {
  const all =
    paths ?? (await crowd(range(links), atOnce, () => made.create?.() ?? Promise.reject(new Error('No links'))));
  const subject = (visited: readonly string[]): Promise<Subject> => new Subject(made.middleware, meter).warmUp(visited);
  return [await subject(all.slice(0, 1)), await subject(all)];
}

async function rowsOf(name: string, owner: Owner): Promise<Row[]> {
  const engine = engineNamed(name);
  const missing = await whyMissing(engine);
  if (missing !== undefined) {
    console.warn(`Left out: ${missing}`);
    return [];
  }
  const open = async (visited: Visited): Promise<readonly [Subject, Subject]> => {
    const options = await freshOn(engine, owner);
    const made = await packaged(options, visited);
    owner.teardown(() => made.close());
    const meter = await engineMeter(options.store);
    owner.teardown(() => meter?.close());
    return subjectsOf(made, {meter});
  };
  const ours = await open({});
  const past = former === undefined ? [] : await open({dist: pathToFileURL(`${resolve(former)}/dist/`)});
  const place = await freshOn(engine, owner);
  const paths = randomPaths(links);
  const written = await handWritten(place, paths);
  owner.teardown(() => written.close());
  const byHand = await subjectsOf(written, {paths});
  const bare = await new Subject((ctx) => {
    ctx.redirect(target);
  }).warmUp(paths);
  const title = (index: number): string => `${name}, ${index === 0 ? 'one link' : `${links} links`}`;
  const rows = ours.map((subject, index): Row => ({
    title: title(index),
    subject,
    baselines: {'bare Koa': bare, 'by hand': byHand[index], 'the former': past[index]},
  }));
  for (const [use, visited] of Object.entries(uses)) {
    if (name !== 'memory' && use !== 'a visit limit') continue;
    for (const [index, subject] of (await open(visited)).entries()) {
      rows.push({title: `${title(index)}, ${use}`, subject, baselines: {'a plain visit': ours[index]}});
    }
  }
  return rows;
}

/** How many times as cheap as the baseline the subject is. */
function ratio({slices}: Subject, baseline: Subject | undefined): string {
  if (baseline === undefined) return '';
  const {low, value, high} = quartiles(slices.map(({cpu}, round) => (baseline.slices[round]?.cpu ?? Number.NaN) / cpu));
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

function reportOf(rows: readonly Row[]): string {
  const shown = baselines.filter((name) => rows.some((row) => row.baselines[name] !== undefined));
  const median = ({slices}: Subject, figure: keyof Slice): string =>
    quartiles(slices.map((slice) => slice[figure])).value.toFixed(1);
  return `
The CPU time of a redirect, without sockets, in slices of ${requests} requests, ${atOnce} at once. Ratios are the baseline's time
divided by that of the subject: above 1, the subject is cheaper.

${table(
  ['', 'CPU, µs', 'CPU of the engine', 'bytes written', ...shown.map((name) => `ratio to ${name}`)],
  rows.map(({title, subject, baselines: compared}) => [
    title,
    median(subject, 'cpu'),
    median(subject, 'engineCpu'),
    median(subject, 'bytes'),
    ...shown.map((name) => ratio(subject, compared[name])),
  ]),
)}`;
}

/** Every other round goes the other way, so that no subject always comes after the same one. */
async function measureInTurn(rows: readonly Row[]): Promise<void> {
  const subjects = new Set(rows.flatMap((row) => [row.subject, ...Object.values(row.baselines)]));
  const order = [...subjects].filter((subject) => subject !== undefined);
  for (const round of range(rounds)) {
    for (const subject of round % 2 === 0 ? order : order.toReversed()) await subject.measure();
  }
}

const rows: Row[] = [];
for (const name of names) {
  await withOwner(async (owner) => {
    const some = await rowsOf(name, owner);
    await measureInTurn(some);
    rows.push(...some);
  });
}
console.log(reportOf(rows));
process.exit();
