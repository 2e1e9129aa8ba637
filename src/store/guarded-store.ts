import {setImmediate} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {isThenable} from '../host/callback.ts';
import {ShortUrlError, toShortUrlError, unavailable} from '../host/errors.ts';
import {storeChannel, traced} from '../host/tracing.ts';
import {Availability} from './failing/availability.ts';
import {withWholeKeys} from './batching/batches.ts';
import type {Codec} from './codec.ts';
import {Deadline} from './failing/deadline.ts';
import {type Answer, type Driver, nextCounter} from './driver.ts';
import {incrementDistinct, insertDistinct, type Row} from './batching/distinct.ts';
import {operationFailure, outage} from './failing/failure.ts';
import {Gathered} from './batching/gathered.ts';
import type {Batch, Counters, Entry, Store, ToolStore} from './port.ts';

export interface GuardedStoreOptions {
  readonly codec: Codec;
  /** Adds the namespace to a key of the port. */
  readonly keyOf: (key: string) => string;
  /** How long one call of the driver may take, in milliseconds. */
  readonly timeout: number;
  /** Called once per outage, when it begins. */
  readonly onOutage: (error: ShortUrlError) => void;
  /** Called once for each record that is left out because it cannot be parsed. */
  readonly onUnreadable: (error: ShortUrlError) => void;
}

/** Records that are decoded before the event loop gets a turn, in about a millisecond. */
const decodedAtOnce = 100;

/** The most unreadable records whose reports are remembered. */
const maxUnreadable = 1000;

/**
 * The port over a driver. Every operation passes through it. It adds namespaces to keys, encodes values, sets deadlines,
 * tracks outages, and converts every failure to one error.
 */
export class GuardedStore implements Store {
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  protected readonly codec: Codec;
  /** Adds the namespace to a key of the port. */
  protected readonly keyOf: (key: string) => string;
  readonly #timeout: number;
  readonly #availability: Availability;
  readonly #onUnreadable: (error: ShortUrlError) => void;
  readonly #unreadable = new LRUCache<string, true>({max: maxUnreadable});
  readonly #reads = new Gathered((keys: readonly string[]) => this.#readEach(keys), false);
  readonly #inserts = new Gathered((rows: readonly Row[]) => this.#insertEach(rows), true);
  readonly #steps = new Gathered((keys: readonly string[]) => this.#incrementEach(keys), true);
  #closing: Promise<void> | undefined;
  readonly #onOutage: (error: ShortUrlError) => void;
  #isToldClosed = false;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(driver: Driver, {codec, keyOf, timeout, onOutage, onUnreadable}: GuardedStoreOptions) {
    this.engine = driver.engine;
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    this.codec = codec;
    this.keyOf = keyOf;
    this.#timeout = timeout;
    this.#onUnreadable = onUnreadable;
    this.#onOutage = onOutage;
    this.#availability = new Availability(
      async () => this.#call((driver, deadline) => driver.ping(deadline)),
      onOutage,
    );
    // Connects in the background, so that a wrong address is reported before the first request.
    this.ping().catch(() => undefined);
  }

  get isAway(): boolean {
    return this.#availability.isAway;
  }

  get awaySince(): number | undefined {
    return this.#availability.awaySince;
  }

  whenBack(): Promise<void> {
    return this.#availability.whenBack();
  }

  /** Called when the driver has lost its connection outside of an operation. */
  lost(error: Error): void {
    this.#availability.failed(outage(error));
  }

  async get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    const whole = this.keyOf(key);
    const record = this.#driver.isRemote
      ? await this.#begin('get', () => this.#reads.add(whole))
      : (await this.#begin('get', () => this.#readDistinct([whole])))[0];
    // Only text can be compared. An object may have been changed.
    if (typeof record === 'string' && record === known?.revision) return known;
    return this.#entry<Value>(key, record);
  }

  async getMany<Value>(keys: readonly string[]): Promise<Array<Entry<Value> | undefined>> {
    if (keys.length === 0) return [];
    const whole = keys.map(this.keyOf);
    const records = await this.#begin('getMany', () => this.#readEach(whole));
    const entryOf = (key: string, record: unknown): Promise<Entry<Value> | undefined> =>
      this.#entry<Value>(key, record).catch((error: unknown) => {
        this.#leaveOut(key, error);
        return undefined;
      });
    const entries: Array<Entry<Value> | undefined> = [];
    for (let start = 0; start < keys.length; start += decodedAtOnce) {
      if (start > 0) await setImmediate();
      const some = keys.slice(start, start + decodedAtOnce);
      entries.push(...(await Promise.all(some.map((key, index) => entryOf(key, records[start + index])))));
    }
    return entries;
  }

  async insert(key: string, value: unknown): Promise<boolean> {
    return this.#begin('insert', async () => {
      const row: Row = [this.keyOf(key), await this.record(key, value)];
      const inserted = this.#driver.isRemote ? await this.#inserts.add(row) : (await this.#insertEach([row]))[0];
      return accepted(inserted ?? false);
    });
  }

  async replace(key: string, revision: unknown, value: unknown): Promise<boolean> {
    return this.#begin('replace', async () => {
      const record = await this.record(key, value);
      return accepted(
        await this.#send((driver, deadline) => driver.replace(this.keyOf(key), revision, record, deadline)),
      );
    });
  }

  remove(key: string): Promise<void> {
    return this.ask('remove', (driver, deadline) => driver.remove(this.keyOf(key), deadline));
  }

  async increment(key: string): Promise<number> {
    const whole = this.keyOf(key);
    return this.#begin('increment', async () =>
      this.#driver.isRemote ? this.#steps.add(whole) : Number((await this.#incrementEach([whole]))[0]),
    );
  }

  async current(key: string): Promise<number> {
    const [counters] = await this.getCounters([key], [nextCounter]);
    return counters?.counts.get(nextCounter) ?? 0;
  }

  count(batch: Batch): Promise<readonly boolean[]> {
    const whole = withWholeKeys(batch, this.keyOf);
    return this.ask('count', (driver, deadline) => driver.count(whole, deadline));
  }

  async getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]> {
    if (keys.length === 0) return [];
    return this.ask('getCounters', (driver, deadline) => driver.getCounters(keys.map(this.keyOf), names, deadline));
  }

  async removeCounters(key: string, names?: readonly string[]): Promise<void> {
    if (names?.length === 0) return;
    return this.ask('removeCounters', (driver, deadline) => driver.removeCounters(this.keyOf(key), names, deadline));
  }

  ping(): Promise<void> {
    return this.ask('ping', (driver, deadline) => driver.ping(deadline));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#availability.close();
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    await this.#driver.close();
  }

  async #readEach(keys: readonly string[]): Promise<readonly unknown[]> {
    const distinct = keys.length === 1 ? keys : Array.from(new Set(keys));
    const records = await this.#readDistinct(distinct);
    if (distinct.length === keys.length) return records;
    const byKey = new Map(distinct.map((key, index) => [key, records[index]]));
    return keys.map((key) => byKey.get(key));
  }

  #readDistinct(keys: readonly string[]): Promise<readonly unknown[]> {
    return this.#send((driver, deadline) => driver.read(keys, deadline));
  }

  #insertEach(rows: readonly Row[]): Promise<ReadonlyArray<boolean | Error>> {
    return insertDistinct(rows, (distinct) => this.#send((driver, deadline) => driver.insert(distinct, deadline)));
  }

  #incrementEach(keys: readonly string[]): Promise<readonly number[]> {
    return incrementDistinct(keys, (steps) => this.#send((driver, deadline) => driver.increment(steps, deadline)));
  }

  protected ask<Result>(
    operation: keyof ToolStore,
    question: (driver: Driver, deadline: Deadline) => Answer<Result>,
  ): Promise<Result> {
    return this.#begin(operation, () => this.#send(question));
  }

  /** Runs an operation unless the store is closed. `close` waits for its end, even if it has not been sent yet. */
  async #begin<Result>(operation: keyof ToolStore, work: () => Promise<Result>): Promise<Result> {
    if (this.#closing) throw this.#closed();
    this.#underWay += 1;
    try {
      if (!storeChannel.hasSubscribers) return await work();
      return await traced(storeChannel, () => ({engine: this.engine, operation}), work);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  /** Reports once that the host still serves requests after it has closed the store. */
  #closed(): ShortUrlError {
    const error = unavailable('The store is closed.');
    if (!this.#isToldClosed) this.#onOutage(error);
    this.#isToldClosed = true;
    return error;
  }

  async #send<Result>(question: (driver: Driver, deadline: Deadline) => Answer<Result>): Promise<Result> {
    try {
      return await this.#call(question);
    } catch (error) {
      const failure = operationFailure(error);
      if (failure instanceof ShortUrlError) this.#availability.failed(failure);
      throw failure;
    }
  }

  #call<Result>(question: (driver: Driver, deadline: Deadline) => Answer<Result>): Answer<Result> {
    const deadline = new Deadline(this.#timeout);
    const answer = question(this.#driver, deadline);
    return isThenable(answer) ? deadline.bound(answer) : answer;
  }

  /** A value that cannot be serialized is a bug, not an outage, also if the host's own serializer throws. */
  protected async record(key: string, value: unknown): Promise<unknown> {
    try {
      return await this.codec.encode(key, value);
    } catch (error) {
      throw new TypeError('A value could not be serialized', {cause: error});
    }
  }

  /** Runs outside of `ask`, because an unreadable record is not an outage. */
  async #entry<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    try {
      return {value: (await this.codec.decode(key, record)) as Value, revision: record};
    } catch (reason) {
      // Only the cause names the key, because the API may show the message.
      const cause = new Error(`The record ${this.keyOf(key)} cannot be read`, {cause: reason});
      throw new ShortUrlError('internal_error', 'A record of the store cannot be read.', {cause});
    }
  }

  #leaveOut(key: string, error: unknown): void {
    if (!this.#unreadable.has(key)) this.#onUnreadable(toShortUrlError(error));
    this.#unreadable.set(key, true);
  }
}

/** @throws the error of a row that the engine has refused, which is not an outage */
export function accepted(result: boolean | Error): boolean {
  if (result instanceof Error) throw operationFailure(result);
  return result;
}
