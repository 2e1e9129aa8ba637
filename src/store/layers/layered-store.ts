import {performance} from 'node:perf_hooks';
import {type ShortUrlError, unavailable} from '../../errors.ts';
import {Running} from '../../running.ts';
import {storeChannel, traced} from '../../tracing.ts';
import type {Codec} from '../codec.ts';
import type {CounterRows, Driver} from '../driver.ts';
import {Availability} from '../failing/availability.ts';
import type {Deadline} from '../failing/deadline.ts';
import type {StoreAddress} from '../failing/failure.ts';
import {FormatGuard} from '../format.ts';
import {Admission} from './admission.ts';
import {grouped} from './grouping.ts';
import {withDeadlines} from './deadlines.ts';
import {expiring, lifeBy} from './expiry.ts';
import {encoded} from './encoding.ts';
import type {Entries} from './layer.ts';
import {named} from './names.ts';
import {Outages} from './outages.ts';
import {
  type Batch,
  type Counters,
  type Entry,
  type Inspection,
  type KeyKind,
  type KeyPart,
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

const ignore = (): void => undefined;

/**
 * The port over a driver, through the layers that docs/architecture.md lists. The class itself traces operations, and
 * closes the driver when they have ended.
 */
export class LayeredStore implements ToolStore {
  readonly engine: string;
  readonly guarantee: 'store' | 'process';
  readonly #driver: Driver;
  readonly #admission: Admission;
  readonly #availability: Availability;
  readonly #outages: Outages;
  readonly #layers: Entries;
  #closing: Promise<void> | undefined;
  readonly #running = new Running();

  constructor(driver: Driver, options: LayeredStoreOptions) {
    const {codec, packing, keyOf, address, timeout, now = () => Date.now()} = options;
    const {onOutage = ignore, onUnreadable = ignore, onLoss = ignore} = options;
    this.engine = driver.engine;
    this.guarantee = driver.guarantee;
    this.#driver = driver;
    const call = withDeadlines(timeout);
    const format = packing && new FormatGuard(driver, packing, codec, keyOf);
    this.#admission = new Admission(format, call, onLoss);
    this.#availability = new Availability(async () => {
      await this.#admission.admit(false);
      await call(this.#ping);
    }, onOutage);
    this.#outages = new Outages(call, this.#admission, this.#availability, address);
    const records = named(grouped(driver, call, this.#outages), keyOf);
    this.#layers = expiring(encoded(records, {codec, lifeOf: lifeBy(now), keyOf, onUnreadable}), now);
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
    const entry = await this.#begin('get', () => this.#layers.get(key, known));
    if (entry === undefined) this.#admission.lookAfterAbsence();
    return entry;
  }

  isAbsent(key: string): boolean {
    if (this.#driver.isRemote || !this.#admission.isOpen || this.#closing || this.isAway) return false;
    // A read that is traced is a promise.
    return !storeChannel.hasSubscribers && this.#layers.isAbsent(key);
  }

  getMany<Value>(keys: readonly string[], word?: string): Promise<Array<Entry<Value> | undefined>> {
    return this.#begin('getMany', () => this.#layers.getMany(keys, word));
  }

  insert(key: string, value: unknown, expires?: number): Promise<boolean> {
    return this.#begin('insert', () => this.#layers.insert(key, value, expires));
  }

  insertMany(rows: readonly Row[]): Promise<readonly boolean[]> {
    return this.#begin('insertMany', () => this.#layers.insertMany(rows));
  }

  replace<Value>(key: string, revision: unknown, value: Value, expires?: number): Promise<Entry<Value> | undefined> {
    return this.#begin('replace', () => this.#layers.replace(key, revision, value, expires));
  }

  removeUnchanged(key: string, revision: unknown): Promise<boolean> {
    return this.#begin('removeUnchanged', () => this.#layers.removeUnchanged(key, revision));
  }

  remove(key: string): Promise<void> {
    return this.#begin('remove', () => this.#layers.remove(key));
  }

  async increment(key: string): Promise<number> {
    return checkNumber(await this.#begin('increment', () => this.#layers.increment(key)), key);
  }

  async current(keys: readonly string[]): Promise<readonly number[]> {
    const counters = await this.getCounters(keys, [nextCounter]);
    return counters.map(({counts}) => counts.get(nextCounter) ?? 0);
  }

  count(batch: Batch): Promise<readonly boolean[]> {
    return this.#begin('count', () => this.#layers.count(batch));
  }

  getCounters(keys: readonly string[], names?: readonly string[]): Promise<readonly Counters[]> {
    return this.#begin('getCounters', () => this.#layers.getCounters(keys, names));
  }

  removeCounters(key: string, names?: readonly string[]): Promise<void> {
    return this.#begin('removeCounters', () => this.#layers.removeCounters(key, names));
  }

  setCounters(rows: CounterRows): Promise<void> {
    return this.#begin('setCounters', () => this.#layers.setCounters(rows));
  }

  keys(kind: KeyKind, prefix: string, cursor?: string): Promise<KeyPart> {
    return this.#begin('keys', () => this.#layers.keys(kind, prefix, cursor));
  }

  inspect(): Promise<Inspection> {
    return this.#begin('inspect', () => this.#layers.inspect());
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
}
