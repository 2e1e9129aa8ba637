import {planted} from '../../planted.ts';
import {dayLength, formatDate, parseDate} from '../../values/calendar.ts';
import {limits} from '../generated/limits.ts';
import {beginning} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** The spans that a link leads to: so many days up to today, this month and the last one. */
export const choices = ['7', '30', '90', '365', 'month', 'last-month'] as const;
export type Choice = (typeof choices)[number];

export interface Span {
  /** Undefined for days that the user has entered. */
  readonly choice: Choice | undefined;
  /** All days, `yyyy-mm-dd`, the oldest first. At least one. */
  readonly dates: readonly string[];
  readonly query: {readonly from: string; readonly until: string};
  /** What the user has entered. */
  readonly entered: {readonly from: string; readonly until: string};
  /** Whether that is refused. Then the span is the default. */
  readonly isRefused: boolean;
}

/** The span that a query names, by default thirty days. */
export function spanIn(query: URLSearchParams, today: string): Span {
  const entered = {from: beginning(query.get('from') ?? '', 20), until: beginning(query.get('until') ?? '', 20)};
  const last = dayOf(today);
  if (entered.from !== '' || entered.until !== '') {
    const [from, until] = [dayOf(entered.from), dayOf(entered.until)];
    if (from > last - limits.days && from <= until && until <= last) return spanOf(from, until, {entered});
    return spanOf(last - 29, last, {entered, choice: '30', isRefused: true});
  }
  const choice = choices.find((each) => each === query.get('days')) ?? '30';
  const month = firstOfMonth(last);
  if (choice === 'month') return spanOf(month, last, {entered, choice});
  if (choice === 'last-month') {
    const first = planted('last-month-of-thirty-days') ? month - 30 : firstOfMonth(month - 1);
    return spanOf(first, month - 1, {entered, choice});
  }
  return spanOf(last - Number(choice) + 1, last, {entered, choice});
}

export function spanParameters({choice, query}: Span): Record<string, string | undefined> {
  return choice === undefined ? {...query} : {days: choice};
}

/** The days that the user has chosen on this page; none of the usual ones. */
export function chosenSpan({
  query,
  today,
}: Pick<DashboardRequest, 'query' | 'today'>): Record<string, string | undefined> {
  return hasSpan(query) ? spanParameters(spanIn(query, today)) : {};
}

export function hasSpan(query: URLSearchParams): boolean {
  return ['days', 'from', 'until'].some((name) => query.has(name));
}

/** The words for a span in a sentence. */
export function periodOf({texts, formats}: DashboardRequest, {choice, query}: Span): string {
  const {lastDays, between} = texts.visits;
  const isUpToToday = choice !== undefined && !isMonth(choice);
  return isUpToToday ? lastDays(choice) : between(formats.date(query.from), formats.date(query.until));
}

/** The words for the days before a span. */
export function periodBefore(
  {texts, formats}: DashboardRequest,
  span: Span,
  [first = '', ...rest]: readonly string[],
): string {
  if (!isOfMonth(span)) return formats.count(span.dates.length, texts.visits.before);
  return formats.range(first, rest.at(-1) ?? first);
}

const isMonth = (choice: Choice | undefined): boolean => choice === 'month' || choice === 'last-month';

/** Whether a span is a month, or the beginning of one, and was not chosen as so many days. */
function isOfMonth({choice, dates}: Span): boolean {
  const [first = '', last = first] = [dates[0], dates.at(-1)];
  return isMonth(choice) || (choice === undefined && first.endsWith('-01') && first.slice(0, 7) === last.slice(0, 7));
}

function firstOfMonth(day: number): number {
  return dayOf(`${dateOf(day).slice(0, 8)}01`);
}

export function firstDate(today: string): string {
  return dateOf(dayOf(today) - limits.days + 1);
}

function spanOf(
  from: number,
  until: number,
  {choice, entered, isRefused = false}: Pick<Span, 'entered'> & {choice?: Choice; isRefused?: boolean},
): Span {
  const dates = Array.from({length: until - from + 1}, (_, index) => dateOf(from + index));
  return {choice, dates, query: {from: dateOf(from), until: dateOf(until)}, entered, isRefused};
}

/** The number of a day; NaN for anything else than a real `yyyy-mm-dd`. */
export function dayOf(date: string): number {
  return (parseDate(date) ?? NaN) / dayLength;
}

function dateOf(day: number): string {
  return Number.isNaN(day) ? '' : formatDate(day);
}

/**
 * The days that a span is compared with: as many before it. Before a whole month it is the whole month before, and before
 * one that runs the same days of the month before, as far as it has them. Undefined if statistics do not reach so far back.
 */
export function datesBefore(span: Span, today: string): readonly string[] | undefined {
  const {choice, dates} = span;
  const first = dayOf(dates[0] ?? '');
  const end = first + dates.length;
  const from = isOfMonth(span) ? firstOfMonth(first - 1) : first - dates.length;
  if (from <= dayOf(today) - limits.days) return undefined;
  const isWhole = choice !== 'month' && firstOfMonth(end) === end;
  const until = isOfMonth(span) && isWhole ? first : Math.min(first, from + dates.length);
  return Array.from({length: until - from}, (_, index) => dateOf(from + index));
}

export function recentDates(today: string, count: number): readonly string[] {
  const last = dayOf(today);
  return Array.from({length: count}, (_, index) => dateOf(last - count + 1 + index));
}
