import {dayCounter, inMonth, visitsCounter} from '../link/counters.ts';
import {type Calendar, monthOf} from '../values/calendar.ts';
import type {Increments} from '../store/port.ts';

/** The maximum number of objects that are cached, enough for a busy site on one day. */
const maxCached = 10_000;

/**
 * The increments of a visit: one for the total, one for the day, and one for each detail in its month. Visits with the same
 * increments share one object, which is cheaper to sum up.
 */
export class IncrementCache {
  readonly #calendar: Calendar;
  #day: number | undefined;
  /** The last visit's, because most visits have the same counters. */
  #last: {readonly counters: readonly string[]; readonly increments: Increments} | undefined;
  readonly #cached = new Map<string, Increments>();

  constructor(calendar: Calendar) {
    this.#calendar = calendar;
  }

  /**
   * @param at the time of the visit, in milliseconds since the epoch
   * @param counters the names of further counters, those of details without the month; the same array is found faster
   */
  of(at: number, counters: readonly string[]): Increments {
    const day = this.#calendar.dayOf(at);
    if (day === this.#day && counters === this.#last?.counters) return this.#last.increments;
    if (day !== this.#day || this.#cached.size >= maxCached) this.#cached.clear();
    this.#day = day;
    const name = counters.length === 1 ? (counters[0] ?? '') : counters.join(' ');
    let increments = this.#cached.get(name);
    if (increments === undefined) {
      const month = monthOf(day);
      const further = counters.map((counter) => (counter.includes(':') ? inMonth(counter, month) : counter));
      increments = Object.fromEntries([visitsCounter, dayCounter(day), ...further].map((counter) => [counter, 1]));
      this.#cached.set(name, increments);
    }
    this.#last = {counters, increments};
    return increments;
  }
}
