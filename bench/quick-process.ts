/**
 * A process of `npm run bench:quick`: a redirect and what it is compared with, in slices taken in turn. Requests come over
 * streams in place of sockets, so neither the network nor the place of a process in memory changes a figure.
 */
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {Middleware} from 'koa';
import {crowd, range} from '../test/support/engines/crowd.ts';
import {engineNamed, freshOn} from '../test/support/engines/engines.ts';
import {withOwner} from '../test/support/owner.ts';
import {answerParent} from './child.ts';
import {type EngineMeter, engineMeter, writtenBytes} from './engine-use.ts';
import {quantile} from './figures.ts';
import {collectGarbage} from './garbage.ts';
import {handWritten} from './hand-written.ts';
import {InProcessServer, underKoa} from './in-process.ts';
import {type MeasuredLinks, packaged, target, type Visited} from './measured-links.ts';
import {randomPaths} from './measured-site.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 9);
const links = Number(process.env['BENCH_LINKS'] ?? 2000);
/** The folder of a clone with another commit, in which `npm run build` has run. */
const former = process.env['BENCH_FORMER'];
/** Requests in a slice: enough to have its links and its code in the caches of the processor for most of it. */
const requests = 4000;
const atOnce = 50;
/** Requests that each subject answers before its first slice. */
const warm = 10_000;

export interface Question {
  readonly engine: string;
  /** A use that is compared with a plain visit; by default a plain visit is measured. */
  readonly use?: {readonly name: string; readonly visited: Visited};
}

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
    collectGarbage();
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
  collectGarbage({type: 'minor'});
  const {user, system} = process.cpuUsage();
  return [user + system, writtenBytes()];
}

/** What a subject is compared with. */
type Baseline = 'bare Koa' | 'by hand' | 'the former' | 'a plain visit';

interface Comparison {
  readonly subject: Subject;
  readonly compared: Readonly<Partial<Record<Baseline, Subject | undefined>>>;
}

/** The figures of a subject, and how many times as cheap as its baselines it is. */
export interface Row extends Slice {
  readonly title: string;
  readonly ratios: Readonly<Record<string, Ratio>>;
}

/** With the ratios of three parts of the rounds, of which the least and the largest show how sure it is. */
interface Ratio {
  readonly low: number;
  readonly value: number;
  readonly high: number;
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

async function answer({engine: name, use}: Question): Promise<Row[]> {
  return withOwner(async (owner) => {
    const engine = engineNamed(name);
    const open = async (visited: Visited): Promise<readonly [Subject, Subject]> => {
      const options = await freshOn(engine, owner);
      const made = await packaged(options, visited);
      owner.teardown(() => made.close());
      const meter = await engineMeter(options.store);
      owner.teardown(() => meter?.close());
      return subjectsOf(made, {meter});
    };
    const plain = await open({});
    if (use !== undefined) {
      const used = await open(use.visited);
      return measured(used.map((subject, index) => ({subject, compared: {'a plain visit': plain[index]}})));
    }
    const past = former === undefined ? [] : await open({dist: pathToFileURL(`${resolve(former)}/dist/`)});
    const paths = randomPaths(links);
    const written = await handWritten(await freshOn(engine, owner), paths);
    owner.teardown(() => written.close());
    const byHand = await subjectsOf(written, {paths});
    const bare = await new Subject((ctx) => {
      ctx.redirect(target);
    }).warmUp(paths);
    return measured(
      plain.map((subject, index) => ({
        subject,
        compared: {'bare Koa': bare, 'by hand': byHand[index], 'the former': past[index]},
      })),
    );
  });

  /** Every other round goes the other way, so that no subject always comes after the same one. */
  async function measured(comparisons: readonly Comparison[]): Promise<Row[]> {
    const subjects = new Set(comparisons.flatMap(({subject, compared}) => [subject, ...Object.values(compared)]));
    const order = [...subjects].filter((subject) => subject !== undefined);
    for (const round of range(rounds)) {
      for (const subject of round % 2 === 0 ? order : order.toReversed()) await subject.measure();
    }
    return comparisons.map(({subject, compared}, index) => ({
      title: [name, index === 0 ? 'one link' : `${links} links`, ...(use === undefined ? [] : [use.name])].join(', '),
      ...quiet(subject.slices),
      ratios: Object.fromEntries(
        Object.entries(compared).flatMap(([title, baseline]) =>
          baseline === undefined ? [] : [[title, ratioOf(subject.slices, baseline.slices)]],
        ),
      ),
    }));
  }
}

/** Other programs on the machine only ever add CPU time, so the quieter slices tell more than the median. */
function quiet(slices: readonly Slice[]): Slice {
  const low = (figure: keyof Slice): number =>
    quantile(
      slices.map((slice) => slice[figure]),
      0.25,
    );
  return {cpu: low('cpu'), engineCpu: low('engineCpu'), bytes: low('bytes')};
}

function ratioOf(slices: readonly Slice[], baseline: readonly Slice[]): Ratio {
  const value = quiet(baseline).cpu / quiet(slices).cpu;
  const parts = [0, 1, 2].map((part) => {
    const inPart = (_: Slice, round: number): boolean => Math.floor((round * 3) / rounds) === part;
    return quiet(baseline.filter(inPart)).cpu / quiet(slices.filter(inPart)).cpu;
  });
  return {low: Math.min(...parts), value, high: Math.max(...parts)};
}

answerParent(answer, () => undefined);
