import type {DeniedEvent, ShortUrl} from '../index.ts';

/** How many reasons for blocks are remembered. */
const maxReasons = 20;

/** What this process has seen that the operator asks for, since it started. It reads and stores nothing. */
export class Watch {
  readonly #dateOf: (at: Date) => string;
  readonly #reasons = new Set<string>();
  #day = '';
  #refusals = new Map<DeniedEvent['reason'], number>();

  /** @param dateOf the day of the site */
  constructor({events}: Pick<ShortUrl, 'events'>, dateOf: (at: Date) => string) {
    this.#dateOf = dateOf;
    events.on('denied', ({reason, at}) => {
      this.#begin(dateOf(at));
      this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
    });
    events.on('block', ({link}) => {
      this.#remember(link.blockReason);
    });
    events.on('blockAccount', ({reason}) => {
      this.#remember(reason);
    });
  }

  /** The requests that were refused on a day, by reason; empty for any but the last day with some. */
  refusalsOn(now: number): ReadonlyMap<DeniedEvent['reason'], number> {
    return this.#dateOf(new Date(now)) === this.#day ? this.#refusals : new Map();
  }

  /** The reasons of the last blocks, the newest first. */
  reasons(): readonly string[] {
    return Array.from(this.#reasons).toReversed();
  }

  #begin(day: string): void {
    if (day === this.#day) return;
    this.#day = day;
    this.#refusals = new Map();
  }

  #remember(reason: string | undefined): void {
    if (reason === undefined) return;
    this.#reasons.delete(reason);
    this.#reasons.add(reason);
    if (this.#reasons.size > maxReasons) this.#reasons.delete(Array.from(this.#reasons)[0] ?? '');
  }
}
