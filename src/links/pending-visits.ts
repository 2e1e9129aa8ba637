import type {ShortUrlError} from '../errors.ts';
import type {Addition, SeenLink} from '../store/port.ts';

/** An estimate of what an entry takes besides its texts, in bytes. */
const overhead = 500;

/** Visits of one link that are stored by one addition, and the wait of their visitors for it. */
export class PendingVisits {
  /** Resolves when the visits were counted or kept; with false if the link has changed. */
  readonly outcome: Promise<boolean>;
  visits = 1;
  /** Whether the visitors were redirected before the visits were stored, so that they count in any case. */
  isKept = false;
  readonly #link: SeenLink | undefined;
  readonly #counters: readonly string[];
  /** Not copied: a batch that holds it is over before more visits join. */
  readonly #add: Record<string, number>;
  #at: number;
  #resolve!: (isCounted: boolean) => void;
  #reject!: (error: ShortUrlError) => void;

  /** @param visit its `add` becomes the pending visits' */
  constructor({link, counters, add, at}: Addition) {
    this.#link = link;
    this.#counters = counters;
    this.#add = Object.assign(Object.create(null) as Record<string, number>, add);
    this.#at = at;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // During an outage no visitor may be waiting.
    this.outcome.catch(() => undefined);
  }

  /** Names the link, whatever has become of it. */
  get key(): string {
    return this.#counters.join(' ');
  }

  /** About what the visits take while they are kept, in bytes. */
  get bytes(): number {
    return overhead + 2 * this.key.length;
  }

  add({add, at}: Pick<Addition, 'add' | 'at'>): void {
    this.visits += 1;
    this.#sum(add, at);
  }

  merge(other: PendingVisits): void {
    this.visits += other.visits;
    this.#sum(other.#add, other.#at);
  }

  /** What is to be stored now. */
  addition(): Addition {
    return {link: this.isKept ? undefined : this.#link, counters: this.#counters, add: this.#add, at: this.#at};
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

  #sum(add: Readonly<Record<string, number>>, at: number): void {
    for (const name in add) this.#add[name] = (this.#add[name] ?? 0) + (add[name] ?? 0);
    this.#at = Math.max(this.#at, at);
  }
}
