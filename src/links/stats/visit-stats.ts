import {dayLength, formatDate, monthOf, parseDate} from '../../values/calendar.ts';
import {
  type ConversionCounter,
  conversionOf,
  dayCounter,
  dayOfCounter,
  detailOf,
  isVariant,
} from '../../link/counters.ts';
import type {Counters} from '../../store/port.ts';
import {malformed, readAs, reader, readOptions} from '../../values/input.ts';
import {listOf} from '../../values/objects.ts';
import {choice, text} from '../../values/shape.ts';
import type {OldCounters} from './old-counters.ts';
import type {
  StatsPart,
  ConversionStats,
  DayStats,
  ConversionValue,
  DayVisits,
  DetailVisits,
  StatsQuery,
  VisitStats,
} from './statistics.ts';
import {toTotals} from '../../link/to-link.ts';

/** How many days the statistics cover, today included. */
export const maxDays = 400;

/** In how many months so many days may be. */
const maxMonths = 15;

/** The visits in counters, and the counters that are too old to be shown by themselves. */
export interface ReadStats {
  readonly stats: VisitStats;
  readonly variants: VisitStats['details'];
  readonly old: OldCounters;
}

/** Numbers of days, with the first and the last one. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** What statistics are asked for: the days, undefined for all, and what to read besides the sums. */
export interface AskedStats {
  readonly span: Span | undefined;
  readonly include: readonly StatsPart[];
}

const statsParts: readonly StatsPart[] = ['days', 'details'];

export const allStats: AskedStats = {span: undefined, include: statsParts};

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readAskedStats(query: StatsQuery = {}): AskedStats {
  const {include, ...span} = readOptions(query, 'Statistics are read with', statsReaders);
  return {span: toSpan(span), include: include ?? statsParts};
}

const readDay = readAs(text, (date) => {
  const midnight = parseDate(date);
  if (midnight === undefined) throw malformed('The first and the last day must be valid dates in the form yyyy-mm-dd.');
  return midnight / dayLength;
});

export const spanReaders = {from: readDay, until: readDay};

export const statsReaders = {...spanReaders, include: reader(listOf(choice(statsParts)))};

/** @throws ShortUrlError `malformed_parameter` */
export function toSpan({from, until}: {readonly [Name in keyof Span]?: number | undefined}): Span | undefined {
  if (from === undefined && until === undefined) return undefined;
  const span = {from: from ?? Number.NEGATIVE_INFINITY, until: until ?? Number.POSITIVE_INFINITY};
  if (span.from <= span.until) return span;
  throw malformed('The last day must not be before the first.');
}

type Writable<Value> = {-readonly [Name in keyof Value]: Value[Name]};

interface Day {
  visits: number;
  conversions: number;
  readonly values: ConversionValue[];
  readonly names: string[];
}

/**
 * The visits and conversions in counters. The newest days are never too old, because the clock of this process, or of
 * one that has counted a visit, may be wrong.
 *
 * @param counters all of a link, or all of an account
 * @param today the number of the day
 * @param asked the days to which totals are restricted, and what there is besides them
 */
export function toStats(counters: Counters, today: number, {span, include} = allStats): ReadStats {
  const isAsked = askedDays(today, span);
  const byDay = new Map<number, Day>();
  for (const [name, n] of counters.counts) {
    const conversion = conversionOf(name);
    const day = conversion ? conversion.day : dayOfCounter(name);
    if (day === undefined) continue;
    const found: Day = byDay.get(day) ?? {visits: 0, conversions: 0, values: [], names: []};
    byDay.set(day, found);
    found.names.push(name);
    if (conversion === undefined) found.visits += n;
    else if (conversion.kind === 'count') found.conversions += conversion.recordedBy === 'site' ? n : 0;
    else if (conversion.kind !== 'refunds') {
      const {kind, currency = null, recordedBy} = conversion;
      found.values.push({currency, recordedBy, value: 0, refunded: 0, [kind]: n});
    }
  }
  const all = Array.from(byDay).sort(([one], [other]) => one - other);
  const days = all
    .filter(([day]) => include.includes('days') && isAsked(day))
    .map(([day, {visits, conversions, values}]): DayStats => {
      return {date: formatDate(day), visits, conversions, values: valuesOf(values)};
    });
  const details = include.includes('details') ? detailsIn(counters) : [];
  const [variants, others] = [true, false].map((areVariants) =>
    toDetails(
      details.filter(({name}) => isVariant(name) === areVariants),
      span,
    ),
  );
  return {
    stats: {...toTotals(counters), ...sumsOf(counters, today, span), days, details: others ?? {}},
    variants: variants ?? {},
    old: {ofDays: all.slice(0, -maxDays).flatMap(([, {names}]) => names), ofMonths: oldMonths(details)},
  };
}

export function sumsOf(
  counters: Counters,
  today: number,
  span: Span | undefined,
): Pick<VisitStats, 'totalVisits' | 'conversions'> {
  if (span === undefined) {
    return {totalVisits: toTotals(counters).totalVisits, conversions: conversionsIn(counters)};
  }
  const isAsked = askedDays(today, span);
  let totalVisits = 0;
  for (const [name, n] of counters.counts) {
    const day = dayOfCounter(name);
    if (day !== undefined && isAsked(day)) totalVisits += n;
  }
  return {totalVisits, conversions: conversionsIn(counters, isAsked)};
}

export function oldestDay(today: number): number {
  return today - maxDays + 1;
}

function askedDays(today: number, span: Span | undefined): (day: number) => boolean {
  const oldest = oldestDay(today);
  return (day) => day >= oldest && (span === undefined || (day >= span.from && day <= span.until));
}

/** @param isAsked chooses days; by default those of all time */
export function conversionsIn(counters: Counters | undefined, isAsked?: (day: number) => boolean): ConversionStats[] {
  const parts: ConversionStats[] = [];
  for (const [counter, n] of counters?.counts ?? []) {
    const conversion = conversionOf(counter);
    if (conversion === undefined) continue;
    const {day} = conversion;
    if (day === undefined ? isAsked !== undefined : isAsked?.(day) !== true) continue;
    parts.push(partOf(conversion, n));
  }
  return addConversions(parts);
}

export function partOf({kind, name, currency, recordedBy}: ConversionCounter, n: number): ConversionStats {
  return {name, currency: currency ?? null, recordedBy, ...noConversions, [kind === 'count' ? 'conversions' : kind]: n};
}

const noConversions = {conversions: 0, value: 0, refunds: 0, refunded: 0};

export function addConversions(parts: readonly ConversionStats[]): ConversionStats[] {
  const sums = new Map<string, Writable<ConversionStats>>();
  for (const {name, currency, recordedBy, conversions, value, refunds, refunded} of parts) {
    const key = `${name} ${currency} ${recordedBy}`;
    const sum = sums.get(key) ?? {name, currency, recordedBy, ...noConversions};
    sums.set(key, sum);
    sum.conversions += conversions;
    sum.value += value;
    sum.refunds += refunds;
    sum.refunded += refunded;
  }
  return Array.from(sums.values()).sort(byConversions);
}

/** How many conversions the site has recorded, whatever their names. */
export function countOf(sums: readonly ConversionStats[]): number {
  return sums.reduce((count, each) => count + (each.recordedBy === 'site' ? each.conversions : 0), 0);
}

export function valuesOf(sums: ReadonlyArray<Pick<ConversionStats, keyof ConversionValue>>): ConversionValue[] {
  const values = new Map<string, Writable<ConversionValue>>();
  for (const {currency, recordedBy, value, refunded} of sums) {
    if (value === 0 && refunded === 0) continue;
    const key = `${currency} ${recordedBy}`;
    const sum = values.get(key) ?? {currency, recordedBy, value: 0, refunded: 0};
    values.set(key, sum);
    sum.value += value;
    sum.refunded += refunded;
  }
  return Array.from(values.values()).sort(byKind);
}

/** The last days up to today, the oldest first, as numbers of days. */
export function recentDays(today: number, count: number): number[] {
  return Array.from({length: count}, (_, index) => today - count + 1 + index);
}

export function visitsOn(days: readonly number[], counters: Counters | undefined): DayVisits[] {
  return days.flatMap((day) => {
    const visits = counters?.counts.get(dayCounter(day)) ?? 0;
    return visits > 0 ? [{date: formatDate(day), visits}] : [];
  });
}

interface CountedDetail {
  readonly counter: string;
  readonly name: string;
  readonly value: string;
  /** Undefined for the sum of months that are long past. */
  readonly month: number | undefined;
  readonly visits: number;
}

function detailsIn({counts}: Counters): CountedDetail[] {
  const found: CountedDetail[] = [];
  for (const [counter, visits] of counts) {
    const detail = detailOf(counter);
    if (detail !== undefined) found.push({counter, visits, ...detail});
  }
  return found;
}

/** The details of all time, or of the months that have a day of the span. The names in alphabetical order. */
function toDetails(counted: readonly CountedDetail[], span: Span | undefined): Record<string, DetailVisits[]> {
  const [first, last] = span === undefined ? [] : [monthOf(span.from), monthOf(span.until)];
  const details = new Map<string, Map<string, number>>();
  for (const {name, value, month, visits} of counted) {
    if (span !== undefined && (month === undefined || month < (first ?? month) || month > (last ?? month))) continue;
    const values = details.get(name) ?? new Map<string, number>();
    details.set(name, values.set(value, (values.get(value) ?? 0) + visits));
  }
  const sorted = Array.from(details).sort(([one], [another]) => (one < another ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([name, values]) => {
      return [name, Array.from(values, ([value, visits]): DetailVisits => ({value, visits})).sort(byVisits)];
    }),
  );
}

/** As for days, the newest months are never too old. */
function oldMonths(counted: readonly CountedDetail[]): Map<number, readonly string[]> {
  const months = new Map<number, string[]>();
  for (const {counter, month} of counted) {
    if (month === undefined) continue;
    const names = months.get(month) ?? [];
    names.push(counter);
    months.set(month, names);
  }
  const all = Array.from(months).sort(([one], [other]) => one - other);
  return new Map(all.slice(0, -maxMonths));
}

function byVisits(one: DetailVisits, another: DetailVisits): number {
  return another.visits - one.visits || (one.value < another.value ? -1 : 1);
}

function byConversions(one: ConversionStats, another: ConversionStats): number {
  if (one.conversions !== another.conversions) return another.conversions - one.conversions;
  if (one.name !== another.name) return one.name < another.name ? -1 : 1;
  return byKind(one, another);
}

/** What the site has recorded first, then by currency, and without one first. */
function byKind(one: Pick<ConversionValue, Kind>, another: Pick<ConversionValue, Kind>): number {
  if (one.recordedBy !== another.recordedBy) return one.recordedBy === 'site' ? -1 : 1;
  return (one.currency ?? '') < (another.currency ?? '') ? -1 : 1;
}

type Kind = 'currency' | 'recordedBy';
