import {formatDate} from '../../link/calendar.ts';
import {dayCounter, dayOfCounter, detailOf} from '../../link/counters.ts';
import {isUnavailable} from '../../host/errors.ts';
import type {Counters, Store} from '../../store/port.ts';
import type {DayVisits, DetailVisits, VisitStats} from '../../link/link.ts';
import {toTotals} from '../../link/to-link.ts';

/** How many days the statistics cover, today included. */
const maxDays = 400;

/** The visits in counters, and the names of counters that are too old to be shown. */
export interface ReadStats {
  readonly stats: VisitStats;
  readonly old: readonly string[];
}

/**
 * The visits in counters. The newest 400 days with visits are never too old, because the clock of this process, or of one
 * that has counted a visit, may be wrong.
 *
 * @param counters all of a link, or all of an account
 * @param today the number of the day
 */
export function toStats(counters: Counters, today: number): ReadStats {
  const days = Array.from(counters.counts, ([name, visits]) => ({name, visits, day: dayOfCounter(name) ?? -1}))
    .filter(({day}) => day >= 0)
    .sort((one, other) => one.day - other.day);
  const oldest = today - maxDays + 1;
  return {
    stats: {
      ...toTotals(counters),
      days: days.filter(({day}) => day >= oldest).map(({day, visits}) => ({date: formatDate(day), visits})),
      details: toDetails(counters),
    },
    old: days.slice(0, -maxDays).map(({name}) => name),
  };
}

/** The last days up to today, the oldest first, as numbers of days. */
export function recentDays(today: number, count: number): number[] {
  return Array.from({length: count}, (_, index) => today - count + 1 + index);
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

/** The names in alphabetical order. */
function toDetails({counts}: Counters): Record<string, DetailVisits[]> {
  const details = new Map<string, DetailVisits[]>();
  for (const [counter, visits] of counts) {
    const detail = detailOf(counter);
    if (detail === undefined) continue;
    const values = details.get(detail.name) ?? [];
    values.push({value: detail.value, visits});
    details.set(detail.name, values);
  }
  for (const values of details.values()) values.sort(byVisits);
  return Object.fromEntries(Array.from(details).sort(([one], [another]) => (one < another ? -1 : 1)));
}

function byVisits(one: DetailVisits, another: DetailVisits): number {
  return another.visits - one.visits || (one.value < another.value ? -1 : 1);
}
