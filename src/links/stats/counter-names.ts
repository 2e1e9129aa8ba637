import {
  conversionCounter,
  conversionCounts,
  type ConversionName,
  dayCounter,
  visitsCounter,
} from '../../link/counters.ts';
import type {Store} from '../../store/port.ts';
import {readConversionNames} from './conversion-names.ts';
import {type AskedStats, oldestDay, type Span} from './visit-stats.ts';

/**
 * The maximum number of counters that are read of a key by name. Beyond it, all of them are read: few keys have as many
 * besides those that are asked for.
 */
export const maxNames = 2000;

/** The maximum number of counters that are asked for by name at once. For more, MySQL would read its whole table. */
export const maxNamed = 10_000;

/** The name of a counter on a day, or in all time. */
export type Kind = (day?: number) => string;

export function kindsOf(names: readonly ConversionName[]): Kind[] {
  const ofVisits: Kind = (day) => (day === undefined ? visitsCounter : dayCounter(day));
  const ofConversions = names.flatMap((name) =>
    conversionCounts.map(
      (kind): Kind =>
        (day) =>
          conversionCounter(kind, name, day),
    ),
  );
  return [ofVisits, ...ofConversions];
}

/** The days of a span that statistics have. */
export function daysOf(span: Span | undefined, today: number): number[] {
  const first = Math.max(span?.from ?? -Infinity, oldestDay(today));
  const last = Math.min(span?.until ?? Infinity, today);
  return Array.from({length: Math.max(0, last - first + 1)}, (_, index) => first + index);
}

/**
 * The counters to read for statistics; undefined for all of them. The values of details have no names that are known.
 *
 * @param generation of the account; undefined for the whole site
 */
export async function countersFor(
  store: Store,
  generation: string | undefined,
  today: number,
  asked: readonly AskedStats[],
): Promise<readonly string[] | undefined> {
  if (asked.some(({include}) => include.includes('details'))) return undefined;
  const kinds = kindsOf(await readConversionNames(store, generation));
  const withDays = asked.filter(({span, include}) => span !== undefined || include.includes('days'));
  const days = new Set(withDays.flatMap(({span}) => daysOf(span, today)));
  if (kinds.length * (1 + days.size) > maxNames) return undefined;
  return [undefined, ...days].flatMap((day) => kinds.map((kind) => kind(day)));
}
