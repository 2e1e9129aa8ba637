import {isDeepStrictEqual} from 'node:util';
import type {KeyvStoreAdapter} from 'keyv';
import {addTo, noCounters, parseCounters, readCounters, removeFrom, type StoredCounters} from './counting.ts';
import {asError, type Deadline, noAnswer} from './deadline.ts';
import {type Driver, nextCounter} from './driver.ts';
import type {Addition, Batch, Counters} from './port.ts';

const shared = Symbol.for('koa-short-url.lines');
type Lines = Map<string, Promise<unknown>>;

/**
 * By adapter and key the last operation that has the key to itself, so that two shorteners over one adapter agree, also
 * where the process has loaded two copies of this package.
 */
const linesByAdapter = (Reflect.get(globalThis, shared) ?? new WeakMap()) as WeakMap<object, Lines>;
Reflect.set(globalThis, shared, linesByAdapter);

/** A batch and the places of its additions that were counted. */
type Taken = readonly [writer: string, number: number, places: readonly number[]];

/** The counters of a key, and of the last writers the last batch that added to them. */
interface CountersRecord extends StoredCounters {
  taken?: readonly Taken[];
}

/** Writers that a key remembers: as many shorteners of one process may share the adapter. */
const maxWriters = 4;

/**
 * Any storage adapter of Keyv. Keyv has no put-if-absent, so operations on one key stand in line: exact as long as one
 * process uses the store. An adapter that reports a failure at all, by rejecting or by an `error` event, fails the
 * operation; one that hides it cannot be told from one that has no record. A write that the adapter never settles keeps
 * its key closed, because it may still happen.
 */
export class KeyvDriver implements Driver {
  readonly guarantee = 'process';
  readonly keepsObjects = true;
  readonly isRemote = false;
  readonly #adapter: KeyvStoreAdapter;
  readonly #lines: Lines;
  #errors = 0;
  #lastError: unknown;

  readonly #onError = (error: unknown): void => {
    this.#errors += 1;
    this.#lastError = error;
  };

  constructor(adapter: KeyvStoreAdapter) {
    this.#adapter = adapter;
    this.#lines = linesByAdapter.get(adapter) ?? (new Map() as Lines);
    linesByAdapter.set(adapter, this.#lines);
    // Not every adapter is an emitter, whatever its type says.
    (adapter as Partial<KeyvStoreAdapter>).on?.('error', this.#onError);
  }

  async read(keys: readonly string[]): Promise<unknown[]> {
    const adapter = this.#adapter;
    if (keys.length === 1 || !adapter.getMany) return Promise.all(keys.map((key) => this.#read(key)));
    const says = (records: unknown): boolean => Array.isArray(records) && records.every((record) => record != null);
    const records = await this.#call(() => adapter.getMany?.([...keys]) ?? [], says);
    return keys.map((_, index) => records[index] ?? undefined);
  }

  insert(rows: ReadonlyArray<readonly [key: string, record: unknown]>, deadline: Deadline): Promise<boolean[]> {
    const insert = async ([key, record]: readonly [string, unknown]): Promise<boolean> => {
      if ((await this.#read(key)) !== undefined) return false;
      await this.#write(key, record, deadline);
      return true;
    };
    return Promise.all(rows.map((row) => this.#alone(row[0], deadline, () => insert(row))));
  }

  replace(key: string, expected: unknown, record: unknown, deadline: Deadline): Promise<boolean> {
    return this.#alone(key, deadline, async () => {
      if (!isDeepStrictEqual(await this.#read(key), expected)) return false;
      await this.#write(key, record, deadline);
      return true;
    });
  }

  remove(key: string, deadline: Deadline): Promise<void> {
    return this.#alone(key, deadline, async () => {
      await this.#call(() => this.#adapter.delete(key));
    });
  }

  count(batch: Batch, deadline: Deadline): Promise<boolean[]> {
    const count = async (addition: Addition, place: number): Promise<boolean> => {
      const {link, counters} = addition;
      const isUnchanged = link === undefined || isDeepStrictEqual(await this.#read(link.key), link.revision);
      let isCounted = isUnchanged;
      for (const key of counters) {
        // What was added to the first key is added to the others too, also if the link has changed since a failure.
        const decided = {batch, place, isUnchanged: isCounted, deadline};
        isCounted = await this.#alone(key, deadline, () => this.#addOnce(key, addition, decided));
        if (!isCounted) return false;
      }
      return true;
    };
    return Promise.all(
      batch.additions.map((addition, place) => {
        const {link} = addition;
        // The link is kept to itself, so that no change comes between the look at it and the addition.
        return link ? this.#alone(link.key, deadline, () => count(addition, place)) : count(addition, place);
      }),
    );
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const step = async (key: string, by: number): Promise<number> => {
      const stored = await this.#readCounters(key);
      addTo(stored, {add: {[nextCounter]: by}, at: 0});
      await this.#write(key, JSON.stringify(stored), deadline);
      return stored.counts[nextCounter] ?? 0;
    };
    return Promise.all(steps.map(([key, by]) => this.#alone(key, deadline, () => step(key, by))));
  }

  async getCounters(keys: readonly string[], names: readonly string[] | undefined): Promise<Counters[]> {
    return (await this.read(keys)).map((record) => readCounters(parseCounters(record), names));
  }

  removeCounters(key: string, names: readonly string[], deadline: Deadline): Promise<void> {
    return this.#alone(key, deadline, async () => {
      const stored = await this.#readCounters(key);
      removeFrom(stored, names);
      await this.#write(key, JSON.stringify(stored), deadline);
    });
  }

  async ping(): Promise<void> {
    await this.#read('ping');
  }

  close(): void {
    (this.#adapter as {off?: (event: string, listener: (error: unknown) => void) => void}).off?.(
      'error',
      this.#onError,
    );
  }

  async #read(key: string): Promise<unknown> {
    return (await this.#call(() => this.#adapter.get<unknown>(key))) ?? undefined;
  }

  async #readCounters(key: string): Promise<CountersRecord> {
    return parseCounters(await this.#read(key)) ?? noCounters();
  }

  async #write(key: string, record: unknown, deadline: Deadline): Promise<void> {
    if (deadline.isExpired) throw noAnswer(deadline.timeout);
    const stored: unknown = await this.#call(
      () => this.#adapter.set(key, record) as unknown,
      (result) => result === true,
    );
    if (stored === false) throw adapterFailure(new Error('it did not store the record'));
  }

  /** Adds unless the batch has done so before; then the answer is the one it was given. */
  async #addOnce(
    key: string,
    addition: Addition,
    {batch, place, isUnchanged, deadline}: {batch: Batch; place: number; isUnchanged: boolean; deadline: Deadline},
  ): Promise<boolean> {
    const stored = await this.#readCounters(key);
    const others = (stored.taken ?? []).filter(([writer]) => writer !== batch.writer);
    const [, number, places] = stored.taken?.find(([writer]) => writer === batch.writer) ?? [batch.writer, 0, []];
    const before = number === batch.number ? places : [];
    if (before.includes(place)) return true;
    if (!isUnchanged || number > batch.number) return false;
    addTo(stored, addition);
    stored.taken = [[batch.writer, batch.number, [...before, place]] as const, ...others].slice(0, maxWriters);
    await this.#write(key, JSON.stringify(stored), deadline);
    return true;
  }

  /** Asks the adapter, and believes that there is nothing only if it reported no error meanwhile. */
  async #call<Result>(
    question: () => Result | Promise<Result>,
    saysSomething: (result: unknown) => boolean = (result) => result != null && result !== false,
  ): Promise<Result> {
    const errors = this.#errors;
    let result: Result;
    try {
      result = await question();
    } catch (error) {
      throw adapterFailure(error);
    }
    if (this.#errors !== errors && !saysSomething(result)) throw adapterFailure(this.#lastError);
    return result;
  }

  /** Lets `work` have the key to itself; not any more once the deadline has expired. */
  #alone<Result>(key: string, deadline: Deadline, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#lines.get(key) ?? Promise.resolve()).then(() => {
      if (deadline.isExpired) throw noAnswer(deadline.timeout);
      return work();
    });
    const end = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#lines.set(key, end);
    void end.then(() => {
      if (this.#lines.get(key) === end) this.#lines.delete(key);
    });
    return turn;
  }
}

/** Plain, whatever it was: a `TypeError` of the adapter, such as `fetch failed`, is no fault of ours. */
function adapterFailure(error: unknown): Error {
  return new Error(`The Keyv adapter failed: ${asError(error).message}`, {cause: error});
}
