import {ShortUrlError} from '../errors.ts';
import type {Codec} from './codec.ts';
import type {Answer, Driver} from './driver.ts';
import {operationFailure} from './failure.ts';
import type {Entry, Store, Tally, VisitBatch} from './port.ts';

/** The port over a driver: it makes whole keys, turns values into records, and has one error for every failure. */
export class GuardedStore implements Store {
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  readonly #codec: Codec;
  readonly #keyOf: (key: string) => string;
  #closing: Promise<void> | undefined;

  constructor(driver: Driver, codec: Codec, keyOf: (key: string) => string) {
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    this.#codec = codec;
    this.#keyOf = keyOf;
  }

  async get<Value>(key: string): Promise<Entry<Value> | undefined> {
    return this.#entry<Value>(await this.#ask((driver) => driver.get(this.#keyOf(key))));
  }

  async getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>> {
    if (keys.length === 0) return [];
    const records = await this.#ask((driver) => driver.getMany(keys.map(this.#keyOf)));
    return Promise.all(records.map(async (record) => this.#entry<Value>(record)));
  }

  async insert(key: string, value: unknown): Promise<boolean> {
    const record = await this.#codec.encode(value);
    return this.#ask((driver) => driver.insert(this.#keyOf(key), record));
  }

  async replace(key: string, revision: unknown, value: unknown): Promise<boolean> {
    const record = await this.#codec.encode(value);
    return this.#ask((driver) => driver.replace(this.#keyOf(key), revision, record));
  }

  remove(key: string): Promise<void> {
    return this.#ask((driver) => driver.remove(this.#keyOf(key)));
  }

  increment(key: string): Promise<number> {
    return this.#ask((driver) => driver.increment(this.#keyOf(key)));
  }

  current(key: string): Promise<number> {
    return this.#ask((driver) => driver.current(this.#keyOf(key)));
  }

  addVisits({writer, number, additions}: VisitBatch): Promise<void> {
    const whole = additions.map(({key, visits, lastVisit}) => ({key: this.#keyOf(key), visits, lastVisit}));
    return this.#ask((driver) => driver.addVisits({writer, number, additions: whole}));
  }

  async getTallies(keys: readonly string[]): Promise<Tally[]> {
    if (keys.length === 0) return [];
    return [...(await this.#ask((driver) => driver.getTallies(keys.map(this.#keyOf))))];
  }

  ping(): Promise<void> {
    return this.#ask((driver) => driver.ping());
  }

  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#driver.close());
    return this.#closing;
  }

  async #ask<Result>(question: (driver: Driver) => Answer<Result>): Promise<Result> {
    if (this.#closing) throw new ShortUrlError('store_unavailable', 'The store is closed.', {retryAfter: 1});
    try {
      return await question(this.#driver);
    } catch (error) {
      throw operationFailure(error);
    }
  }

  /** Outside of `#ask`: a record that cannot be read is not an outage. */
  async #entry<Value>(record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    return {value: (await this.#codec.decode(record)) as Value, revision: record};
  }
}
