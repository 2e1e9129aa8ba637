import type {ShortUrlError} from '../errors.ts';
import type {Addition, KeyAddition, SeenLink} from '../store/port.ts';

/** Estimates of what an entry, and one of its counters, takes besides its texts, in bytes. */
const overhead = 500;
const counterOverhead = 100;

/** What is added to the counters of one key, by their names. */
export type Counts = KeyAddition['add'];

/** One visit: what it adds to which counters. */
export interface Visit {
  /** The visit counts only if this record is unchanged. Without it the visit always counts. */
  readonly link?: SeenLink | undefined;
  /** Whose counters it raises: each key once, and first that of the link. */
  readonly keys: readonly string[];
  /** In the order of the keys what it adds. Visits that add the same should share the objects: comparing is cheap. */
  readonly adds: readonly Counts[];
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** Visits of one link that are stored by one addition, and the wait of their visitors for it. */
export class PendingVisits {
  /** Resolves when the visits were counted or kept; with false if the link has changed. */
  readonly outcome: Promise<boolean>;
  visits = 0;
  /** About what the visits take while they are kept, in bytes. */
  bytes = overhead;
  /** Whether the visitors were redirected before the visits were stored, so that they count in any case. */
  isKept = false;
  readonly #link: SeenLink | undefined;
  readonly #keys: readonly string[];
  /** What the last visits added, and how many in a row added the same: most visits of a link do. */
  #adds: readonly Counts[];
  #row = 0;
  /** What the visits before them added, in the order of the keys. */
  #sums: ReadonlyArray<Record<string, number>> | undefined;
  #at = 0;
  #resolve!: (isCounted: boolean) => void;
  #reject!: (error: ShortUrlError) => void;

  constructor(visit: Visit) {
    this.#link = visit.link;
    this.#keys = visit.keys;
    this.#adds = visit.adds;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // During an outage no visitor may be waiting.
    this.outcome.catch(ignore);
    this.add(visit);
  }

  /** Names the link, whatever has become of it. */
  get key(): string {
    return this.#keys.join(' ');
  }

  /** @param visit one with the same keys, in the same order */
  add({adds, at}: Visit): void {
    this.visits += 1;
    if (!isSame(adds, this.#adds)) {
      this.#sum();
      this.#adds = adds;
    }
    this.#row += 1;
    if (at > this.#at) this.#at = at;
  }

  merge(other: PendingVisits): void {
    this.visits += other.visits;
    const others = other.#sum();
    for (const [index, sum] of this.#sum().entries()) this.#raise(sum, others[index] ?? {}, 1);
    this.#at = Math.max(this.#at, other.#at);
  }

  /** What is to be stored now. */
  addition(): Addition {
    const adds = this.#row === 1 && this.#sums === undefined ? this.#adds : this.#sum();
    const counters = this.#keys.map((key, index) => ({key, add: adds[index] ?? {}}));
    return {link: this.isKept ? undefined : this.#link, counters, at: this.#at};
  }

  keep(): void {
    this.isKept = true;
    this.#sum();
    this.#resolve(true);
  }

  settle(isCounted: boolean): void {
    this.#resolve(isCounted);
  }

  fail(error: ShortUrlError): void {
    this.#reject(error);
  }

  /** Adds up all visits. */
  #sum(): ReadonlyArray<Record<string, number>> {
    if (this.#sums === undefined) {
      // Without a prototype, because a name may be one of its properties.
      this.#sums = this.#keys.map(() => Object.create(null) as Record<string, number>);
      for (const key of this.#keys) this.bytes += 2 * key.length;
    }
    for (const [index, sum] of this.#sums.entries()) this.#raise(sum, this.#adds[index] ?? {}, this.#row);
    this.#row = 0;
    return this.#sums;
  }

  #raise(sum: Record<string, number>, add: Counts, times: number): void {
    if (times === 0) return;
    for (const name in add) {
      const before = sum[name];
      if (before === undefined) this.bytes += counterOverhead + 2 * name.length;
      sum[name] = (before ?? 0) + times * (add[name] ?? 0);
    }
  }
}

function isSame(one: readonly Counts[], another: readonly Counts[]): boolean {
  return one === another || one.every((add, index) => add === another[index]);
}

function ignore(): void {
  // A promise that nobody waits for may fail.
}
