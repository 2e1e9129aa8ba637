import type {Addition, Counters, KeyAddition} from './port.ts';

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
export function addTo(stored: StoredCounters, add: KeyAddition['add'], at: number): void {
  for (const name in add) stored.counts[name] = (stored.counts[name] ?? 0) + (add[name] ?? 0);
  if (at > stored.at) stored.at = at;
}

/** The sums of the additions by key. The totals of an account are in many additions. */
export function sumByKey(
  additions: ReadonlyArray<Pick<Addition, 'counters' | 'at'>>,
): Map<string, Readonly<{counts: KeyAddition['add']; at: number}>> {
  const sums = new Map<string, {counts: KeyAddition['add']; at: number}>();
  const added = new Map<string, StoredCounters>();
  for (const {counters, at} of additions) {
    for (const {key, add} of counters) {
      const known = sums.get(key);
      if (known === undefined) {
        // Not copied, because most keys are in one addition only.
        sums.set(key, {counts: add, at});
        continue;
      }
      let sum = added.get(key);
      if (sum === undefined) {
        sum = noCounters();
        addTo(sum, known.counts, known.at);
        added.set(key, sum);
        sums.set(key, sum);
      }
      addTo(sum, add, at);
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
