import type {DayStats, DayVisits} from '../../index.ts';

export interface StatsByDay {
  /** All days of the span, also those without visits. */
  readonly days: readonly DayStats[];
  readonly visits: number;
  readonly conversions: number;
  /** The day with the most visits; the first one if there are several. */
  readonly busiest: DayStats;
}

export function statsByDay(counts: ReadonlyArray<DayVisits & Partial<DayStats>>, dates: readonly string[]): StatsByDay {
  const counted = new Map(counts.map((day) => [day.date, day]));
  const days = dates.map((date) => ({date, visits: 0, conversions: 0, values: [], ...counted.get(date)}));
  return {
    days,
    visits: days.reduce((sum, {visits}) => sum + visits, 0),
    conversions: days.reduce((sum, {conversions}) => sum + conversions, 0),
    busiest: days.reduce((best, day) => (day.visits > best.visits ? day : best)),
  };
}

/** Rounds up to 1, 2, 4, 6, 8, 10, 20, 30, …. The half of each but 1 is an integer, for the line in the middle. */
export function roundUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  const steps = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((step) => step * unit);
  return steps.find((step) => step >= count && (step === 1 || step % 2 === 0)) ?? 10 * unit;
}
