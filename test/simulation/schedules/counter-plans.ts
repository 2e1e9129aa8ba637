import type {Driver} from '../../../src/store/driver.ts';
import {Deadline} from '../../../src/store/failing/deadline.ts';
import type {Increments} from '../../../src/store/port.ts';
import type {Engine} from '../engines/engine.ts';
import {Server} from '../server.ts';
import {calm, type Process, simulated, Timeline} from '../timeline.ts';
import type {Network} from '../wire.ts';
import {epoch} from '../world.ts';
import {type Bounds, explore, type Explored} from './explore.ts';
import type {Schedule} from './schedule.ts';

/** What a process does to the counters of one key. */
type Call =
  | {readonly add: Increments}
  /** Removes a counter that nobody raises. The amounts of joint rows move to rows of single counters before. */
  | {readonly remove: string};

/** Calls of a driver at once, a list for each process. */
export interface CounterPlan {
  readonly name: string;
  readonly before: readonly Call[];
  readonly processes: ReadonlyArray<readonly Call[]>;
}

const visit: Call = {add: {v: 1, 'v:mail': 1}};
const other: Call = {add: {v: 1, 'v:web': 1}};
const split: Call = {remove: 'never'};

export const counterPlans: readonly CounterPlan[] = [
  {name: 'two visits and a split', before: [visit], processes: [[visit], [split], [visit]]},
  {name: 'two splits and a visit', before: [visit, other], processes: [[split], [split], [visit]]},
  {name: 'a split, and visits of other counters', before: [visit], processes: [[split], [other, visit]]},
];

const key = 'counted';

/** Runs every order of the steps of a plan, and looks whether something was lost or counted twice. */
export function exploreCounters(plan: CounterPlan, engine: Engine, bounds: Bounds): Promise<Explored> {
  return explore(async (schedule) => {
    await engine.empty();
    const timeline = new Timeline(0, epoch);
    timeline.idle = schedule.next;
    return simulated(timeline, () => story(plan, engine, schedule, timeline));
  }, bounds);
}

async function story(
  {before, processes}: CounterPlan,
  engine: Engine,
  schedule: Schedule,
  timeline: Timeline,
): Promise<readonly string[]> {
  const network: Network = {
    timeline,
    server: new Server(),
    isCluster: false,
    schedule,
    reachableAt: () => 0,
    beforeCommand: () => undefined,
  };
  const clients = [before, ...processes].map((calls, place) => new Client(engine, network, `p${place}`, calls));
  const [first, ...rest] = clients as [Client, ...Client[]];
  const done = async <Result>(work: Promise<Result>): Promise<Result> => {
    await timeline.run();
    return work;
  };
  await done(first.run());
  schedule.isOpen = true;
  await done(Promise.all(rest.map((client) => client.run())));
  schedule.isOpen = false;
  const expected = sum([before, ...processes].flat());
  const found = await done(first.counted(Object.keys(expected)));
  return Object.entries(expected)
    .filter(([name, n]) => found.get(name) !== n)
    .map(([name, n]) => `${name} is ${found.get(name) ?? 0} and not ${n}.`);
}

function sum(calls: readonly Call[]): Increments {
  const sums: Record<string, number> = {};
  for (const call of calls) {
    for (const [name, n] of 'add' in call ? Object.entries(call.add) : []) sums[name] = (sums[name] ?? 0) + n;
  }
  return sums;
}

/** A process that makes its calls one after the other. */
class Client {
  readonly #process: Process;
  readonly #driver: Driver;
  readonly #timeline: Timeline;
  readonly #calls: readonly Call[];

  constructor(engine: Engine, network: Network, name: string, calls: readonly Call[]) {
    this.#process = {name, isDead: false, stalledUntil: 0, clock: {ahead: 0, settings: 0}, failures: 0};
    this.#driver = engine.driver(network, this.#process);
    this.#timeline = network.timeline;
    this.#calls = calls;
  }

  run(): Promise<void> {
    return this.#within(async () => {
      for (const [index, call] of this.#calls.entries()) {
        if ('remove' in call) await this.#driver.removeCounters(key, [call.remove], deadline());
        else {
          const addition = {keys: [key], adds: [call.add], at: epoch};
          const batch = {writer: this.#process.name, number: index + 1, additions: [addition]};
          await this.#driver.count(batch, deadline());
        }
      }
    });
  }

  async counted(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const [found] = await this.#within(async () => this.#driver.getCounters([key], names, deadline()));
    return found?.counts ?? new Map();
  }

  #within<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#timeline.within({process: this.#process, luck: calm}, work);
  }
}

const deadline = (): Deadline => new Deadline(2000);
