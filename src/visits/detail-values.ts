import {detailCounter, detailOf, withoutMonth} from '../link/counters.ts';
import {LRUCache} from 'lru-cache';
import type {Counters, Store} from '../store/port.ts';
import {Grouper} from '../store/batching/grouper.ts';

/** The details of a visit by name: see the option `visitDetails`. */
export type Details = Readonly<Record<string, string>>;

/** The referrer of a visit without one. */
export const direct = 'direct';
/** The details of visits without a referrer, by device. Most visits have them. */
export const directVisits = {
  unknown: Object.freeze({referrer: direct}),
  ios: Object.freeze({referrer: direct, device: 'ios'}),
  android: Object.freeze({referrer: direct, device: 'android'}),
  desktop: Object.freeze({referrer: direct, device: 'desktop'}),
} as const;
const countersOfDirect: ReadonlyMap<Details, readonly string[]> = new Map(
  Object.values(directVisits).map((details: Details) => [
    details,
    Object.entries(details).map(([name, value]) => `${name}:${value}`),
  ]),
);
const devices: ReadonlySet<string> = new Set(Object.keys(directVisits));
/** The sum of the values that are not counted separately. */
export const other = 'other';

/** The maximum number of values of a detail that a process counts separately, for each link and for each account. */
export const maxValues = 100;

/** The maximum length of a value, in characters. */
export const maxValueLength = 64;

/** The maximum memory for cached values, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/** Estimated overhead of a cached link or detail, and of one of its values, in bytes. */
const overhead = 300;
const valueOverhead = 150;

/** The maximum number of links whose values are read together. A link has at most some thousand counters. */
const maxReads = 20;

type Values = Map<string, string>;

interface Known {
  readonly details: Map<string, Values>;
  bytes: number;
  /** Whether the stored values are among them, or are being read. */
  isRead: boolean;
}

/**
 * Finds the counters for the details of visits without waiting for the store. A process counts about a hundred values of
 * each detail, and further ones as `other`. At the first new value it begins to read which values the link has already.
 * New values are counted meanwhile, so each start of a process, and each eviction from its cache, may add some stored
 * values, and at most a hundred.
 */
export class DetailValues {
  readonly #store: Store;
  readonly #known = new LRUCache<string, Known>({maxSize: maxBytes, sizeCalculation: ({bytes}) => bytes});
  readonly #reads: Grouper<readonly string[], readonly Counters[]>;

  constructor(store: Store) {
    this.#store = store;
    this.#reads = new Grouper((lists) => readAll(store, lists), {isSerial: true, maxItems: maxReads});
  }

  /**
   * The counters for the details of a visit, without its month.
   *
   * @param scope names the link or the account
   * @param keysOf returns the keys of its counters
   */
  counters(scope: string, details: Details, keysOf: (scope: string) => readonly string[]): readonly string[] {
    const ofDirect = countersOfDirect.get(details);
    if (ofDirect !== undefined) return ofDirect;
    const counters: string[] = [];
    for (const name in details) {
      const value = details[name] ?? other;
      const isCommon = value === direct || value === other || (name === 'device' && devices.has(value));
      counters.push(isCommon ? `${name}:${value}` : this.#counterOf(scope, name, value, keysOf));
    }
    return counters;
  }

  #counterOf(scope: string, name: string, value: string, keysOf: (scope: string) => readonly string[]): string {
    const known = this.#known.get(scope) ?? {details: new Map<string, Values>(), bytes: overhead, isRead: false};
    const values = known.details.get(name);
    const counter = values?.get(value);
    if (counter !== undefined) return counter;
    if (!known.isRead && !this.#store.isAway) void this.#read(scope, known, keysOf(scope));
    if (values !== undefined && values.size >= maxValues) return `${name}:${other}`;
    const added = add(known, name, value);
    this.#remember(scope, known);
    return added;
  }

  /** Adds the stored values with the most visits. After a failure the next new value tries again. */
  async #read(scope: string, known: Known, keys: readonly string[]): Promise<void> {
    known.isRead = true;
    try {
      const visits = new Map<string, number>();
      for (const {counts} of await this.#reads.add(keys)) {
        for (const [name, n] of counts) {
          if (!name.includes(':')) continue;
          const counter = withoutMonth(name);
          visits.set(counter, (visits.get(counter) ?? 0) + n);
        }
      }
      const room = new Map<string, number>();
      for (const [counter] of Array.from(visits).sort(([, one], [, another]) => another - one)) {
        const {name, value} = detailOf(counter) ?? {name: '', value: other};
        const left = room.get(name) ?? maxValues;
        room.set(name, left - 1);
        if (left > 0 && value !== direct && value !== other) add(known, name, value);
      }
      if (this.#known.has(scope)) this.#remember(scope, known);
    } catch {
      // The store reports its outages itself.
      known.isRead = false;
    }
  }

  #remember(scope: string, known: Known): void {
    // Removed first, because the cache measures only a new entry.
    this.#known.delete(scope);
    this.#known.set(scope, known);
  }
}

function add(known: Known, name: string, value: string): string {
  let values = known.details.get(name);
  if (values === undefined) {
    values = new Map();
    known.details.set(name, values);
    known.bytes += overhead;
  }
  let counter = values.get(value);
  if (counter === undefined) {
    counter = detailCounter(name, value);
    values.set(value, counter);
    known.bytes += valueOverhead + 2 * (value.length + counter.length);
  }
  return counter;
}

async function readAll(store: Store, lists: ReadonlyArray<readonly string[]>): Promise<Array<readonly Counters[]>> {
  const counters = await store.getCounters(lists.flat());
  let start = 0;
  return lists.map((list) => counters.slice(start, (start += list.length)));
}
