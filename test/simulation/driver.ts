import {readCounters, sumByKey} from '../../src/store/batching/counting.ts';
import type {CounterRows, Driver, RecordRow} from '../../src/store/driver.ts';
import type {Deadline} from '../../src/store/failing/deadline.ts';
import type {Addition, Batch, Counters, KeyKind, KeyPart} from '../../src/store/port.ts';
import type {Server} from './server.ts';
import type {Schedule} from './schedules/schedule.ts';
import {calm, type Luck, type Process, type Scope, type Timeline} from './timeline.ts';

/** How many keys are listed at once. */
const listed = 100;

/** How long a command or its answer is under way at most, in milliseconds, with the probability of each. */
const delays = [
  [0.75, 3],
  [0.22, 30],
  [0.03, 700],
] as const;

/** Longer than any deadline. */
const tooLong = 3000;

/** The simulated server and the network between. */
export interface Network {
  readonly timeline: Timeline;
  readonly server: Server;
  /** Whether a batch is counted link by link, and the totals of accounts after that. */
  readonly isCluster: boolean;
  /** Decides the order of commands in place of their luck while it is open. */
  readonly schedule: Schedule | undefined;
  /** When a process reaches the server, in simulated milliseconds; not in the future if it does now. */
  reachableAt(process: Process): number;
  /** Called before each command; may kill the process. */
  beforeCommand(process: Process): void;
}

/**
 * The connections of one process to the simulated server. For each command, the luck of its caller decides when its keys
 * are touched and what becomes of the answer: it may come late or not at all, or the connection may break although the
 * command is executed. The model does what the port allows, and no more: each key is touched by itself, in any order, and
 * no write after its deadline.
 */
export class SimulatedDriver implements Driver {
  readonly engine = 'simulated';
  readonly guarantee = 'store';
  readonly keepsObjects = false;
  readonly isRemote = true;
  readonly #network: Network;
  readonly #server: Server;
  readonly #process: Process;

  /** @param server the content that the commands read and change */
  constructor(network: Network, process: Process, server = network.server) {
    this.#network = network;
    this.#server = server;
    this.#process = process;
  }

  read(keys: readonly string[], deadline: Deadline): Promise<unknown[]> {
    return this.#send('read', keys, deadline, (key) => this.#server.read(key));
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    const byKey = new Map(rows.map((row) => [row[0], row]));
    return this.#write('insert', Array.from(byKey.keys()), deadline, (key) => {
      const [, record, life] = byKey.get(key) ?? [];
      return this.#server.insert(key, record as string, life);
    });
  }

  async replace([key, record, life]: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    const replace = (): boolean => this.#server.replace(key, expected, record as string | undefined, life);
    return first(await this.#write('replace', [key], deadline, replace));
  }

  async remove(key: string, deadline: Deadline): Promise<void> {
    await this.#write('remove', [key], deadline, () => this.#server.records.delete(key));
  }

  async count(batch: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    return this.#network.isCluster ? this.#countByKey(batch, deadline) : this.#count(batch, deadline);
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const bys = new Map(steps);
    return this.#write('increment', Array.from(bys.keys()), deadline, (key) =>
      this.#server.increment(key, bys.get(key) ?? 0),
    );
  }

  getCounters(
    keys: readonly string[],
    names: readonly string[] | undefined,
    deadline: Deadline,
  ): Promise<readonly Counters[]> {
    return this.#send('getCounters', keys, deadline, (key) => readCounters(this.#server.counters.get(key), names));
  }

  async removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    await this.#write('removeCounters', [key], deadline, () => {
      this.#server.removeCounters(key, names);
    });
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const counters = new Map(rows);
    await this.#write('setCounters', Array.from(counters.keys()), deadline, (key) => {
      const set = counters.get(key);
      if (set) this.#server.setCounters(key, set);
    });
  }

  async keys(kind: KeyKind, prefix: string, cursor: string | undefined, deadline: Deadline): Promise<KeyPart> {
    const list = (): KeyPart => {
      const isThere = (key: string): boolean => kind === 'counters' || this.#server.read(key) !== undefined;
      const all = Array.from(this.#server[kind].keys()).filter((key) => key.startsWith(prefix) && isThere(key));
      const keys = all
        .filter((key) => cursor === undefined || key > cursor)
        .sort()
        .slice(0, listed);
      return {keys, next: keys.length === listed ? keys.at(-1) : undefined};
    };
    return first(await this.#send('keys', [prefix], deadline, list));
  }

  async ping(deadline: Deadline): Promise<void> {
    await this.#send('ping', [''], deadline, () => undefined);
  }

  close(): void {
    // There is nothing to close.
  }

  async #count(batch: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    const name = `${batch.writer} ${batch.number}`;
    const touched = batch.additions.flatMap(({link, keys}) => [
      ...(link === undefined ? [] : [`records ${link.key}`]),
      ...keys.map((key) => `counters ${key}`),
    ]);
    return first(await this.#write('count', [name], deadline, () => this.#server.count(batch), touched));
  }

  /** As on Redis Cluster: the keys of each hash tag in one step, then the totals of those that were counted. */
  async #countByKey({writer, number, additions}: Batch, deadline: Deadline): Promise<readonly boolean[]> {
    const part = async (key: string, some: readonly Addition[]): Promise<readonly boolean[]> =>
      this.#count({writer: `${writer}:${key}`, number, additions: some}, deadline);
    const counted = new Map<Addition, boolean>();
    const links = new Map<string, Addition[]>();
    for (const addition of additions) {
      const [key = ''] = /\{.*\}/.exec(addition.keys[0] ?? '') ?? addition.keys;
      links.set(key, [...(links.get(key) ?? []), addition]);
    }
    await Promise.all(
      Array.from(links, async ([key, some]) => {
        const results = await part(
          key,
          some.map(({link, keys, adds, at}) => ({link, keys: keys.slice(0, 1), adds: adds.slice(0, 1), at})),
        );
        for (const [index, addition] of some.entries()) counted.set(addition, results[index] === true);
      }),
    );
    const others = sumByKey(
      additions
        .filter((addition) => counted.get(addition))
        .map(({keys, adds, at}) => ({keys: keys.slice(1), adds: adds.slice(1), at})),
    );
    await Promise.all(
      Array.from(others, ([key, {counts: add, at}]) => part(`others:${key}`, [{keys: [key], adds: [add], at}])),
    );
    return additions.map((addition) => counted.get(addition) === true);
  }

  #write<Result>(
    name: string,
    keys: readonly string[],
    deadline: Deadline,
    touch: (key: string) => Result,
    touched?: readonly string[],
  ): Promise<Result[]> {
    return this.#send(name, keys, deadline, touch, true, touched);
  }

  /**
   * Sends a command that touches each of the keys.
   *
   * @param touched what one step reads or changes, if it is not its key
   */
  #send<Result>(
    name: string,
    keys: readonly string[],
    deadline: Deadline,
    touch: (key: string) => Result,
    isWrite = false,
    touched?: readonly string[],
  ): Promise<Result[]> {
    const {timeline} = this.#network;
    const schedule = this.#network.schedule?.isOpen ? this.#network.schedule : undefined;
    const process = this.#process;
    // A new process connects in an event of somebody else.
    if (timeline.scope.process !== process) timeline.scope = {process, luck: calm};
    const {scope} = timeline;
    const {luck} = scope;
    const onServer: Scope = {process: undefined, luck};
    return new Promise((resolve, reject) => {
      this.#network.beforeCommand(process);
      if (process.isDead) return;
      let isSettled = false;
      deadline.onExpiry(() => (process.failures += isSettled ? 0 : 1));
      const fail = (reason: string, delay: number): void => {
        timeline.after(
          delay,
          () => {
            timeline.note(process, name, 'fails', reason);
            process.failures += 1;
            isSettled = true;
            reject(new Error(reason));
          },
          scope,
        );
      };
      if (this.#network.reachableAt(process) > timeline.now && luck.chance(0.5)) {
        fail('no connection', 0);
        return;
      }
      const isBroken = luck.chance(luck.trouble);
      if (isBroken) fail('the connection broke', luck.between(0, 20));
      if (isBroken && luck.chance(0.3)) return;
      const isAnswered = !isBroken && !luck.chance(luck.trouble / 4);

      const results: Result[] = [];
      let untouched = keys.length;
      const arrive = (key: string, index: number): void => {
        const away = this.#network.reachableAt(process) - timeline.now;
        if (away > 0) {
          timeline.after(
            away + luck.between(0, 3),
            () => {
              arrive(key, index);
            },
            onServer,
          );
          return;
        }
        if (isWrite && timeline.now > deadline.expiry) {
          timeline.note(process, name, key, 'too late');
          fail('the server refused a command after its deadline', delayOf(luck));
          return;
        }
        const result = touch(key);
        timeline.note(process, name, key, result);
        results[index] = result;
        untouched -= 1;
        if (untouched > 0 || !isAnswered) return;
        timeline.after(
          schedule === undefined ? delayOf(luck) : 0,
          () => {
            isSettled = true;
            resolve(results);
          },
          scope,
        );
      };
      for (const [index, key] of keys.entries()) {
        const run = (): void => {
          arrive(key, index);
        };
        if (schedule === undefined) timeline.after(delayOf(luck), run, onServer);
        else {
          const step = {process: process.name, server: this.#server, keys: touched ?? touchedBy(name, key), isWrite};
          schedule.add(`${name} ${key}`, step, onServer, run);
        }
      }
    });
  }
}

/** What a step of a command reads or changes; undefined for everything. */
function touchedBy(command: string, key: string): readonly string[] | undefined {
  if (command === 'keys') return undefined;
  if (command === 'ping') return [];
  return [`${/counters|increment/i.test(command) ? 'counters' : 'records'} ${key}`];
}

function delayOf(luck: Luck): number {
  if (luck.isCalm) return 1;
  if (luck.chance(luck.trouble / 4)) return luck.between(0, tooLong);
  let rest = luck.next();
  for (const [probability, most] of delays) {
    if (rest < probability) return luck.between(0, most);
    rest -= probability;
  }
  return 0;
}

function first<Result>([result]: readonly Result[]): Result {
  return result as Result;
}
