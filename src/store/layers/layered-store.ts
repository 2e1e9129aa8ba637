import {randomInt} from 'node:crypto';
import {performance} from 'node:perf_hooks';
import {setImmediate} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {ShortUrlError, toShortUrlError, unavailable} from '../../errors.ts';
import {planted} from '../../planted.ts';
import {Running} from '../../running.ts';
import {storeChannel, traced} from '../../tracing.ts';
import {growingTo} from '../../values/growing.ts';
import type {Codec} from '../codec.ts';
import type {CounterRows, Driver, Listing, RecordRow} from '../driver.ts';
import {Availability} from '../failing/availability.ts';
import type {Deadline} from '../failing/deadline.ts';
import type {StoreAddress} from '../failing/failure.ts';
import {Admission} from './admission.ts';
import {type Calls, grouped} from './grouping.ts';
import {withDeadlines} from './deadlines.ts';
import {namedBatch} from './names.ts';
import {Outages} from './outages.ts';
import {
  type Batch,
  batchPrefix,
  type Counters,
  type Entry,
  formatKey,
  type Inspection,
  type KeyKind,
  type Packing,
  type Row,
  type ToolStore,
  nextCounter,
} from '../port.ts';
import {checkNumber} from '../walk.ts';

/** What whoever opens a store decides about it. */
export interface LayerSettings {
  /** By default values are stored in the form in which they are used. */
  readonly packing?: Packing | undefined;
  /** How long an operation may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** The clock by which records expire, in milliseconds since the epoch; by default that of the process. */
  readonly now?: (() => number) | undefined;
  /** Called once per outage, when it begins, also outside of operations. */
  readonly onOutage?: ((error: ShortUrlError) => void) | undefined;
  /** Called once for each record that is left out because it cannot be parsed. */
  readonly onUnreadable?: ((error: ShortUrlError) => void) | undefined;
  /** Called once when the store has lost the data that this process has found in it. */
  readonly onLoss?: ((error: ShortUrlError) => void) | undefined;
}

interface LayeredStoreOptions extends LayerSettings {
  readonly codec: Codec;
  /** Adds the namespace to a key of the port. */
  readonly keyOf: (key: string) => string;
  /** The parts of the connection string that errors may name, and those that they never repeat; by default none. */
  readonly address?: StoreAddress | undefined;
  readonly timeout: number;
}

/** How long `close` waits for running operations by default, in milliseconds. */
const closeTimeout = 5000;

/** How much longer an engine keeps a record, for processes whose clocks are behind, in milliseconds. */
const clockMargin = 60 * 60_000;

/** Writes of records that expire between two calls of `collect`, which removes up to twice as many. */
const collectEvery = 32;

/** Records that are decoded before the event loop gets a turn, in about a millisecond. */
const decodedAtOnce = 100;

/** The maximum number of unreadable records whose reports are remembered. */
const maxUnreadable = 1000;

const ignore = (): void => undefined;

/**
 * The port over a driver. It adds the namespace to keys, encodes values to records, and takes a record that has expired
 * by the clock of the site for none: the engine may still have it. It closes the driver when all operations have ended.
 */
export class LayeredStore implements ToolStore {
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  readonly #options: LayeredStoreOptions;
  readonly #now: () => number;
  readonly #admission: Admission;
  readonly #availability: Availability;
  readonly #outages: Outages;
  readonly #calls: Calls;
  readonly #running = new Running();
  readonly #unreadable = new LRUCache<string, true>(growingTo(maxUnreadable));
  /** Random, so that short runs collect too. */
  #untilCollection = randomInt(collectEvery);
  #closing: Promise<void> | undefined;

  constructor(driver: Driver, options: LayeredStoreOptions) {
    const {codec, packing, keyOf, address, timeout, now = () => Date.now()} = options;
    this.engine = driver.engine;
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    this.#options = options;
    this.#now = now;
    const call = withDeadlines(timeout);
    this.#admission = new Admission(driver, call, {packing, codec, keyOf, onLoss: options.onLoss ?? ignore});
    this.#availability = new Availability(async () => {
      await this.#admission.admit(false);
      await call(this.#ping);
    }, options.onOutage ?? ignore);
    this.#outages = new Outages(call, this.#admission, this.#availability, address);
    this.#calls = grouped(driver, call, this.#outages);
    // Connects in the background, so that a wrong address is reported before the first request.
    this.ping().catch(ignore);
  }

  get isAway(): boolean {
    return this.#availability.isAway;
  }

  get awaySince(): number | undefined {
    return this.#availability.awaySince;
  }

  get writeFailure(): ShortUrlError | undefined {
    return this.#availability.writeFailure;
  }

  get loss(): ShortUrlError | undefined {
    return this.#admission.loss;
  }

  whenBack(): Promise<void> {
    return this.#availability.whenBack();
  }

  /** Called when the driver has lost its connection outside of an operation. */
  lost(error: Error): void {
    this.#outages.lost(error);
  }

  async get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    const entry = await this.#begin('get', () => this.#get(key, known));
    if (entry === undefined) this.#admission.lookAfterAbsence();
    return entry;
  }

  isAbsent(key: string): boolean {
    if (this.#driver.isRemote || !this.#admission.isOpen || this.#closing || this.isAway) return false;
    // A read that is traced is a promise.
    return !storeChannel.hasSubscribers && this.#calls.isAbsent(this.#options.keyOf(key));
  }

  getMany<Value>(keys: readonly string[], word?: string): Promise<Array<Entry<Value> | undefined>> {
    return this.#begin('getMany', async () => {
      const records = await this.#calls.getMany(keys.map(this.#options.keyOf), word);
      const entries: Array<Entry<Value> | undefined> = [];
      for (let start = 0; start < keys.length; start += decodedAtOnce) {
        if (start > 0) await setImmediate();
        const some = keys.slice(start, start + decodedAtOnce);
        entries.push(
          ...(await Promise.all(some.map((key, index) => this.#readable<Value>(key, records[start + index])))),
        );
      }
      return entries;
    });
  }

  insert(...row: Row): Promise<boolean> {
    return this.#begin('insert', async () => {
      const isInserted = await this.#calls.insert(await this.#rowOf(row));
      this.#collectAfter([row]);
      return isInserted || this.#insertOver(row);
    });
  }

  insertMany(rows: readonly Row[]): Promise<readonly boolean[]> {
    return this.#begin('insertMany', async () => {
      const inserted = await this.#calls.insertMany(await Promise.all(rows.map((row) => this.#rowOf(row))));
      this.#collectAfter(rows);
      return Promise.all(rows.map(async (row, index) => inserted[index] === true || this.#insertOver(row)));
    });
  }

  replace<Value>(key: string, revision: unknown, value: Value, expires?: number): Promise<Entry<Value> | undefined> {
    return this.#begin('replace', async () => {
      if (this.#isOver(expires)) {
        const isRemoved = await this.#calls.replace([this.#options.keyOf(key), undefined], revision);
        return isRemoved ? {value, revision: undefined, expires} : undefined;
      }
      const row = [key, value, expires] as const;
      const record = await this.#rowOf(row);
      const isReplaced = await this.#calls.replace(record, revision);
      this.#collectAfter([row]);
      return isReplaced ? {value, revision: record[1], expires} : undefined;
    });
  }

  removeUnchanged(key: string, revision: unknown): Promise<boolean> {
    return this.#begin('removeUnchanged', () => this.#calls.replace([this.#options.keyOf(key), undefined], revision));
  }

  remove(key: string): Promise<void> {
    return this.#begin('remove', () => this.#calls.remove(this.#options.keyOf(key)));
  }

  async increment(key: string): Promise<number> {
    const next = await this.#begin('increment', () => this.#calls.increment(this.#options.keyOf(key)));
    return checkNumber(next, key);
  }

  async current(keys: readonly string[]): Promise<readonly number[]> {
    const counters = await this.getCounters(keys, [nextCounter]);
    return counters.map(({counts}) => counts.get(nextCounter) ?? 0);
  }

  count(batch: Batch): Promise<readonly boolean[]> {
    return this.#begin('count', () => this.#calls.count(namedBatch(batch, this.#options.keyOf)));
  }

  getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]> {
    return this.#begin('getCounters', () => this.#calls.getCounters(keys.map(this.#options.keyOf), names));
  }

  removeCounters(key: string, names?: readonly string[]): Promise<void> {
    return this.#begin('removeCounters', () => this.#calls.removeCounters(this.#options.keyOf(key), names));
  }

  setCounters(rows: CounterRows): Promise<void> {
    const {keyOf} = this.#options;
    return this.#begin('setCounters', () =>
      this.#calls.setCounters(rows.map(([key, counters]) => [keyOf(key), counters])),
    );
  }

  async *keys(kind: KeyKind, prefix = ''): AsyncGenerator<readonly string[]> {
    const {keyOf} = this.#options;
    const {length} = keyOf('');
    let listing: Listing | undefined;
    const read: Listing = (deadline) => (listing ??= this.#driver.keys(kind, keyOf(prefix)))(deadline);
    for (;;) {
      const keys = await this.#begin('keys', () => this.#outages.send('read', read));
      if (keys === undefined) return;
      const ours = keys.map((key) => key.slice(length));
      yield ours.filter((key) => !key.startsWith(batchPrefix) && key !== formatKey);
    }
  }

  inspect(): Promise<Inspection> {
    return this.#begin('inspect', () => this.#calls.inspect());
  }

  ping(): Promise<void> {
    return this.#begin('ping', () => this.#outages.send('read', this.#ping));
  }

  close(timeout = closeTimeout): Promise<void> {
    return (this.#closing ??= this.#close(timeout));
  }

  async #close(timeout: number): Promise<void> {
    const expiry = performance.now() + timeout;
    this.#availability.close();
    await this.#running.ended(timeout);
    await this.#driver.close(Math.max(0, expiry - performance.now()));
  }

  readonly #ping = async (deadline: Deadline): Promise<void> => {
    await this.#driver.ping(deadline);
    await this.#admission.look(deadline);
  };

  /** Runs an operation unless the store is closed. `close` waits for its end, even if it has not been sent yet. */
  #begin<Result>(operation: keyof ToolStore, work: () => Promise<Result>): Promise<Result> {
    if (this.#closing) return Promise.reject(unavailable('The store is closed.'));
    return this.#running.run(() => traced(storeChannel, () => ({engine: this.engine, operation}), work));
  }

  async #get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    const record = await this.#calls.get(this.#options.keyOf(key));
    // Only text can be compared. An object may have been changed.
    const isKnown = typeof record === 'string' && record === known?.revision;
    return this.#current(isKnown ? known : await this.#entryOf<Value>(key, record));
  }

  /** The row of the engine, whose clock only measures a life, so it may differ from ours. */
  async #rowOf([key, value, expires]: Row): Promise<RecordRow> {
    const life = expires === undefined ? undefined : Math.max(1, Math.ceil(expires - this.#now()) + clockMargin);
    const {codec, keyOf} = this.#options;
    return [keyOf(key), await codec.encode(key, value, expires), life];
  }

  /** @throws ShortUrlError `internal_error` for a record that cannot be parsed, which is no outage */
  async #entryOf<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    const {codec, keyOf} = this.#options;
    try {
      const {value, expires} = await codec.decode(key, record);
      return {value: value as Value, revision: record, expires};
    } catch (reason) {
      // Only the cause names the key, because the API may show the message.
      const cause = new Error(`The record ${keyOf(key)} cannot be read`, {cause: reason});
      throw new ShortUrlError('internal_error', 'A record of the store cannot be read.', {cause});
    }
  }

  async #readable<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    try {
      return this.#current(await this.#entryOf<Value>(key, record));
    } catch (error) {
      if (!this.#unreadable.has(key)) this.#options.onUnreadable?.(toShortUrlError(error));
      this.#unreadable.set(key, true);
      return undefined;
    }
  }

  #isOver(expires: number | undefined): boolean {
    return expires !== undefined && expires <= this.#now();
  }

  #current<Value>(entry: Entry<Value> | undefined): Entry<Value> | undefined {
    return entry && this.#isOver(entry.expires) ? undefined : entry;
  }

  /**
   * Inserts a row where an expired record may be. Several callers may find the same one. One of them replaces it, or inserts
   * its row if it was removed.
   */
  async #insertOver(row: Row): Promise<boolean> {
    const found: unknown = await this.#calls.get(this.#options.keyOf(row[0]));
    // A record that cannot be parsed is there.
    const entry = await this.#entryOf(row[0], found).catch(() => ({expires: undefined}));
    if (entry && !this.#isOver(entry.expires)) return false;
    const record = await this.#rowOf(row);
    const seen: unknown = planted('expired-not-compared') ? await this.#calls.get(record[0]) : found;
    return (seen !== undefined && (await this.#calls.replace(record, seen))) || this.#calls.insert(record);
  }

  /** Lets the engine remove records that have expired, after writes of as many that will. */
  #collectAfter(rows: readonly Row[]): void {
    this.#untilCollection -= rows.filter(([, , expires]) => expires !== undefined).length;
    if (this.#untilCollection > 0) return;
    const max = 2 * (collectEvery - this.#untilCollection);
    this.#untilCollection = collectEvery;
    // A later call removes what is left.
    this.#calls.collect(max).catch(ignore);
  }
}
