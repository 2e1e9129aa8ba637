import {isDeepStrictEqual} from 'node:util';
import type {KeyvStoreAdapter} from 'keyv';
import {
  addTo,
  isCounters,
  noCounters,
  parseCounters,
  readCounters,
  removeFrom,
  setIn,
  type StoredCounters,
} from '../../batching/counting.ts';
import {asError, type Deadline, noAnswer} from '../../failing/deadline.ts';
import type {CounterRows, Driver, Listing, RecordRow} from '../../driver.ts';
import {type Addition, type Batch, type Counters, type Increments, type KeyKind, nextCounter} from '../../port.ts';

const shared = Symbol.for('koa-short-url.lines');
type Lines = Map<string, Promise<unknown>>;

/**
 * The last exclusive operation by adapter and key. It is shared by all shorteners of the process, also by those of another
 * copy of this package.
 */
const linesByAdapter = (Reflect.get(globalThis, shared) ?? new WeakMap()) as WeakMap<object, Lines>;
Reflect.set(globalThis, shared, linesByAdapter);

/** A batch and the indexes of its additions that were counted. */
type Taken = readonly [writer: string, number: number, indexes: readonly number[]];

/** The counters of a key, and the last batch of each of the latest writers. */
interface CountersRecord extends StoredCounters {
  taken?: readonly Taken[];
}

interface Part {
  readonly index: number;
  readonly add: Increments;
  readonly at: number;
}

const entriesAtOnce = 500;

type Entries = AsyncIterator<readonly [key: string, record: unknown, ...rest: unknown[]]>;

/**
 * The maximum number of writers that a key remembers: of one batch, such as conversions, and of several, which are the
 * shorteners of one process over an adapter. Many conversions at once must not push these out.
 */
const maxWriters = 4;

/**
 * Any storage adapter of Keyv. Keyv has no put-if-absent, so operations on one key run in a queue. They are exact if only
 * one process uses the store. If the adapter reports a failure, by a rejection or an `error` event, the operation fails.
 * A failure that it hides looks like an absent record. A write that the adapter never settles blocks its key, because it
 * may still happen.
 */
export class KeyvDriver implements Driver {
  readonly engine = 'keyv';
  readonly guarantee = 'process';
  readonly isRemote = false;
  readonly #adapter: KeyvStoreAdapter;
  /** Whether it takes the moment at which a record expires, as in Keyv 6, and not its life. */
  readonly #takesMoment: boolean;
  readonly #lines: Lines;
  #errors = 0;
  #lastError: unknown;

  readonly #onError = (error: unknown): void => {
    this.#errors += 1;
    this.#lastError = error;
  };

  constructor(adapter: KeyvStoreAdapter) {
    this.#adapter = adapter;
    this.#takesMoment = (adapter as {capabilities?: {expires?: unknown}}).capabilities?.expires === true;
    this.#lines = linesByAdapter.get(adapter) ?? (new Map() as Lines);
    linesByAdapter.set(adapter, this.#lines);
    // Not every adapter is an emitter, although its type says so.
    (adapter as Partial<KeyvStoreAdapter>).on?.('error', this.#onError);
  }

  async read(keys: readonly string[]): Promise<unknown[]> {
    const adapter = this.#adapter;
    if (keys.length === 1 || !adapter.getMany) return Promise.all(keys.map((key) => this.#read(key)));
    const says = (records: unknown): boolean => Array.isArray(records) && records.every((record) => record != null);
    const records = await this.#call(() => adapter.getMany?.([...keys]) ?? [], says);
    return keys.map((_, index) => records[index] ?? undefined);
  }

  insert(rows: readonly RecordRow[], deadline: Deadline): Promise<boolean[]> {
    return Promise.all(rows.map((row) => this.replace(row, undefined, deadline)));
  }

  replace(row: RecordRow, expected: unknown, deadline: Deadline): Promise<boolean> {
    return this.#alone(row[0], deadline, async () => {
      if (!isDeepStrictEqual(await this.#read(row[0]), expected)) return false;
      await this.#write(row, deadline);
      return true;
    });
  }

  remove(key: string, deadline: Deadline): Promise<void> {
    return this.#alone(key, deadline, () => this.#write([key, undefined], deadline));
  }

  /** Adds to the other keys what was added to the first one, also if the link has changed since a failure. */
  async count(batch: Batch, deadline: Deadline): Promise<boolean[]> {
    const decide = async ({link, keys, adds, at}: Addition, index: number): Promise<boolean> => {
      const isUnchanged = link === undefined || isDeepStrictEqual(await this.#read(link.key), link.revision);
      const [[key = ''], [add = {}]] = [keys, adds];
      return this.#addOnce(key, [{index, add, at}], {batch, isUnchanged, deadline});
    };
    const counted = await Promise.all(
      batch.additions.map((addition, index) => {
        const {link} = addition;
        // The link is locked, so that it cannot change between the check and the addition.
        return link ? this.#alone(link.key, deadline, () => decide(addition, index)) : decide(addition, index);
      }),
    );
    const others = new Map<string, Part[]>();
    for (const [index, {keys, adds, at}] of batch.additions.entries()) {
      if (counted[index] !== true) continue;
      for (const [place, key] of keys.slice(1).entries()) {
        others.set(key, [...(others.get(key) ?? []), {index, add: adds[place + 1] ?? {}, at}]);
      }
    }
    await Promise.all(
      Array.from(others, ([key, parts]) => this.#addOnce(key, parts, {batch, isUnchanged: true, deadline})),
    );
    return counted;
  }

  increment(steps: ReadonlyArray<readonly [key: string, by: number]>, deadline: Deadline): Promise<number[]> {
    const step = async (key: string, by: number): Promise<number> => {
      const stored = await this.#readCounters(key);
      addTo(stored, {[nextCounter]: by}, 0);
      await this.#write([key, JSON.stringify(stored)], deadline);
      return stored.counts[nextCounter] ?? 0;
    };
    return Promise.all(steps.map(([key, by]) => this.#alone(key, deadline, () => step(key, by))));
  }

  async getCounters(keys: readonly string[], names: readonly string[] | undefined): Promise<Counters[]> {
    return (await this.read(keys)).map((record) => readCounters(parseCounters(record), names));
  }

  removeCounters(key: string, names: readonly string[] | undefined, deadline: Deadline): Promise<void> {
    if (names === undefined) return this.remove(key, deadline);
    return this.#alone(key, deadline, async () => {
      const stored = await this.#readCounters(key);
      removeFrom(stored, names);
      await this.#write([key, JSON.stringify(stored)], deadline);
    });
  }

  async setCounters(rows: CounterRows, deadline: Deadline): Promise<void> {
    const set = async (key: string, counters: Counters): Promise<void> => {
      const stored = await this.#readCounters(key);
      setIn(stored, counters);
      await this.#write([key, JSON.stringify(stored)], deadline);
    };
    await Promise.all(rows.map(([key, counters]) => this.#alone(key, deadline, () => set(key, counters))));
  }

  keys(kind: KeyKind, prefix: string): Listing {
    const entries = this.#adapter.iterator?.(this.#adapter.namespace) as Entries | undefined;
    if (entries === undefined) {
      throw new TypeError('The Keyv adapter of the store cannot list its keys: it has no `iterator`');
    }
    const next = async (): Promise<readonly string[] | undefined> => {
      const keys: string[] = [];
      for (let count = 0; count < entriesAtOnce; count += 1) {
        const entry = await entries.next();
        if (entry.done === true) return count === 0 ? undefined : keys;
        const [key, record] = entry.value;
        if (key.startsWith(prefix) && isCounters(record) === (kind === 'counters')) keys.push(key);
      }
      return keys;
    };
    return () => this.#call(next);
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

  /** An adapter that ignores the life of a record keeps it. */
  async #write([key, record, life]: RecordRow, deadline: Deadline): Promise<void> {
    if (deadline.isExpired) throw noAnswer(deadline.timeout);
    if (record === undefined) {
      await this.#call(() => this.#adapter.delete(key));
      return;
    }
    const start = this.#takesMoment ? Date.now() : 0;
    const stored: unknown = await this.#call(
      () => this.#adapter.set(key, record, life && start + life) as unknown,
      (result) => result === true,
    );
    if (stored === false) throw adapterFailure(new Error('it did not store the record'));
  }

  /** Adds what the batch has not added before. If it has added everything, returns the earlier result. */
  #addOnce(
    key: string,
    parts: readonly Part[],
    {batch, isUnchanged, deadline}: {batch: Batch; isUnchanged: boolean; deadline: Deadline},
  ): Promise<boolean> {
    return this.#alone(key, deadline, async () => {
      const stored = await this.#readCounters(key);
      const others = (stored.taken ?? []).filter(([writer]) => writer !== batch.writer);
      const [, number, indexes] = stored.taken?.find(([writer]) => writer === batch.writer) ?? [batch.writer, 0, []];
      const before = number === batch.number ? indexes : [];
      const fresh = parts.filter(({index}) => !before.includes(index));
      if (fresh.length === 0) return true;
      if (!isUnchanged || number > batch.number) return false;
      for (const {add, at} of fresh) addTo(stored, add, at);
      const taken: Taken = [batch.writer, batch.number, [...before, ...fresh.map(({index}) => index)]];
      const latest = [taken, ...others];
      stored.taken = [false, true].flatMap((isFirst) =>
        latest.filter(([, last]) => (last === 1) === isFirst).slice(0, maxWriters),
      );
      await this.#write([key, JSON.stringify(stored)], deadline);
      return true;
    });
  }

  /** Calls the adapter. Without a result the record counts as absent only if the adapter has reported no error. */
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

  /** Runs `work` with the key locked, unless the deadline has expired before. */
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

/** Converts to a plain error, because a `TypeError` of the adapter, such as `fetch failed`, is not our bug. */
function adapterFailure(error: unknown): Error {
  return new Error(`The Keyv adapter failed: ${asError(error).message}`, {cause: error});
}
