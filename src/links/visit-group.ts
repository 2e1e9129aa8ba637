import type {ShortUrlError} from '../errors.ts';
import {type Addition, dayOf} from '../store/port.ts';

/** The visits of a day, by their keys. */
type Day = Map<string, {visits: number; lastVisit: number}>;

/** Visits that are stored together, and the wait of their visitors for it. */
export class VisitGroup {
  readonly settled: Promise<void>;
  settle!: () => void;
  fail!: (error: ShortUrlError) => void;
  /** All but a few groups have one day. */
  readonly #days = new Map<number, Day>();

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // During an outage nobody may be waiting.
    this.settled.catch(() => undefined);
  }

  /** How many links; one that was visited on several days counts for each. */
  get size(): number {
    let size = 0;
    for (const links of this.#days.values()) size += links.size;
    return size;
  }

  has(key: string): boolean {
    for (const links of this.#days.values()) if (links.has(key)) return true;
    return false;
  }

  add({key, visits, lastVisit}: Addition): void {
    const day = dayOf(lastVisit);
    const links = this.#days.get(day) ?? this.#begin(day);
    const addition = links.get(key);
    if (addition) {
      addition.visits += visits;
      addition.lastVisit = Math.max(addition.lastVisit, lastVisit);
    } else {
      links.set(key, {visits, lastVisit});
    }
  }

  /** Takes the visits of a link out again. */
  take(key: string): Addition[] {
    const taken: Addition[] = [];
    for (const links of this.#days.values()) {
      const addition = links.get(key);
      if (addition) taken.push({key, ...addition});
      links.delete(key);
    }
    return taken;
  }

  /** What is to be stored, day by day, because a batch has a link only once. */
  batches(): Addition[][] {
    return Array.from(this.#days.values(), (links) =>
      Array.from(links, ([key, addition]) => ({key, ...addition})),
    ).filter((additions) => additions.length > 0);
  }

  #begin(day: number): Day {
    const links: Day = new Map();
    this.#days.set(day, links);
    return links;
  }
}
