import type {ShortUrlError} from '../errors.ts';
import type {Addition, SeenLink} from '../store/port.ts';

/** Estimates of what an entry, and one of its counters, takes besides its texts, in bytes. */
const overhead = 500;
const counterOverhead = 100;

/** One visit: what it raises by one. */
export interface Visit {
  /** The visit counts only if this record is unchanged. Without it the visit always counts. */
  readonly link?: SeenLink | undefined;
  /** Whose counters it raises: each key once, and first that of the link. */
  readonly keys: readonly string[];
  /** The counters that it raises of every key. */
  readonly names: readonly string[];
  /** In the order of the keys further counters that it raises. */
  readonly more?: ReadonlyArray<readonly string[]> | undefined;
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
  /** Not copied: a batch that holds it is over before more visits join. */
  readonly #counters: ReadonlyArray<{readonly key: string; readonly add: Record<string, number>}>;
  #at = 0;
  #resolve!: (isCounted: boolean) => void;
  #reject!: (error: ShortUrlError) => void;

  constructor(visit: Visit) {
    this.#link = visit.link;
    // Without a prototype, because a name may be one of its properties.
    this.#counters = visit.keys.map((key) => ({key, add: Object.create(null) as Record<string, number>}));
    for (const key of visit.keys) this.bytes += 2 * key.length;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // During an outage no visitor may be waiting.
    this.outcome.catch(() => undefined);
    this.add(visit);
  }

  /** Names the link, whatever has become of it. */
  get key(): string {
    return this.#counters.map(({key}) => key).join(' ');
  }

  /** @param visit one with the same keys, in the same order */
  add({names, more, at}: Visit): void {
    this.visits += 1;
    for (const [index, {add}] of this.#counters.entries()) {
      for (const name of names) this.#raise(add, name, 1);
      for (const name of more?.[index] ?? []) this.#raise(add, name, 1);
    }
    this.#at = Math.max(this.#at, at);
  }

  merge(other: PendingVisits): void {
    this.visits += other.visits;
    for (const [index, {add}] of this.#counters.entries()) {
      const others = other.#counters[index]?.add;
      for (const name in others) this.#raise(add, name, others[name] ?? 0);
    }
    this.#at = Math.max(this.#at, other.#at);
  }

  /** What is to be stored now. */
  addition(): Addition {
    return {link: this.isKept ? undefined : this.#link, counters: this.#counters, at: this.#at};
  }

  keep(): void {
    this.isKept = true;
    this.#resolve(true);
  }

  settle(isCounted: boolean): void {
    this.#resolve(isCounted);
  }

  fail(error: ShortUrlError): void {
    this.#reject(error);
  }

  #raise(add: Record<string, number>, name: string, by: number): void {
    const before = add[name];
    if (before === undefined) this.bytes += counterOverhead + 2 * name.length;
    add[name] = (before ?? 0) + by;
  }
}
