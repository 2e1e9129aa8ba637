import type {DayVisits} from '../index.ts';

/** How many days a chart may show. */
export const spans = [30, 90, 365] as const;
export type Span = (typeof spans)[number];

const dayLength = 24 * 60 * 60 * 1000;

/** The visits of the last days, as a chart shows them. */
export interface VisitsByDay {
  /** One for each day, today (UTC) last; those without visits too. */
  readonly days: readonly DayVisits[];
  readonly total: number;
  /** The first of the days with the most visits. */
  readonly busiest: DayVisits;
  /** Where the axis ends: a round number, at least 1. */
  readonly top: number;
}

/** Sorts counts into the last days, up to `now`; older ones are left out. */
export function visitsByDay(counts: readonly DayVisits[], span: number, now: number): VisitsByDay {
  const visits = new Map(counts.map(({date, visits: count}) => [date, count]));
  const days = Array.from({length: span}, (_, index) => {
    const date = dateOf(now - (span - 1 - index) * dayLength);
    return {date, visits: visits.get(date) ?? 0};
  });
  const busiest = days.reduce((most, day) => (day.visits > most.visits ? day : most));
  const total = days.reduce((sum, day) => sum + day.visits, 0);
  return {days, total, busiest, top: roundUp(busiest.visits)};
}

/** The span that a query asks for with `days`. */
export function spanIn(query: URLSearchParams): Span {
  return spans.find((span) => String(span) === query.get('days')) ?? 30;
}

/** `yyyy-mm-dd`, UTC. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The next of 1, 2, 4, 6, 8, 10, 20, 30, …: numbers whose half is worth a line. */
function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((step) => step * unit);
  return steps.find((step) => step >= count && (step === 1 || step % 2 === 0)) ?? 10 * unit;
}
