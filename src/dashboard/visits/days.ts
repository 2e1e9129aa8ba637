import type {DayVisits} from '../../index.ts';

/** The spans of a chart, in days. */
export const spans = [30, 90, 365] as const;
export type Span = (typeof spans)[number];

const dayLength = 24 * 60 * 60 * 1000;

/** The data of a chart. */
export interface VisitsByDay {
  /** All days of the span, also those without visits; today is the last. */
  readonly days: readonly DayVisits[];
  readonly total: number;
  /** The day with the most visits; the first one if there are several. */
  readonly busiest: DayVisits;
  /** The end of the axis: a round number, at least 1. */
  readonly top: number;
}

/** Arranges counts by day for the span that ends with `today`. Leaves out older ones. */
export function visitsByDay(counts: readonly DayVisits[], span: number, today: string): VisitsByDay {
  const visits = new Map(counts.map(({date, visits: count}) => [date, count]));
  const days = Array.from({length: span}, (_, index) => {
    const date = new Date(Date.parse(today) - (span - 1 - index) * dayLength).toISOString().slice(0, 10);
    return {date, visits: visits.get(date) ?? 0};
  });
  const busiest = days.reduce((best, day) => (day.visits > best.visits ? day : best));
  const total = days.reduce((sum, day) => sum + day.visits, 0);
  return {days, total, busiest, top: roundUp(busiest.visits)};
}

/** The span that the parameter `days` of a query selects. */
export function spanIn(query: URLSearchParams): Span {
  return spans.find((span) => String(span) === query.get('days')) ?? 30;
}

/** Rounds up to 1, 2, 4, 6, 8, 10, 20, 30, …. The half of each but 1 is an integer, for the line in the middle. */
function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((step) => step * unit);
  return steps.find((step) => step >= count && (step === 1 || step % 2 === 0)) ?? 10 * unit;
}
