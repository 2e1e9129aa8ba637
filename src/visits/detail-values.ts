import {LRUCache} from 'lru-cache';
import {nanoid} from 'nanoid';
import {isThenable} from '../host/callback.ts';
import {isUnavailable, type ShortUrlError, toShortUrlError} from '../host/errors.ts';
import type {Store} from '../store/port.ts';
import {upsert} from '../store/update.ts';
import {type LinkRecord, ownerValuesKey, valuesKey} from '../links/record.ts';
import {within} from '../store/failing/within.ts';

/** The details of a visit by name: see the option `visitDetails`. */
export type Details = Readonly<Record<string, string>>;

/** Values of a detail with their codes. A counter is named `<name>:<code>`. */
export type StoredValues = ReadonlyArray<readonly [value: string, code: string]>;

/** Values outside the hundred. Most visits have the first one, so its code is empty. */
export const direct = 'direct';
export const directCode = '';
/** Its own code. */
export const other = 'other';

/** The most values of a detail with their own counters, for each link and for each account. */
const maxValues = 100;

/** Characters of a code: fewer than `other` has. */
const codeLength = 4;

/** The most memory for cached values, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/** Estimated overhead of a cached detail, and of one of its values, in bytes. */
const overhead = 300;
const valueOverhead = 150;

/** The counters of the values of a detail, by value. */
type Known = ReadonlyMap<string, string>;

/** A detail of a link, or of an account. */
interface Detail {
  /** Names the link or the account. */
  readonly scope: string;
  readonly name: string;
  /** The key of the values. */
  readonly key: string;
}

/** New values of a detail that are stored together. */
interface Gathering {
  readonly values: Set<string>;
  readonly stored: Promise<Known>;
}

/** The counters of the details of a visit. */
export type DetailCounters = readonly [ofLink: readonly string[], ofAccount: readonly string[]];

type Answer<Result> = Result | Promise<Result>;

/**
 * Finds the counters for the details of visits. The store has the first hundred values of each detail. A new value is
 * stored by compare-and-set before the first visit with it is counted. A cached value costs no round trip.
 */
export class DetailValues {
  readonly #store: Store;
  readonly #timeout: number;
  readonly #onError: (error: ShortUrlError) => void;
  /** The cached values of each detail, by link and account. */
  readonly #known: LRUCache<string, Map<string, Known>>;
  readonly #open = new Map<string, Gathering>();
  readonly #underWay = new Map<string, Promise<unknown>>();

  /**
   * @param timeout how long a visitor waits until a new value is stored, in milliseconds
   * @param onError called if values cannot be read although the store answers
   */
  constructor(store: Store, timeout: number, onError: (error: ShortUrlError) => void) {
    this.#store = store;
    this.#timeout = timeout;
    this.#onError = onError;
    this.#known = new LRUCache<string, Map<string, Known>>({maxSize: maxBytes, sizeCalculation: sizeOf});
  }

  /**
   * The counters for the details of a visit, of its link and of its account. Returns a promise only for values that are
   * not cached. A value that is not stored in time counts as `other`. Never rejects.
   *
   * @param countersKey the key of the link's counters
   */
  counters(record: LinkRecord, countersKey: string, details: Details): Answer<DetailCounters> {
    const {generation} = record;
    const ofLink = this.#countersOf(countersKey, details, (name) => valuesKey(record, name));
    const ofAccount = this.#countersOf(generation, details, (name) => ownerValuesKey(generation, name));
    return isThenable(ofLink) || isThenable(ofAccount) ? Promise.all([ofLink, ofAccount]) : [ofLink, ofAccount];
  }

  #countersOf(scope: string, details: Details, keyOf: (name: string) => string): Answer<readonly string[]> {
    const counters: Array<Answer<string>> = [];
    let isLate = false;
    for (const name in details) {
      const value = details[name] ?? other;
      const counter = this.#counterOf(scope, name, value) ?? this.#learn({scope, name, key: keyOf(name)}, value);
      isLate ||= typeof counter !== 'string';
      counters.push(counter);
    }
    return isLate ? Promise.all(counters.map(async (counter) => counter)) : (counters as string[]);
  }

  /** The counter of a value, if it is known without the store. */
  #counterOf(scope: string, name: string, value: string): string | undefined {
    if (value === direct) return `${name}:${directCode}`;
    if (value === other) return `${name}:${other}`;
    const known = this.#known.get(scope)?.get(name);
    const counter = known?.get(value);
    if (counter !== undefined) return counter;
    return this.#store.isAway || (known !== undefined && known.size >= maxValues) ? `${name}:${other}` : undefined;
  }

  async #learn(detail: Detail, value: string): Promise<string> {
    try {
      const known = await within(this.#timeout, this.#add(detail, value));
      return known.get(value) ?? `${detail.name}:${other}`;
    } catch (failure) {
      const error = toShortUrlError(failure);
      if (!isUnavailable(error)) this.#onError(error);
      return `${detail.name}:${other}`;
    }
  }

  /** Values that arrive during a write are stored together afterwards, because parallel writers of one record conflict. */
  #add(detail: Detail, value: string): Promise<Known> {
    const {key} = detail;
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.values.add(value);
      return open.stored;
    }
    const values = new Set([value]);
    const stored = Promise.resolve(this.#underWay.get(key)).then(() => {
      this.#open.delete(key);
      return this.#write(detail, values);
    });
    this.#open.set(key, {values, stored});
    const end = stored
      .catch(() => undefined)
      .then(() => {
        if (this.#underWay.get(key) === end) this.#underWay.delete(key);
      });
    this.#underWay.set(key, end);
    return stored;
  }

  async #write({scope, name, key}: Detail, values: ReadonlySet<string>): Promise<Known> {
    const before = this.#known.get(scope)?.get(name);
    if (before !== undefined && Array.from(values).every((value) => before.has(value))) return before;
    let stored: StoredValues = [];
    await upsert<StoredValues>(this.#store, key, (found = []) => {
      stored = withNew(found, values);
      return stored.length > found.length ? stored : undefined;
    });
    const known = new Map(stored.map(([value, code]) => [value, `${name}:${code}`]));
    // Set again, because its size has changed.
    this.#known.set(scope, new Map(this.#known.peek(scope)).set(name, known));
    return known;
  }
}

/**
 * The values, and as many new ones as fit. Codes are random, so that after a store has lost its last writes no process
 * confuses the codes of two values.
 */
function withNew(found: StoredValues, values: ReadonlySet<string>): StoredValues {
  const known = new Set(found.map(([value]) => value));
  const codes = new Set(found.map(([, code]) => code));
  const all = [...found];
  for (const value of values) {
    if (all.length >= maxValues) break;
    if (known.has(value)) continue;
    let code = nanoid(codeLength);
    while (codes.has(code)) code = nanoid(codeLength);
    codes.add(code);
    all.push([value, code]);
  }
  return all;
}

function sizeOf(details: ReadonlyMap<string, Known>): number {
  let size = overhead;
  for (const known of details.values()) {
    size += overhead;
    for (const value of known.keys()) size += valueOverhead + 2 * value.length;
  }
  return size;
}
