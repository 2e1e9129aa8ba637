import {isUnavailable} from '../host/errors.ts';
import type {Counters, Store} from '../store/port.ts';
import {dayOf, formatDate} from '../links/input/dates.ts';
import {direct, directCode, other, type StoredValues} from './detail-values.ts';
import type {DayVisits, DetailVisits, VisitStats} from '../links/link.ts';
import {countersKey, dayCounter, dayOfCounter, type LinkRecord, toTotals, valuesKey} from '../links/record.ts';

/** How many days the statistics cover, today included. */
const daysKept = 400;

/** The visits in counters, and the names of counters that are too old to be shown. */
export interface ReadStats {
  readonly stats: VisitStats;
  readonly old: readonly string[];
}

/**
 * Reads visits from counters.
 *
 * @param counters all of a link, or all of an account. Read them before the values: a value is stored before it is counted
 * @param keyOf returns the key of the values of a detail
 */
export async function readStats(
  store: Store,
  counters: Counters,
  keyOf: (name: string) => string,
  now: number,
): Promise<ReadStats> {
  const names = detailNames(counters);
  const entries = await store.getMany<StoredValues>(names.map(keyOf));
  return toStats(counters, new Map(names.map((name, index) => [name, entries[index]?.value ?? []])), now);
}

/** @param values the stored values of each detail */
export function toStats(counters: Counters, values: ReadonlyMap<string, StoredValues>, now: number): ReadStats {
  const oldest = dayOf(now) - daysKept + 1;
  const days = Array.from(counters.counts, ([name, visits]) => ({name, visits, day: dayOfCounter(name) ?? -1}))
    .filter(({day}) => day >= 0)
    .sort((one, other) => one.day - other.day);
  return {
    stats: {
      ...toTotals(counters),
      days: days.filter(({day}) => day >= oldest).map(({day, visits}) => ({date: formatDate(day), visits})),
      details: Object.fromEntries(
        detailNames(counters).map((name) => [name, toDetail(counters, name, values.get(name) ?? [])]),
      ),
    },
    old: days.filter(({day}) => day < oldest).map(({name}) => name),
  };
}

/** The last days up to today, the oldest first, as numbers of days. */
export function recentDays(now: number, count: number): number[] {
  return Array.from({length: count}, (_, index) => dayOf(now) - count + 1 + index);
}

/** The visits on those of the days that have any. */
export function visitsOn(days: readonly number[], counters: Counters | undefined): DayVisits[] {
  return days.flatMap((day) => {
    const visits = counters?.counts.get(dayCounter(day)) ?? 0;
    return visits > 0 ? [{date: formatDate(day), visits}] : [];
  });
}

/**
 * Removes counters that are too old to be shown. If the store refuses that, for example because its disk is full, they
 * stay until they are read again.
 */
export async function removeOld(store: Store, key: string, old: readonly string[]): Promise<void> {
  try {
    await store.removeCounters(key, old);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}

/** Removes the counters and values of a removed link. */
export async function removeVisits(store: Store, record: LinkRecord): Promise<void> {
  const key = countersKey(record);
  const [counters] = await store.getCounters([key]);
  const names = counters ? detailNames(counters) : [];
  await Promise.all([store.removeCounters(key), ...names.map((name) => store.remove(valuesKey(record, name)))]);
}

/** The names of the details that were counted, in alphabetical order. */
export function detailNames({counts}: Counters): string[] {
  const names = Array.from(counts.keys(), (counter) => /^(\w+):/.exec(counter)?.[1] ?? '');
  return Array.from(new Set(names.filter(Boolean))).sort();
}

/** The value of a code; `other` if the store has lost the value. */
function toDetail({counts}: Counters, name: string, values: StoredValues): DetailVisits[] {
  const valueOf = new Map([[directCode, direct], ...values.map(([value, code]) => [code, value] as const)]);
  const visitsOf = new Map<string, number>();
  for (const [counter, visits] of counts) {
    if (!counter.startsWith(`${name}:`)) continue;
    const value = valueOf.get(counter.slice(name.length + 1)) ?? other;
    visitsOf.set(value, (visitsOf.get(value) ?? 0) + visits);
  }
  return Array.from(visitsOf, ([value, visits]) => ({value, visits})).sort(byVisits);
}

function byVisits(one: DetailVisits, another: DetailVisits): number {
  return another.visits - one.visits || (one.value < another.value ? -1 : 1);
}
