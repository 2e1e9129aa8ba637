import {ShortUrlError} from '../errors.ts';
import type {Codec} from './codec.ts';
import type {Answer, Driver} from './driver.ts';
import {operationFailure} from './failure.ts';
import type {DailyTally, Entry, Store, Tally, VisitBatch} from './port.ts';

/** The port over a driver: it makes whole keys, turns values into records, and has one error for every failure. */
export class GuardedStore implements Store {
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  readonly #codec: Codec;
  readonly #keyOf: (key: string) => string;
  #closing: Promise<void> | undefined;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(driver: Driver, codec: Codec, keyOf: (key: string) => string) {
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    this.#codec = codec;
    this.#keyOf = keyOf;
  }

  async get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    const record = await this.#ask((driver) => driver.get(this.#keyOf(key)));
    // An object may have been changed within; text cannot.
    if (typeof record === 'string' && record === known?.revision) return known;
    return this.#entry<Value>(record);
  }

  async getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>> {
    if (keys.length === 0) return [];
    const records = await this.#ask((driver) => driver.getMany(keys.map(this.#keyOf)));
    return Promise.all(records.map(async (record) => this.#entry<Value>(record)));
  }

  insert(key: string, value: unknown): Promise<boolean> {
    return this.#ask(async (driver) => driver.insert(this.#keyOf(key), await this.#record(value)));
  }

  replace(key: string, revision: unknown, value: unknown): Promise<boolean> {
    return this.#ask(async (driver) => driver.replace(this.#keyOf(key), revision, await this.#record(value)));
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

  getDailyTally(key: string): Promise<DailyTally> {
    return this.#ask((driver) => driver.getDailyTally(this.#keyOf(key)));
  }

  ping(): Promise<void> {
    return this.#ask((driver) => driver.ping());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** What has begun still comes to its end; no driver lets that take longer than its time limit. */
  async #close(): Promise<void> {
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await this.#driver.close();
  }

  async #ask<Result>(question: (driver: Driver) => Answer<Result>): Promise<Result> {
    if (this.#closing) throw new ShortUrlError('store_unavailable', 'The store is closed.', {retryAfter: 1});
    this.#underWay += 1;
    try {
      return await question(this.#driver);
    } catch (error) {
      throw operationFailure(error);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  /** What cannot be written is the program's fault, whatever the host's own serializer throws. */
  async #record(value: unknown): Promise<unknown> {
    try {
      return await this.#codec.encode(value);
    } catch (error) {
      throw new TypeError('A value could not be serialized', {cause: error});
    }
  }

  /** Outside of `#ask`: a record that cannot be read is not an outage. */
  async #entry<Value>(record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    return {value: (await this.#codec.decode(record)) as Value, revision: record};
  }
}
