import type {ShortUrlError} from '../errors.ts';
import type {Addition, Increments, SeenLink} from '../store/port.ts';
import type {Owner} from './late-counters.ts';

/** Estimated overhead of an entry, and of one of its counters, in bytes. */
const overhead = 500;
const counterOverhead = 100;

/** A visit, and whose counters it adds to. */
export interface Visit extends Addition {
  /** Absent for counters that stay, whatever is removed. */
  readonly owner?: Owner;
}

/** Visits of one link that are stored together, and whose visitors wait together. */
export class PendingVisits {
  /** Resolves when the visits were counted or kept; with false if the link has changed. */
  readonly outcome: Promise<boolean>;
  visits = 0;
  /** The estimated memory of the visits, in bytes. */
  bytes = overhead;
  /** The number of counters in the sums. The latest visits are not in them, and add at most twenty counters. */
  counters = 0;
  /** Whether the visitors were redirected before the visits were stored, which makes them count always. */
  isKept = false;
  #link: SeenLink | undefined;
  readonly keys: readonly string[];
  readonly owner: Owner | undefined;
  /** The additions of the latest visits, and how many visits in a row had the same. */
  #adds: readonly Increments[];
  #row = 0;
  /** The sum of the earlier additions, in the order of the keys. */
  #sums: ReadonlyArray<Record<string, number>> | undefined;
  #at = 0;
  #resolve!: (isCounted: boolean) => void;
  #reject!: (error: ShortUrlError) => void;

  constructor(visit: Visit) {
    this.#link = visit.link;
    this.keys = visit.keys;
    this.owner = visit.owner;
    this.#adds = visit.adds;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.add(visit);
  }

  /** Names the link. It stays the same when the link changes. */
  get key(): string {
    return this.keys.join(' ');
  }

  /** @param visit a visit with the same keys in the same order */
  add({adds, at}: Addition): void {
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

  addition(): Addition {
    const adds = this.#row === 1 && this.#sums === undefined ? this.#adds : this.#sum();
    return {link: this.isKept ? undefined : this.#link, keys: this.keys, adds, at: this.#at};
  }

  keep(): void {
    this.isKept = true;
    // Not needed any more, and a long URL takes more memory than the visits.
    this.#link = undefined;
    this.#sum();
    this.#resolve(true);
  }

  resolve(isCounted: boolean): void {
    this.#resolve(isCounted);
  }

  fail(error: ShortUrlError): void {
    this.#reject(error);
  }

  #sum(): ReadonlyArray<Record<string, number>> {
    if (this.#sums === undefined) {
      // Without a prototype, because a name may be one of its properties.
      this.#sums = this.keys.map(() => Object.create(null) as Record<string, number>);
      for (const key of this.keys) this.bytes += 2 * key.length;
    }
    for (const [index, sum] of this.#sums.entries()) this.#raise(sum, this.#adds[index] ?? {}, this.#row);
    this.#row = 0;
    return this.#sums;
  }

  #raise(sum: Record<string, number>, add: Increments, times: number): void {
    if (times === 0) return;
    for (const name of Object.keys(add)) {
      const before = sum[name];
      if (before === undefined) {
        this.counters += 1;
        this.bytes += counterOverhead + 2 * name.length;
      }
      sum[name] = (before ?? 0) + times * (add[name] ?? 0);
    }
  }
}

function isSame(one: readonly Increments[], another: readonly Increments[]): boolean {
  return one === another || one.every((add, index) => add === another[index]);
}
