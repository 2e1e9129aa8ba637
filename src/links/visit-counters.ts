import {dayOf} from './dates.ts';
import type {Counts} from './pending-visits.ts';
import {dayCounter, visitsCounter} from './record.ts';

/** Objects that are remembered: as many as a busy site needs on a day. */
const maxRemembered = 10_000;

/**
 * What one visit adds to the counters of a key: one to the sum, one to the day and one for each detail. Visits that add
 * the same share one object.
 */
export class VisitCounters {
  #day: number | undefined;
  readonly #remembered = new Map<string, Counts>();

  /**
   * @param at when the visit is, in milliseconds since the epoch
   * @param details the counters of its details
   */
  of(at: number, details: readonly string[]): Counts {
    const day = dayOf(at);
    if (day !== this.#day || this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#day = day;
    const name = details.length === 1 ? (details[0] ?? '') : details.join(' ');
    let counts = this.#remembered.get(name);
    if (counts === undefined) {
      // Without a prototype, because a name may be one of its properties.
      const added = Object.create(null) as Record<string, number>;
      for (const counter of [visitsCounter, dayCounter(day), ...details]) added[counter] = 1;
      counts = added;
      this.#remembered.set(name, counts);
    }
    return counts;
  }
}
