import crypto, {createHash, webcrypto} from 'node:crypto';
import {inspect} from 'node:util';
import {syncBuiltinESMExports} from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import {nanoid, random} from 'nanoid';
import type {Step} from './reached.ts';
import type {Seen} from './seen.ts';

/** A process of a world. Its events never happen once it is dead, and wait while it is stalled. */
export interface Process {
  readonly name: string;
  isDead: boolean;
  /** In simulated milliseconds. */
  stalledUntil: number;
  /** The clock of its machine. */
  readonly clock: Clock;
  /** How many of its commands have failed. */
  failures: number;
}

export interface Clock {
  /** How far it is ahead, in milliseconds. */
  ahead: number;
  /** How often it was set. */
  settings: number;
}

/** In which process something runs, and with whose luck. Everything that it schedules inherits both. */
export interface Scope {
  readonly process: Process | undefined;
  readonly luck: Luck;
  /** What a client has asked for. */
  readonly request?: Seen;
}

interface Event {
  time: number;
  readonly scope: Scope;
  run: (() => void) | undefined;
}

/** The most events of a run, so that a run that never ends is found. */
const maxEvents = 200_000;

/** The random bytes that nanoid keeps after a first use with 64 characters. Asking for all of them makes it take new ones. */
const poolSize = 64 * 128;

/** Random bytes, of which nanoid gets a part each time, because to draw as many is slow. */
const noise = new Uint8Array(2 ** 20);

/** Seeded choices. With the seed 0 everything takes a millisecond and succeeds. */
export class Luck {
  readonly isCalm: boolean;
  /** The probability that a command fails. */
  readonly trouble: number;
  #state: number;

  constructor(seed: number, trouble = 0) {
    this.isCalm = seed === 0;
    this.trouble = trouble;
    this.#state = Math.imul(seed, 0x9e3779b1);
  }

  /** At least 0 and less than 1. */
  next(): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer of both bounds or between them. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return !this.isCalm && this.next() < probability;
  }
}

export const calm = new Luck(0);
const ofNoise = new Luck(1);
for (let index = 0; index < noise.length; index += 1) noise[index] = ofNoise.next() * 256;

/**
 * Simulated time. While a timeline is current, the clocks, timers, random numbers and thread pool of Node.js are its own,
 * so that a run depends on nothing else. Events run one by one, each with all promises that it settles. The whole run takes place in
 * one turn of the real event loop, so that nothing from outside comes between.
 */
export class Timeline {
  /** Milliseconds since the run began. */
  now = 0;
  /** What happened, for people and to compare two runs. */
  readonly #trace: Array<readonly [time: number, process: string, ...what: unknown[]]> = [];
  /** The steps of commands on a server. */
  readonly steps: Step[] = [];
  readonly #epoch: number;
  readonly #seed: number;
  /** Of each process and each function, so that what it draws depends neither on other processes nor on the engine. */
  readonly #random = new Map<string, Luck>();
  /** How much of the noise each process has used. */
  readonly #used = new Map<Process | undefined, number>();
  /** The latest first. */
  readonly #events: Event[] = [];
  #count = 0;
  #stamp = 0;
  scope: Scope;
  /** Whether `performance.now()` is real. An engine waits by looking at it again and again. */
  isEngineRunning = false;
  /** That of the server. */
  readonly serverClock: Clock = {ahead: 0, settings: 0};
  /** Asked for something to do when nothing more is due at this moment. What it throws ends the run. */
  idle: (() => Pick<Event, 'scope' | 'run'> | undefined) | undefined;

  /** @param epoch when it begins, in milliseconds since the epoch */
  constructor(seed: number, epoch: number) {
    this.#epoch = epoch;
    this.#seed = seed;
    this.scope = {process: undefined, luck: calm};
  }

  /** Milliseconds since the epoch. */
  get date(): number {
    return Math.floor(this.#epoch + this.now);
  }

  /** What the clock of a process shows, or that of the server, in milliseconds since the epoch. */
  dateOf(process: Process | undefined): number {
    return this.date + (process?.clock ?? this.serverClock).ahead;
  }

  /** A number for this moment. Later ones are larger, also at the same time. */
  stamp(): number {
    return (this.#stamp += 1);
  }

  note({name}: Pick<Process, 'name'>, ...what: readonly unknown[]): void {
    this.#trace.push([this.now, name, ...what]);
  }

  /** Everything that happened, a line for each note. */
  get trace(): string {
    return this.#trace.map((parts) => parts.map(toText).join(' ')).join('\n');
  }

  /** Runs `work` after so many milliseconds, behind everything that is already due then. */
  after(delay: number, work: () => void, scope = this.scope): Event {
    const event = {time: this.now + Math.max(0, delay), scope, run: work};
    this.#insert(event);
    return event;
  }

  /** Begins `work` as an event of a scope, so that everything that follows from it has the same scope. */
  within<Result>(scope: Scope, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.after(
        0,
        () => {
          work().then(resolve, reject);
        },
        scope,
      );
    });
  }

  /** @param of the function that draws */
  random(of: string): number {
    const name = `${this.scope.process?.name ?? 'outside'} ${of}`;
    let luck = this.#random.get(name);
    if (luck === undefined) {
      const letters = Array.from(name, (letter) => letter.charCodeAt(0));
      luck = new Luck(letters.reduce((sum, code) => Math.imul(sum, 31) + code, this.#seed + 1));
      this.#random.set(name, luck);
    }
    return luck.next();
  }

  /** The next random bytes of the process, of which nanoid keeps as many at once. */
  bytes(length: number): Uint8Array {
    const {process} = this.scope;
    const used = this.#used.get(process) ?? Math.floor(this.random('nanoid') * noise.length);
    this.#used.set(process, used + length);
    const start = used % (noise.length - length);
    return noise.subarray(start, start + length);
  }

  /** What nanoid has kept was drawn by the process of this scope. The next one gets its own, and this one goes on later. */
  #leave(): void {
    const {process} = this.scope;
    const used = this.#used.get(process);
    const kept = poolSize - random(0).byteOffset;
    random(poolSize);
    if (used !== undefined) this.#used.set(process, used - kept);
  }

  /** Runs until nothing is due any more. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = (): Event | undefined => {
        try {
          return this.#next();
        } catch (error) {
          if (error instanceof Error) reject(error);
          return undefined;
        }
      };
      const step = (): void => {
        const event = next();
        if (event === undefined) {
          resolve();
        } else if ((this.#count += 1) > maxEvents) {
          reject(new Error('The run does not end.'));
        } else {
          this.now = event.time;
          if (this.scope.process !== event.scope.process) this.#leave();
          this.scope = event.scope;
          event.run?.();
          // Node.js empties the queue of promises before it begins a tick that was asked for there.
          queueMicrotask(() => {
            process.nextTick(step);
          });
        }
      };
      process.nextTick(step);
    });
  }

  #next(): Event | undefined {
    for (;;) {
      if ((this.#events.at(-1)?.time ?? Infinity) > this.now) {
        const chosen = this.idle?.();
        if (chosen) return {time: this.now, ...chosen};
      }
      const event = this.#events.pop();
      if (event === undefined) return undefined;
      const {process: owner} = event.scope;
      if (event.run === undefined || owner?.isDead) continue;
      if (owner === undefined || owner.stalledUntil <= event.time) return event;
      event.time = owner.stalledUntil;
      this.#insert(event);
    }
  }

  #insert(event: Event): void {
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.time ?? 0) <= event.time) index -= 1;
    this.#events.splice(index, 0, event);
  }
}

function toText(part: unknown): string {
  return typeof part === 'string' ? part : inspect(part, {breakLength: Infinity, depth: 4, maxStringLength: 300});
}

let current: Timeline | undefined;

/** Runs `work` in a timeline of its own. */
export async function simulated<Result>(timeline: Timeline, work: () => Promise<Result>): Promise<Result> {
  if (current !== undefined) throw new Error('Two runs at once');
  current = timeline;
  random(poolSize);
  try {
    return await work();
  } finally {
    current = undefined;
  }
}

/** Replaces a function while a timeline is current. */
function replace<Holder extends object>(
  holder: Holder,
  functions: Partial<Record<keyof Holder, (timeline: Timeline, ...values: never[]) => unknown>>,
): void {
  for (const [name, instead] of Object.entries(functions) as Array<[keyof Holder, (...values: unknown[]) => unknown]>) {
    const real = holder[name] as (...values: unknown[]) => unknown;
    const replaced = function (this: unknown, ...values: unknown[]): unknown {
      return current === undefined ? Reflect.apply(real, this, values) : instead(current, ...values);
    };
    Object.assign(holder, {[name]: Object.assign(replaced, real)});
  }
}

function cancel(_: Timeline, event?: Event): void {
  if (event) event.run = undefined;
}

/** A timer as a promise, which rejects when its signal aborts. */
function promised(timeline: Timeline, delay: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel(timeline, event);
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    const event = timeline.after(delay, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, {once: true});
  });
}

function refill(timeline: Timeline, pool: Uint8Array): Uint8Array {
  if (pool.length !== poolSize) throw new Error('Import timeline.ts before anything that uses nanoid');
  pool.set(timeline.bytes(poolSize));
  return pool;
}

function fill<Bytes extends Uint8Array>(timeline: Timeline, of: string, bytes: Bytes): Bytes {
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = timeline.random(of) * 256;
  return bytes;
}

type Signal = {signal?: AbortSignal} | undefined;

for (const owner of [globalThis, timers]) {
  replace(owner, {
    setTimeout: (timeline, work: () => void, delay = 0) =>
      Object.assign(timeline.after(delay, work), {unref: () => undefined}),
    setImmediate: (timeline, work: () => void) => timeline.after(0, work),
    clearTimeout: cancel,
    clearImmediate: cancel,
  });
}
replace(timersPromises, {
  setTimeout: (timeline, delay = 0, value?: unknown, {signal}: Signal = {}) => promised(timeline, delay, value, signal),
  setImmediate: (timeline, value?: unknown, {signal}: Signal = {}) => promised(timeline, 0, value, signal),
});
const realNow = performance.now.bind(performance);
replace(performance, {now: (timeline) => (timeline.isEngineRunning ? realNow() : timeline.now)});
replace(Date, {now: (timeline) => timeline.dateOf(timeline.scope.process)});
replace(Math, {random: (timeline) => timeline.random('random')});
replace(webcrypto, {getRandomValues: refill});
replace(crypto, {
  randomBytes: (timeline, size: number) => fill(timeline, 'randomBytes', Buffer.alloc(size)),
  // Twenty bytes are more than a UUID has, and nobody looks at its form.
  randomUUID: (timeline) => fill(timeline, 'randomUUID', Buffer.alloc(20)).toString('hex').slice(0, 36),
  randomInt: (timeline, max: number) => Math.floor(timeline.random(`randomInt ${max}`) * max),
  // At once, because the processes of a world share the queue of hashes, which a dead process would block.
  scrypt: (_: Timeline, secret: string, salt: string, length: number, ...rest: unknown[]) => {
    const done = rest.at(-1) as (error: null, key: Buffer) => void;
    done(null, createHash('shake256', {outputLength: length}).update(`${secret} `).update(salt).digest());
  },
});
syncBuiltinESMExports();
// The first use decides how many random bytes nanoid keeps.
nanoid(64);
