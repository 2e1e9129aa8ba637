import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';

const windowLength = 15 * 60 * 1000;
/** Pairs of link and client that are remembered at most. */
const mostRemembered = 100_000;

interface Attempts {
  wrong: number;
  readonly until: number;
  readonly underWay: Set<Promise<unknown>>;
}

/** Limits the tries at a link's password, for each link and client: so many wrong ones in 15 minutes, in this process. */
export class PasswordAttempts {
  readonly #limit: number;
  readonly #now: () => number;
  /** Made with the first try: it reserves its memory at once, and most sites never need it. */
  #made: LRUCache<string, Attempts> | undefined;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Runs one try. Tries that come at once are never more than there may be wrong ones; those behind them wait for
   * their outcome.
   *
   * @throws ShortUrlError `too_many_requests` without a try if there were too many wrong ones
   */
  async try(link: string, client: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const key = JSON.stringify([link, client]);
    for (;;) {
      const attempts = this.#of(key);
      if (attempts.wrong >= this.#limit) {
        throw new ShortUrlError('too_many_requests', 'There were too many wrong passwords; try again later.', {
          retryAfter: Math.ceil((attempts.until - this.#now()) / 1000),
        });
      }
      if (attempts.wrong + attempts.underWay.size < this.#limit) return run(attempts, isRight);
      await Promise.race(attempts.underWay);
    }
  }

  #of(key: string): Attempts {
    this.#made ??= new LRUCache({max: mostRemembered});
    const now = this.#now();
    const known = this.#made.get(key);
    if (known && known.until > now) return known;
    const attempts: Attempts = {wrong: 0, until: now + windowLength, underWay: new Set()};
    this.#made.set(key, attempts);
    return attempts;
  }
}

async function run(attempts: Attempts, isRight: () => Promise<boolean>): Promise<boolean> {
  const attempt = isRight();
  const settled = attempt.then(
    (right) => {
      if (!right) attempts.wrong++;
    },
    () => undefined,
  );
  attempts.underWay.add(settled);
  try {
    const right = await attempt;
    await settled;
    return right;
  } finally {
    attempts.underWay.delete(settled);
  }
}
