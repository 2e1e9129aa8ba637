import {isUnavailable} from '../host/errors.ts';
import type {Counters, Store} from '../store/port.ts';
import {dayOf, formatDate} from '../links/input/dates.ts';
import {detailNames, detailOf} from './detail-values.ts';
import type {DayVisits, DetailVisits, VisitStats} from '../links/link.ts';
import {dayCounter, dayOfCounter, toTotals} from '../links/record.ts';

/** How many days the statistics cover, today included. */
const daysKept = 400;

/** The visits in counters, and the names of counters that are too old to be shown. */
export interface ReadStats {
  readonly stats: VisitStats;
  readonly old: readonly string[];
}

/**
 * The visits in counters. Days are too old only if they are so for the newest counted day as well, because the clock of
 * this process may be wrong.
 *
 * @param counters all of a link, or all of an account
 */
export function toStats(counters: Counters, now: number): ReadStats {
  const days = Array.from(counters.counts, ([name, visits]) => ({name, visits, day: dayOfCounter(name) ?? -1}))
    .filter(({day}) => day >= 0)
    .sort((one, other) => one.day - other.day);
  const oldest = dayOf(now) - daysKept + 1;
  const newest = days.at(-1)?.day ?? 0;
  const outdated = Math.min(oldest, newest - daysKept + 1);
  return {
    stats: {
      ...toTotals(counters),
      days: days.filter(({day}) => day >= oldest).map(({day, visits}) => ({date: formatDate(day), visits})),
      details: Object.fromEntries(detailNames(counters).map((name) => [name, toDetail(counters, name)])),
    },
    old: days.filter(({day}) => day < outdated).map(({name}) => name),
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

function toDetail({counts}: Counters, name: string): DetailVisits[] {
  const visitsOf = new Map<string, number>();
  for (const [counter, visits] of counts) {
    const detail = detailOf(counter);
    if (detail?.name === name) visitsOf.set(detail.value, (visitsOf.get(detail.value) ?? 0) + visits);
  }
  return Array.from(visitsOf, ([value, visits]) => ({value, visits})).sort(byVisits);
}

function byVisits(one: DetailVisits, another: DetailVisits): number {
  return another.visits - one.visits || (one.value < another.value ? -1 : 1);
}
