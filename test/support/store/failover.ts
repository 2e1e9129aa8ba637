import {setTimeout as delay} from 'node:timers/promises';
import test from 'ava';
import type {StoreSettings} from '../../../src/store/opening/open.ts';
import type {Store} from '../../../src/store/port.ts';
import {run} from './run.ts';
import {eventually} from './eventually.ts';
import type {RedisServer} from './redis-server.ts';

interface FailoverEngine {
  readonly title: string;
  readonly open: (settings: StoreSettings) => Store;
  /** A master for some of the keys, with a replica that is up to date. */
  readonly begin: () => Promise<{master: RedisServer; mend: () => Promise<void>}>;
  readonly skip?: string | undefined;
}

/** An acknowledged result, and its time. */
interface Acknowledged<Value> {
  readonly value: Value;
  readonly at: number;
}

const timeout = 1000;
const callers = 8;
/** Milliseconds. Replication is asynchronous, so writes acknowledged this shortly before a master's death may be lost. */
const replicationDelay = 1000;

/** Kills a master under load, and checks what must hold before, during and after. */
export function testFailover({title, open, begin, skip}: FailoverEngine): void {
  const check = skip === undefined ? test.serial : test.serial.skip;

  check(`${title} a master that is killed under load is replaced, and only its last second may be lost`, async (t) => {
    const {master, mend} = await begin();
    const errors: Error[] = [];
    const store = open({namespace: `${run}-failover`, timeout, onOutage: (error) => errors.push(error)});
    t.teardown(() => store.close());
    await store.ping();
    const load = new Load(store);
    t.teardown(() => {
      load.stop();
    });
    const working = load.start();
    await load.acknowledges(500);
    const killedAt = performance.now();
    await master.kill();
    await eventually(() => load.works());
    const servedAt = performance.now();
    await load.acknowledges(500);
    load.stop();
    await working;
    await mend();

    t.deepEqual(load.otherFailures, [], 'every failure is an outage');
    t.true(load.maxWait < timeout + 1000, `no caller waited longer than ${load.maxWait} ms`);
    t.is(errors.length, 1, 'the outage is reported once');
    t.true(load.failures > 0);

    const isSafe = ({at}: Acknowledged<unknown>): boolean => at < killedAt - replicationDelay || at > servedAt;
    const entries = await store.getMany<number>(load.inserted.map(({value}) => `insert-${value}`));
    const lost = load.inserted.filter((_, index) => entries[index]?.value !== load.inserted[index]?.value);
    t.deepEqual(lost.filter(isSafe), []);

    let twice = 0;
    for (const numbers of load.numbers.values()) {
      const safe = numbers.filter(isSafe).map(({value}) => value);
      t.is(new Set(safe).size, safe.length, 'no number was given twice');
      twice += numbers.length - new Set(numbers.map(({value}) => value)).size;
    }

    const counters = await store.getCounters(load.counters, ['visits']);
    const counted = counters.reduce((sum, {counts}) => sum + (counts.get('visits') ?? 0), 0);
    t.true(counted <= load.visitsSent, 'no visit counts twice');
    t.true(counted >= load.visits.filter(isSafe).length);
    t.log(
      `served again after ${Math.round(servedAt - killedAt)} ms; ${load.failures} calls refused, the longest took ` +
        `${Math.round(load.maxWait)} ms; of ${load.inserted.length} records acknowledged ${lost.length} lost, of ` +
        `${load.visits.length} visits ${Math.max(0, load.visits.length - counted)}; ${twice} numbers given twice`,
    );
  });

  check(`${title} a silent master is replaced, and the store recovers by itself`, async (t) => {
    const {master} = await begin();
    const store = open({namespace: `${run}-silent`, timeout});
    t.teardown(() => store.close());
    await store.ping();
    master.freeze();
    t.teardown(() => {
      master.thaw();
    });
    const keys = Array.from({length: 60}, (_, index) => `silent-${index}`);
    const start = performance.now();
    for (const result of await Promise.allSettled(keys.map((key) => store.insert(key, 1)))) {
      if (result.status === 'rejected') t.like(result.reason, {code: 'store_unavailable'});
    }
    t.true(performance.now() - start < timeout + 1000);
    await eventually(async () => {
      await Promise.all(keys.map((key) => store.insert(`${key}-after`, 1)));
    });
    t.pass();
  });
}

/** Callers that insert, count and visit all the time, and record the results. */
class Load {
  readonly inserted: Array<Acknowledged<number>> = [];
  readonly numbers = new Map<string, Array<Acknowledged<number>>>();
  readonly visits: Array<Acknowledged<number>> = [];
  readonly counters = Array.from({length: 20}, (_, index) => `counters-${index}`);
  readonly otherFailures: unknown[] = [];
  visitsSent = 0;
  failures = 0;
  maxWait = 0;
  #next = 0;
  #isOver = false;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({length: callers}, (_, caller) => this.#work(caller)));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Resolves after so many more inserts were acknowledged. */
  async acknowledges(count: number): Promise<void> {
    const goal = this.inserted.length + count;
    await eventually(async () => {
      if (this.inserted.length < goal) throw new Error(`${goal - this.inserted.length} inserts are missing`);
    });
  }

  /** Reads keys on every server. */
  async works(): Promise<void> {
    await Promise.all(Array.from({length: 60}, (_, index) => this.#store.increment(`works-${index}`)));
  }

  async #work(caller: number): Promise<void> {
    for (let round = 1; !this.#isOver; round += 1) {
      const number = (this.#next += 1);
      const sequence = `sequence-${number % 10}`;
      await Promise.all([
        this.#ask(this.#store.insert(`insert-${number}`, number), (isNew, at) => {
          if (isNew) this.inserted.push({value: number, at});
          else this.otherFailures.push(`insert-${number} was said to be there`);
        }),
        this.#ask(this.#store.increment(sequence), (value, at) => {
          this.numbers.set(sequence, [...(this.numbers.get(sequence) ?? []), {value, at}]);
        }),
        this.#visit(caller, round),
      ]);
    }
  }

  /** Like the visit log: a batch is sent until it is accepted. */
  async #visit(caller: number, number: number): Promise<void> {
    const key = this.counters[number % this.counters.length] ?? '';
    const batch = {
      writer: `caller-${caller}`,
      number,
      additions: [{keys: [key], adds: [{visits: 1}], at: number}],
    };
    this.visitsSent += 1;
    const isTaken = (): Promise<boolean> =>
      this.#ask(this.#store.count(batch), (_, at) => {
        this.visits.push({value: number, at});
      });
    while (!this.#isOver && !(await isTaken()));
  }

  /** @returns whether there was an answer */
  async #ask<Result>(answer: Promise<Result>, note: (result: Result, at: number) => void): Promise<boolean> {
    const start = performance.now();
    try {
      note(await answer, performance.now());
      return true;
    } catch (error) {
      this.failures += 1;
      if ((error as {code?: unknown}).code !== 'store_unavailable') this.otherFailures.push(error);
      // Like a caller that was refused.
      await delay(5);
      return false;
    } finally {
      this.maxWait = Math.max(this.maxWait, performance.now() - start);
    }
  }
}
