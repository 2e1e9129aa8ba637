import {randomInt} from 'node:crypto';
import {setImmediate} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {isThenable} from '../host/callback.ts';
import {ShortUrlError, toShortUrlError, unavailable} from '../host/errors.ts';
import {storeChannel, traced} from '../host/tracing.ts';
import {Availability} from './failing/availability.ts';
import {withNamespace} from './batching/batches.ts';
import {Batcher} from './batching/batcher.ts';
import type {Codec} from './codec.ts';
import {type Answer, type CounterRows, type Driver, nextCounter, type RecordRow} from './driver.ts';
import {Deadline} from './failing/deadline.ts';
import {operationFailure, outage, type StoreAddress} from './failing/failure.ts';
import {FormatGuard} from './format.ts';
import {
  type Batch,
  batchPrefix,
  type Counters,
  type Entry,
  formatKey,
  type Inspection,
  type KeyKind,
  type KeyPart,
  type Packing,
  type Row,
  type ToolStore,
} from './port.ts';

/** What whoever opens a store decides about it. */
export interface GuardSettings {
  /** By default values are stored in the form in which they are used. */
  readonly packing?: Packing | undefined;
  /** How long an operation may take, in milliseconds; default 2000. */
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

interface GuardedStoreOptions extends GuardSettings {
  readonly codec: Codec;
  /** Adds the namespace to a key of the port. */
  readonly keyOf: (key: string) => string;
  /** The parts of the connection string that errors may name, and those that they never repeat; by default none. */
  readonly address?: StoreAddress | undefined;
  readonly timeout: number;
}

/** Records that are decoded before the event loop gets a turn, in about a millisecond. */
const decodedAtOnce = 100;

/** Waiting callers of a write that was not answered have no time left. */
const serial = {isSerial: true, failsWaiting: true};

/** The maximum number of unreadable records whose reports are remembered. */
const maxUnreadable = 1000;

/** The maximum number of rows in one call of a driver. */
const maxRows = 500;

/** How long `close` waits for running operations by default, in milliseconds. */
const closeTimeout = 5000;

/** The maximum number of counters in one call of a driver, so that no statement holds its locks for long. */
const maxCounters = 5000;

/** The pause after which another absent record makes the process look whether the store has lost its data, in milliseconds. */
const lookPause = 1000;

/** How much longer an engine keeps a record, for processes whose clocks are behind, in milliseconds. */
const clockMargin = 60 * 60_000;

/** Writes of records that expire between two calls of `collect`, which removes up to twice as many. */
const collectEvery = 32;

/** The operations that change nothing. */
const reads: ReadonlySet<keyof ToolStore> = new Set(['getCounters', 'inspect', 'keys', 'ping']);

const lossMessage =
  'The store has lost the data of the site: it was emptied, or it is another store now. ' +
  'Restore a backup, and check that the server saves its data: npx koa-short-url check.';

/**
 * The port over a driver. Every operation passes through it. It adds namespaces to keys, encodes values, sets deadlines,
 * tracks outages, and converts every failure to one error.
 */
export class GuardedStore implements ToolStore {
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  readonly #codec: Codec;
  /** Adds the namespace to a key of the port. */
  readonly #keyOf: (key: string) => string;
  /** Removes it. */
  readonly #nameOf: (key: string) => string;
  readonly #address: StoreAddress | undefined;
  readonly #timeout: number;
  readonly #now: () => number;
  readonly #availability: Availability;
  readonly #onUnreadable: (error: ShortUrlError) => void;
  readonly #unreadable = new LRUCache<string, true>({max: maxUnreadable});
  readonly #reads = new Batcher((keys: readonly string[]) => this.#readEach(keys));
  readonly #inserts = new Batcher((rows: readonly RecordRow[]) => this.#insertEach(rows), serial);
  readonly #steps = new Batcher((keys: readonly string[]) => this.#incrementEach(keys), serial);
  readonly #format: FormatGuard | undefined;
  /** Whether the store has our format, so that operations are not checked. */
  #isAdmitted: boolean;
  readonly #formatChecks = new Map<boolean, Promise<void>>();
  /** Whether the store had no data or is a copy that no site has used, so that it may be read. */
  #isUnused = false;
  #loss: ShortUrlError | undefined;
  #lookedAt = 0;
  readonly #onLoss: (error: ShortUrlError) => void;
  #closing: Promise<void> | undefined;
  readonly #onOutage: (error: ShortUrlError) => void;
  #isClosedReported = false;
  /** Writes of records that expire until the next call of `collect`. It is random, so that short runs collect too. */
  #untilCollection = randomInt(collectEvery);
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(driver: Driver, options: GuardedStoreOptions) {
    const {codec, packing, keyOf, address, timeout, now = Date.now} = options;
    const {onOutage = () => undefined, onUnreadable = () => undefined, onLoss = () => undefined} = options;
    this.engine = driver.engine;
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    this.#codec = codec;
    this.#format = packing && new FormatGuard(driver, packing, codec, keyOf);
    this.#isAdmitted = packing === undefined;
    this.#keyOf = keyOf;
    const start = keyOf('').length;
    this.#nameOf = (key) => key.slice(start);
    this.#address = address;
    this.#timeout = timeout;
    this.#now = now;
    this.#onUnreadable = onUnreadable;
    this.#onOutage = onOutage;
    this.#onLoss = onLoss;
    this.#availability = new Availability(async () => {
      await this.#admit(false);
      await this.#call((deadline) => this.#ping(deadline));
    }, onOutage);
    // Connects in the background, so that a wrong address is reported before the first request.
    this.ping().catch(() => undefined);
  }

  get isAway(): boolean {
    return this.#availability.isAway;
  }

  get awaySince(): number | undefined {
    return this.#availability.awaySince;
  }

  get loss(): ShortUrlError | undefined {
    return this.#loss;
  }

  whenBack(): Promise<void> {
    return this.#availability.whenBack();
  }

  /** Called when the driver has lost its connection outside of an operation. */
  lost(error: Error): void {
    this.#availability.failed(outage(error, this.#address));
  }

  async get<Value>(key: string, known?: Entry<Value>): Promise<Entry<Value> | undefined> {
    const stored = this.#keyOf(key);
    const record = this.#driver.isRemote
      ? await this.#begin('get', () => this.#reads.add(stored))
      : (await this.#begin('get', () => this.#readDistinct([stored])))[0];
    // An absent record may be the first sign. One key is read for it, at most once in that time.
    if (record === undefined && this.#isAdmitted && performance.now() - this.#lookedAt > lookPause) {
      new Deadline(this.#timeout).inBackground((deadline) => this.#look(deadline));
    }
    // Only text can be compared. An object may have been changed.
    if (typeof record === 'string' && record === known?.revision && !this.#isOver(known.expires)) return known;
    return this.#entry<Value>(key, record);
  }

  isAbsent(key: string): boolean {
    const isAsked = this.#isAdmitted && !this.#closing && !this.isAway && !storeChannel.hasSubscribers;
    if (this.#driver.isRemote || !isAsked) return false;
    try {
      const records = this.#driver.read([this.#keyOf(key)], new Deadline(this.#timeout));
      if (!isThenable(records)) return records[0] === undefined;
      records.catch(() => undefined);
    } catch {
      // The next read reports it.
    }
    return false;
  }

  async getMany<Value>(keys: readonly string[], word?: string): Promise<Array<Entry<Value> | undefined>> {
    if (keys.length === 0) return [];
    const records = await this.#begin('getMany', () => this.#readEach(keys.map(this.#keyOf), word));
    const entryOf = (key: string, record: unknown): Promise<Entry<Value> | undefined> =>
      this.#entry<Value>(key, record).catch((error: unknown) => {
        if (!this.#unreadable.has(key)) this.#onUnreadable(toShortUrlError(error));
        this.#unreadable.set(key, true);
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

  async insert(key: string, value: unknown, expires?: number): Promise<boolean> {
    return this.#begin('insert', async () => {
      const row = await this.#rowOf([key, value, expires]);
      const inserted = this.#driver.isRemote ? await this.#inserts.add(row) : (await this.#insertEach([row]))[0];
      return this.#accepted(inserted ?? false);
    });
  }

  async replace(key: string, revision: unknown, value: unknown, expires?: number): Promise<boolean> {
    if (this.#isOver(expires)) return this.removeUnchanged(key, revision);
    return this.#begin('replace', async () => {
      const row = await this.#rowOf([key, value, expires]);
      return this.#accepted(await this.#replaceRow(row, revision));
    });
  }

  async removeUnchanged(key: string, revision: unknown): Promise<boolean> {
    return this.#accepted(
      await this.#ask('removeUnchanged', (deadline) =>
        this.#driver.replace([this.#keyOf(key), undefined], revision, deadline),
      ),
    );
  }

  remove(key: string): Promise<void> {
    return this.#ask('remove', (deadline) => this.#driver.remove(this.#keyOf(key), deadline));
  }

  async increment(key: string): Promise<number> {
    const stored = this.#keyOf(key);
    return this.#begin('increment', async () =>
      this.#driver.isRemote ? this.#steps.add(stored) : Number((await this.#incrementEach([stored]))[0]),
    );
  }

  async current(key: string): Promise<number> {
    const [counters] = await this.getCounters([key], [nextCounter]);
    return counters?.counts.get(nextCounter) ?? 0;
  }

  count(batch: Batch): Promise<readonly boolean[]> {
    const named = withNamespace(batch, this.#keyOf);
    return this.#ask('count', (deadline) => this.#driver.count(named, deadline));
  }

  async getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]> {
    if (keys.length === 0) return [];
    return this.#ask('getCounters', (deadline) => this.#driver.getCounters(keys.map(this.#keyOf), names, deadline));
  }

  async removeCounters(key: string, names?: readonly string[]): Promise<void> {
    if (names?.length === 0) return;
    return this.#ask('removeCounters', (deadline) => this.#driver.removeCounters(this.#keyOf(key), names, deadline));
  }

  async setCounters(rows: CounterRows): Promise<void> {
    for (let start = 0; start < rows.length;) {
      let end = start;
      for (let size = 0; end < rows.length; end += 1) {
        size += rows[end]?.[1].counts.size ?? 0;
        if (size > maxCounters && end > start) break;
      }
      const some = rows.slice(start, end).map(([key, counters]) => [this.#keyOf(key), counters] as const);
      await this.#ask('setCounters', (deadline) => this.#driver.setCounters(some, deadline));
      start = end;
    }
  }

  async keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart> {
    const {keys, ...rest} = await this.#ask('keys', (deadline) =>
      this.#driver.keys(kind, this.#keyOf(prefix), cursor, deadline),
    );
    const ours = keys.map(this.#nameOf).filter((key) => !key.startsWith(batchPrefix) && key !== formatKey);
    return {keys: ours, ...rest};
  }

  async insertMany(rows: readonly Row[]): Promise<readonly boolean[]> {
    const results: boolean[] = [];
    for (let start = 0; start < rows.length; start += maxRows) {
      const encoded = await Promise.all(rows.slice(start, start + maxRows).map((row) => this.#rowOf(row)));
      const inserted = await this.#begin('insert', () => this.#insertDistinct(encoded));
      results.push(...inserted.map((result) => this.#accepted(result)));
    }
    return results;
  }

  inspect(): Promise<Inspection> {
    const nothing: Inspection = {version: undefined, clockOffset: undefined, findings: []};
    return this.#ask('inspect', (deadline) => this.#driver.inspect?.(deadline) ?? nothing);
  }

  ping(): Promise<void> {
    return this.#ask('ping', (deadline) => this.#ping(deadline));
  }

  close(timeout = closeTimeout): Promise<void> {
    return (this.#closing ??= this.#close(timeout));
  }

  async #close(timeout: number): Promise<void> {
    const expiry = performance.now() + timeout;
    this.#availability.close();
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout);
        this.#whenIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await this.#driver.close(Math.max(0, expiry - performance.now()));
  }

  async #readEach(keys: readonly string[], word?: string): Promise<readonly unknown[]> {
    const distinct = keys.length === 1 ? keys : Array.from(new Set(keys));
    const records = await this.#readDistinct(distinct, word);
    if (distinct.length === keys.length) return records;
    const byKey = new Map(distinct.map((key, index) => [key, records[index]]));
    return keys.map((key) => byKey.get(key));
  }

  #readDistinct(keys: readonly string[], word?: string): Promise<readonly unknown[]> {
    return this.#send((deadline) => this.#driver.read(keys, deadline, word), false);
  }

  async #ping(deadline: Deadline): Promise<void> {
    await this.#driver.ping(deadline);
    await this.#look(deadline);
  }

  /** Looks whether the store still has its data. A server without persistence comes back empty, for example. */
  async #look(deadline: Deadline): Promise<void> {
    if (this.#format === undefined) return;
    this.#lookedAt = performance.now();
    const isKept = await this.#format.isKept(deadline);
    if (isKept) this.#loss = undefined;
    if (isKept || this.#loss) return;
    this.#loss = new ShortUrlError('internal_error', lossMessage);
    this.#isAdmitted = false;
    this.#isUnused = false;
    this.#onLoss(this.#loss);
  }

  /**
   * A driver takes distinct keys. If several callers insert the same key, the first one succeeds, and the others get
   * false.
   */
  async #insertEach(rows: readonly RecordRow[]): Promise<ReadonlyArray<boolean | Error>> {
    const first = new Map<string, RecordRow>();
    for (const row of rows) if (!first.has(row[0])) first.set(row[0], row);
    const distinct = Array.from(first.values());
    const inserted = await this.#insertDistinct(distinct);
    const results = new Map(distinct.map(([key], index) => [key, inserted[index] ?? false]));
    return rows.map((row) => {
      const result = results.get(row[0]) ?? false;
      return first.get(row[0]) === row || result instanceof Error ? result : false;
    });
  }

  /** The engine may still have expired records, which are then replaced. */
  async #insertDistinct(rows: readonly RecordRow[]): Promise<ReadonlyArray<boolean | Error>> {
    const results = Array.from(await this.#send((deadline) => this.#driver.insert(rows, deadline), true));
    this.#collect(rows);
    const refused = Array.from(rows.entries()).filter(([index]) => results[index] === false);
    if (refused.length === 0) return results;
    const records = await this.#readDistinct(refused.map(([, [key]]) => key));
    await Promise.all(
      refused.map(async ([index, row], place) => {
        results[index] = await this.#insertOver(row, records[place]);
      }),
    );
    return results;
  }

  /** Several callers may find the same expired record. One of them replaces it, or inserts its row if it was removed. */
  async #insertOver(row: RecordRow, found: unknown): Promise<boolean | Error> {
    // A record that cannot be parsed is there.
    const expiry = async (): Promise<number | undefined> =>
      (await this.#codec.decode(this.#nameOf(row[0]), found)).expires;
    if (found !== undefined && !this.#isOver(await expiry().catch(() => undefined))) return false;
    const isReplaced = found !== undefined && (await this.#replaceRow(row, found));
    if (isReplaced !== false) return isReplaced;
    const [inserted = false] = await this.#send((deadline) => this.#driver.insert([row], deadline), true);
    return inserted;
  }

  async #replaceRow(row: RecordRow, expected: unknown): Promise<boolean | Error> {
    const replaced = await this.#send((deadline) => this.#driver.replace(row, expected, deadline), true);
    this.#collect([row]);
    return replaced;
  }

  async #rowOf([key, value, expires]: Row): Promise<RecordRow> {
    let record: unknown;
    try {
      record = await this.#codec.encode(key, value, expires);
    } catch (error) {
      // A bug, not an outage, also if the host's own serializer throws.
      throw new TypeError('A value could not be serialized', {cause: error});
    }
    if (expires === undefined) return [this.#keyOf(key), record];
    // The engine's clock only measures how long a record is kept, so that it may differ from ours.
    return [this.#keyOf(key), record, Math.max(1, Math.ceil(expires - this.#now()) + clockMargin)];
  }

  #isOver(expires: number | undefined): boolean {
    return expires !== undefined && expires <= this.#now();
  }

  /** Lets the engine remove records that have expired, after writes of as many that will. */
  #collect(rows: readonly RecordRow[]): void {
    this.#untilCollection -= rows.filter(([, , life]) => life !== undefined).length;
    if (this.#untilCollection > 0 || this.#driver.collect === undefined) return;
    const max = 2 * (collectEvery - this.#untilCollection);
    this.#untilCollection = collectEvery;
    const collect = async (): Promise<void> => this.#call((deadline) => this.#driver.collect?.(max, deadline));
    // A later call removes what is left.
    collect().catch(() => undefined);
  }

  /** A driver takes distinct keys. Each caller gets another number. */
  async #incrementEach(keys: readonly string[]): Promise<readonly number[]> {
    const steps = new Map<string, number>();
    for (const key of keys) steps.set(key, (steps.get(key) ?? 0) + 1);
    const ends = await this.#send((deadline) => this.#driver.increment(Array.from(steps), deadline), true);
    const next = new Map(Array.from(steps, ([key, by], index) => [key, Number(ends[index]) - by]));
    return keys.map((key) => {
      const value = (next.get(key) ?? 0) + 1;
      next.set(key, value);
      return value;
    });
  }

  #ask<Result>(operation: keyof ToolStore, question: (deadline: Deadline) => Answer<Result>): Promise<Result> {
    const isWrite = !reads.has(operation);
    // The engine's configuration says why records cannot be read.
    return this.#begin(operation, () => this.#send(question, isWrite, operation !== 'inspect'));
  }

  /** Runs an operation unless the store is closed. `close` waits for its end, even if it has not been sent yet. */
  async #begin<Result>(operation: keyof ToolStore, work: () => Promise<Result>): Promise<Result> {
    if (this.#closing) {
      const error = unavailable('The store is closed.');
      // Reports once that the host still serves requests after it has closed the store.
      if (!this.#isClosedReported) this.#onOutage(error);
      this.#isClosedReported = true;
      throw error;
    }
    this.#underWay += 1;
    try {
      if (!storeChannel.hasSubscribers) return await work();
      return await traced(storeChannel, () => ({engine: this.engine, operation}), work);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#whenIdle?.();
    }
  }

  async #send<Result>(
    question: (deadline: Deadline) => Answer<Result>,
    isWrite: boolean,
    isOfRecords = true,
  ): Promise<Result> {
    try {
      if (!this.#isAdmitted && isOfRecords) await this.#admit(isWrite);
      const answer = this.#call(question);
      // A local engine answers at once, and each `await` takes time.
      const result = isThenable(answer) ? await answer : answer;
      this.#availability.succeeded(isWrite);
      return result;
    } catch (error) {
      const failure = operationFailure(error, this.#address);
      if (failure instanceof ShortUrlError) this.#availability.failed(failure, isWrite);
      throw failure;
    }
  }

  /** Checks the format of the store before the first operation, and again before the first write. */
  async #admit(isWrite: boolean): Promise<void> {
    const guard = this.#format;
    if (guard === undefined || this.#isAdmitted || (this.#isUnused && !isWrite)) return;
    let check = this.#formatChecks.get(isWrite);
    if (check === undefined) {
      const admits = async (deadline: Deadline): Promise<void> => {
        this.#isAdmitted = await guard.admits(isWrite, deadline);
        this.#isUnused = !this.#isAdmitted;
      };
      check = Promise.resolve(this.#call(admits)).finally(() => this.#formatChecks.delete(isWrite));
      this.#formatChecks.set(isWrite, check);
    }
    await check;
  }

  #call<Result>(question: (deadline: Deadline) => Answer<Result>): Answer<Result> {
    const deadline = new Deadline(this.#timeout);
    const answer = question(deadline);
    return isThenable(answer) ? deadline.bound(answer) : answer;
  }

  /** Runs outside of `ask`, because an unreadable record is not an outage. */
  async #entry<Value>(key: string, record: unknown): Promise<Entry<Value> | undefined> {
    if (record === undefined) return undefined;
    try {
      const {value, expires} = await this.#codec.decode(key, record);
      return this.#isOver(expires) ? undefined : {value: value as Value, revision: record, expires};
    } catch (reason) {
      // Only the cause names the key, because the API may show the message.
      const cause = new Error(`The record ${this.#keyOf(key)} cannot be read`, {cause: reason});
      throw new ShortUrlError('internal_error', 'A record of the store cannot be read.', {cause});
    }
  }

  /** @throws the error of a row that the engine has refused, which is not an outage */
  #accepted(result: boolean | Error): boolean {
    if (result instanceof Error) throw operationFailure(result, this.#address);
    return result;
  }
}
