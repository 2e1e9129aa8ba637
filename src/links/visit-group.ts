import type {ShortUrlError} from '../errors.ts';
import type {Addition} from '../store/port.ts';

/** Visits that are stored together, and the wait of their visitors for it. */
export class VisitGroup {
  readonly settled: Promise<void>;
  settle!: () => void;
  fail!: (error: ShortUrlError) => void;
  readonly #additions = new Map<string, {visits: number; lastVisit: number}>();

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // During an outage nobody may be waiting.
    this.settled.catch(() => undefined);
  }

  /** How many links. */
  get size(): number {
    return this.#additions.size;
  }

  has(key: string): boolean {
    return this.#additions.has(key);
  }

  add({key, visits, lastVisit}: Addition): void {
    const addition = this.#additions.get(key);
    if (addition) {
      addition.visits += visits;
      addition.lastVisit = Math.max(addition.lastVisit, lastVisit);
    } else {
      this.#additions.set(key, {visits, lastVisit});
    }
  }

  /** Takes the visits of a link out again. */
  take(key: string): Addition | undefined {
    const addition = this.#additions.get(key);
    this.#additions.delete(key);
    return addition && {key, ...addition};
  }

  additions(): Addition[] {
    return Array.from(this.#additions, ([key, addition]) => ({key, ...addition}));
  }
}
