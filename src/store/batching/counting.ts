import type {Addition, Counters, Increments} from '../port.ts';

/** The counters of one key, for drivers that store them as an object. */
export interface StoredCounters {
  at: number;
  readonly counts: Record<string, number>;
}

/** No prototype, because a counter may be named `constructor`. */
export function noCounters(): StoredCounters {
  return {at: 0, counts: Object.create(null) as Record<string, number>};
}

/** Whether a stored value is counters, for drivers that store them among the records. A record has a `value`. */
export function isCounters(stored: unknown): boolean {
  if (typeof stored === 'string') return stored.startsWith('{"at":') && isCounters(JSON.parse(stored));
  return typeof stored === 'object' && stored !== null && 'counts' in stored && !('value' in stored);
}

/** Accepts objects as well, because some adapters parse text that looks like JSON. */
export function parseCounters(record: unknown): StoredCounters | undefined {
  const stored = (typeof record === 'string' ? JSON.parse(record) : record) as StoredCounters | undefined;
  return stored && {...stored, counts: Object.assign(noCounters().counts, stored.counts)};
}

/** Adds to the counters in place. */
export function addTo(stored: StoredCounters, add: Increments, at: number): void {
  raise(stored.counts, add, 1);
  if (at > stored.at) stored.at = at;
}

function raise(counts: Record<string, number>, add: Increments, times: number): void {
  for (const name of Object.keys(add)) counts[name] = (counts[name] ?? 0) + times * (add[name] ?? 0);
}

/** The sum of additions to the same counters. Most of them are the same object, which is multiplied. */
class Sum {
  at: number;
  #last: Increments;
  /** How often the last addition was made in a row. */
  #row = 1;
  /** The sum of the earlier additions. */
  #earlier: Record<string, number> | undefined;

  constructor(add: Increments, at: number) {
    this.#last = add;
    this.at = at;
  }

  add(add: Increments, at: number): void {
    if (add !== this.#last) {
      this.#sum();
      this.#last = add;
    }
    this.#row += 1;
    if (at > this.at) this.at = at;
  }

  get counts(): Increments {
    return this.#row === 1 && this.#earlier === undefined ? this.#last : this.#sum();
  }

  #sum(): Increments {
    this.#earlier ??= noCounters().counts;
    raise(this.#earlier, this.#last, this.#row);
    this.#row = 0;
    return this.#earlier;
  }
}

/** The sums of the additions by key. The totals of an account are in many additions. */
export function sumByKey(additions: ReadonlyArray<Omit<Addition, 'link'>>): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const {keys, adds, at} of additions) {
    for (const [index, key] of keys.entries()) {
      const add = adds[index] ?? {};
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, new Sum(add, at));
      else sum.add(add, at);
    }
  }
  return sums;
}

/** @param names the counters to read; by default all of them */
export function readCounters(stored: StoredCounters | undefined, names?: readonly string[]): Counters {
  const counts = new Map<string, number>();
  for (const name of names ?? Object.keys(stored?.counts ?? {})) {
    const count = stored?.counts[name];
    if (count !== undefined) counts.set(name, count);
  }
  return {counts, at: counts.size > 0 ? stored?.at : undefined};
}

/** Sets counters in place. */
export function setIn(stored: StoredCounters, {counts, at = 0}: Counters): void {
  for (const [name, count] of counts) stored.counts[name] = count;
  stored.at = at;
}

/** Removes counters in place. */
export function removeFrom(stored: StoredCounters, names: readonly string[]): void {
  for (const name of names) Reflect.deleteProperty(stored.counts, name);
}
