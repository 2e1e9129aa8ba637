import {isDeepStrictEqual} from 'node:util';
import type {KeyvStoreAdapter} from 'keyv';
import type {Driver, DriverSettings} from './driver.ts';
import {asError, noAnswer, within} from './failure.ts';
import type {DailyTally, Tally, VisitBatch} from './port.ts';
import {addToTallyText, readDailyTally, readTally} from './tally.ts';

/** By adapter and key the last operation that has the key to itself, so that two shorteners over one adapter agree. */
const linesByAdapter = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Any storage adapter of Keyv. Keyv has no put-if-absent, so operations on one key stand in line: exact as long as one
 * process uses the store. An adapter that reports a failure at all, by rejecting or by an `error` event, fails the
 * operation; one that hides it cannot be told from one that has no record. A write that the adapter never settles
 * keeps its key closed, because it may still happen.
 */
export class KeyvDriver implements Driver {
  readonly guarantee = 'process';
  readonly keepsObjects = true;
  readonly #adapter: KeyvStoreAdapter;
  readonly #timeout: number;
  readonly #lines: Map<string, Promise<unknown>>;
  #errors = 0;
  #lastError: unknown;

  readonly #onError = (error: unknown): void => {
    this.#errors += 1;
    this.#lastError = error;
  };

  constructor(adapter: KeyvStoreAdapter, {timeout}: DriverSettings) {
    this.#adapter = adapter;
    this.#timeout = timeout;
    this.#lines = linesByAdapter.get(adapter) ?? new Map<string, Promise<unknown>>();
    linesByAdapter.set(adapter, this.#lines);
    // Not every adapter is an emitter, whatever its type says.
    (adapter as Partial<KeyvStoreAdapter>).on?.('error', this.#onError);
  }

  get(key: string): Promise<unknown> {
    return within(this.#timeout, this.#read(key));
  }

  getMany(keys: readonly string[]): Promise<unknown[]> {
    return within(this.#timeout, this.#readMany(keys));
  }

  insert(key: string, record: unknown): Promise<boolean> {
    return this.#alone(key, async (write) => {
      if ((await this.#read(key)) !== undefined) return false;
      await write(record);
      return true;
    });
  }

  replace(key: string, expected: unknown, record: unknown): Promise<boolean> {
    return this.#alone(key, async (write) => {
      if (!isDeepStrictEqual(await this.#read(key), expected)) return false;
      await write(record);
      return true;
    });
  }

  remove(key: string): Promise<void> {
    return this.#alone(key, async () => {
      await this.#call(() => this.#adapter.delete(key));
    });
  }

  increment(key: string): Promise<number> {
    return this.#alone(key, async (write) => {
      const next = Number((await this.#read(key)) ?? 0) + 1;
      await write(String(next));
      return next;
    });
  }

  async current(key: string): Promise<number> {
    return Number((await this.get(key)) ?? 0);
  }

  async addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    await Promise.all(
      additions.map((addition) =>
        this.#alone(addition.key, async (write) => {
          const text = addToTallyText(textOf(await this.#read(addition.key)), writer, number, addition);
          if (text !== undefined) await write(text);
        }),
      ),
    );
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    return (await this.getMany(keys)).map((record) => readTally(textOf(record)));
  }

  async getDailyTally(key: string): Promise<DailyTally> {
    return readDailyTally(textOf(await this.get(key)));
  }

  async ping(): Promise<void> {
    await this.get('ping');
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

  async #readMany(keys: readonly string[]): Promise<unknown[]> {
    const adapter = this.#adapter;
    if (!adapter.getMany) return Promise.all(keys.map((key) => this.#read(key)));
    const says = (records: unknown): boolean => Array.isArray(records) && records.every((record) => record != null);
    const records = await this.#call(() => adapter.getMany?.([...keys]) ?? [], says);
    return keys.map((_, index) => records[index] ?? undefined);
  }

  /** Asks the adapter, and takes its word that there is nothing only if it reported no error meanwhile. */
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

  /** Lets `work` have the key to itself. When its time is up it no longer writes. */
  #alone<Result>(key: string, work: (write: (record: unknown) => Promise<void>) => Promise<Result>): Promise<Result> {
    let late = false;
    const write = async (record: unknown): Promise<void> => {
      if (late) throw noAnswer(this.#timeout);
      const stored: unknown = await this.#call(
        () => this.#adapter.set(key, record) as unknown,
        (result) => result === true,
      );
      if (stored === false) throw adapterFailure(new Error('it did not store the record'));
    };
    const turn = (this.#lines.get(key) ?? Promise.resolve()).then(() => {
      if (late) throw noAnswer(this.#timeout);
      return work(write);
    });
    const end = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#lines.set(key, end);
    void end.then(() => {
      if (this.#lines.get(key) === end) this.#lines.delete(key);
    });
    return within(this.#timeout, turn).catch((error: unknown) => {
      late = true;
      throw error;
    });
  }
}

/** Some adapters parse what looks like JSON. */
function textOf(record: unknown): string | undefined {
  return record === undefined || typeof record === 'string' ? record : JSON.stringify(record);
}

/** Plain, whatever it was: a `TypeError` of the adapter, such as `fetch failed`, is no fault of ours. */
function adapterFailure(error: unknown): Error {
  return new Error(`The Keyv adapter failed: ${asError(error).message}`, {cause: error});
}
