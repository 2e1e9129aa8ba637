import {dayOf} from '../links/input/dates.ts';
import type {Counts} from './pending-visits.ts';
import {dayCounter, visitsCounter} from '../links/record.ts';

/** The most objects that are cached, enough for a busy site on one day. */
const maxRemembered = 10_000;

/**
 * The additions of a visit: one to the total, one to the day, and one to each detail. Visits with the same additions
 * share one object.
 */
export class VisitCounters {
  #day: number | undefined;
  readonly #remembered = new Map<string, Counts>();

  /**
   * @param at the time of the visit, in milliseconds since the epoch
   * @param details the counters of its details
   */
  of(at: number, details: readonly string[]): Counts {
    const day = dayOf(at);
    if (day !== this.#day || this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#day = day;
    const name = details.length === 1 ? (details[0] ?? '') : details.join(' ');
    let counts = this.#remembered.get(name);
    if (counts === undefined) {
      // No prototype, because the name of a counter may be a property of Object.prototype.
      const added = Object.create(null) as Record<string, number>;
      for (const counter of [visitsCounter, dayCounter(day), ...details]) added[counter] = 1;
      counts = added;
      this.#remembered.set(name, counts);
    }
    return counts;
  }
}
