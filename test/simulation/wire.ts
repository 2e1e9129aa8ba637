import {asError, type Deadline} from '../../src/store/failing/deadline.ts';
import type {Schedule} from './schedules/schedule.ts';
import type {Server} from './server.ts';
import {calm, type Luck, type Process, type Scope, type Timeline} from './timeline.ts';

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

/** A command, which touches each of its keys. */
export interface Command<Result> {
  readonly name: string;
  readonly keys: readonly string[];
  /** What the server does. If it rejects, the server refuses the command. */
  readonly touch: (key: string) => Result | Promise<Result>;
  /** When its caller gives up; undefined if somebody else looks at that. */
  readonly deadline?: Deadline;
  /** Whether it changes something, and so must not be executed after its deadline. */
  readonly isWrite?: boolean;
  /** What one step reads or changes, if it is not its key. */
  readonly touched?: readonly string[] | undefined;
}

/**
 * The connections of a process to a server. For each command, the luck of its caller decides when its keys are touched and
 * what becomes of the answer: it may come late or not at all, or the connection may break although the command is executed.
 */
export class Wire {
  readonly #network: Network;
  readonly #process: Process;
  readonly #server: object;
  readonly #isInProcess: boolean;

  /**
   * @param server on whose content the order of commands depends
   * @param isInProcess whether the engine runs in the process
   */
  constructor(network: Network, process: Process, server: object, isInProcess = false) {
    this.#isInProcess = isInProcess;
    this.#network = network;
    this.#process = process;
    this.#server = server;
  }

  send<Result>({name, keys, touch, deadline, isWrite = false, touched}: Command<Result>): Promise<Result[]> {
    const {timeline} = this.#network;
    const schedule = this.#network.schedule?.isOpen ? this.#network.schedule : undefined;
    const process = this.#process;
    // A new process connects in an event of somebody else.
    if (timeline.scope.process !== process) timeline.scope = {process, luck: calm};
    const {scope} = timeline;
    const {luck} = scope;
    const onServer: Scope = this.#isInProcess || schedule?.isInProcess ? scope : {process: undefined, luck};
    return new Promise((resolve, reject) => {
      this.#network.beforeCommand(process);
      if (process.isDead) return;
      let isSettled = false;
      deadline?.onExpiry(() => (process.failures += isSettled ? 0 : 1));
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
      const answer = (give: () => void): void => {
        if (!isAnswered) return;
        timeline.after(
          schedule === undefined ? delayOf(luck) : 0,
          () => {
            isSettled = true;
            give();
          },
          scope,
        );
      };

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
        if (isWrite && deadline !== undefined && timeline.now > deadline.expiry) {
          timeline.note(process, name, key, 'too late');
          fail('the server refused a command after its deadline', delayOf(luck));
          return;
        }
        const end = (result: Result): void => {
          timeline.note(process, name, key, result);
          timeline.steps.push({request: scope.request, process, keys: touches(key), isWrite, result});
          results[index] = result;
          untouched -= 1;
          if (untouched > 0) return;
          answer(() => {
            resolve(results);
          });
        };
        const refuse = (error: unknown): void => {
          timeline.note(process, name, key, String(error));
          answer(() => {
            reject(asError(error));
          });
        };
        const result = touch(key);
        if (result instanceof Promise) void result.then(end, refuse);
        else end(result);
      };
      const touches = (key: string): readonly string[] | undefined => touched ?? touchedBy(name, key);
      for (const [index, key] of keys.entries()) {
        const run = (): void => {
          arrive(key, index);
        };
        if (schedule === undefined) timeline.after(delayOf(luck), run, onServer);
        else {
          const step = {process: process.name, server: this.#server, keys: touches(key), isWrite};
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
