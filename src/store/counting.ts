import type {Addition, Counters} from './port.ts';

/** The counters of one key, for the drivers that keep them as an object. */
export interface StoredCounters {
  at: number;
  readonly counts: Record<string, number>;
}

/** Without a prototype, because a counter may be called `constructor`. */
export function noCounters(): StoredCounters {
  return {at: 0, counts: Object.create(null) as Record<string, number>};
}

/** Some adapters parse what looks like JSON. */
export function parseCounters(record: unknown): StoredCounters | undefined {
  const stored = (typeof record === 'string' ? JSON.parse(record) : record) as StoredCounters | undefined;
  return stored && {...stored, counts: Object.assign(noCounters().counts, stored.counts)};
}

/** Adds to the counters in place. */
export function addTo(stored: StoredCounters, {add, at}: Pick<Addition, 'add' | 'at'>): void {
  for (const name in add) stored.counts[name] = (stored.counts[name] ?? 0) + (add[name] ?? 0);
  if (at > stored.at) stored.at = at;
}

/** @param names which counters to read; all of them by default */
export function readCounters(stored: StoredCounters | undefined, names?: readonly string[]): Counters {
  const counts = new Map<string, number>();
  for (const name of names ?? Object.keys(stored?.counts ?? {})) {
    const count = stored?.counts[name];
    if (count !== undefined) counts.set(name, count);
  }
  return {counts, at: counts.size > 0 ? stored?.at : undefined};
}

/** Removes counters in place. */
export function removeFrom(stored: StoredCounters, names: readonly string[]): void {
  for (const name of names) Reflect.deleteProperty(stored.counts, name);
}
