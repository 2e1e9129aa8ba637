import type {DeniedEvent, ShortUrl} from '../index.ts';

/** How many accounts and links are remembered for each kind of refusal on a day. Those that come later are only counted. */
const maxRefused = 100;

/** Why something was refused: a request, a long URL, or a link beyond the quota. */
export type Refusal = DeniedEvent['reason'] | 'forbidden_url' | 'quota';

/** Whose requests were refused. */
export interface Refused {
  readonly account?: string | undefined;
  readonly shortUrl?: string | undefined;
}

interface Refusals {
  count: number;
  readonly byRefused: Map<string, {readonly of: Refused; count: number}>;
}

/** What was refused for one reason, and whose it was, the most first. */
export interface RefusalCount {
  readonly reason: Refusal;
  readonly count: number;
  readonly refused: ReadonlyArray<{readonly of: Refused; readonly count: number}>;
}

const byCount = (one: {readonly count: number}, other: {readonly count: number}): number => other.count - one.count;

/** What this process has seen that the operator asks for, since it started. It reads and stores nothing. */
export class Watch {
  readonly #dateOf: (at: Date) => string;
  #day = '';
  #refusals = new Map<Refusal, Refusals>();

  /** @param dateOf the day of the site */
  constructor({events}: Pick<ShortUrl, 'events'>, dateOf: (at: Date) => string) {
    this.#dateOf = dateOf;
    events.on('denied', ({reason, account, shortUrl, at}) => {
      this.#count(reason, {account, shortUrl}, at);
    });
    events.on('linkRefused', ({reason, account, at}) => {
      this.#count(reason === 'too_many_requests' ? 'quota' : reason, {account}, at);
    });
  }

  /** What was refused on a day, the most first; empty for any but the last day with some. */
  refusalsOn(now: number): readonly RefusalCount[] {
    if (this.#dateOf(new Date(now)) !== this.#day) return [];
    return Array.from(this.#refusals, ([reason, {count, byRefused}]) => {
      return {reason, count, refused: Array.from(byRefused.values()).sort(byCount)};
    }).sort(byCount);
  }

  #count(reason: Refusal, of: Refused, at: Date): void {
    const day = this.#dateOf(at);
    if (day !== this.#day) {
      this.#day = day;
      this.#refusals = new Map();
    }
    const refusals: Refusals = this.#refusals.get(reason) ?? {count: 0, byRefused: new Map()};
    this.#refusals.set(reason, refusals);
    refusals.count += 1;
    const name = of.account ?? of.shortUrl;
    if (name === undefined) return;
    const known = refusals.byRefused.get(name);
    if (known) known.count += 1;
    else if (refusals.byRefused.size < maxRefused) refusals.byRefused.set(name, {of, count: 1});
  }
}
