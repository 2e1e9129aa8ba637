import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';

const windowLength = 15 * 60 * 1000;
/** Pairs of link and client that are remembered at most. */
const mostRemembered = 100_000;

/** Limits the tries at a link's password, for each link and client: so many wrong ones in 15 minutes, in this process. */
export class PasswordAttempts {
  readonly #limit: number;
  readonly #now: () => number;
  /** Made with the first try: it reserves its memory at once, and most sites never need it. */
  #made: LRUCache<string, {count: number; readonly until: number}> | undefined;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Runs one try. It counts from the start, so that many at once are not more than the limit, and is taken back if the
   * password was right.
   *
   * @throws ShortUrlError `too_many_requests` without a try if there were too many wrong ones
   */
  async try(link: string, client: string, isRight: () => Promise<boolean>): Promise<boolean> {
    this.#made ??= new LRUCache({max: mostRemembered});
    const key = JSON.stringify([link, client]);
    const now = this.#now();
    const known = this.#made.get(key);
    const attempts = known && known.until > now ? known : {count: 0, until: now + windowLength};
    if (attempts.count >= this.#limit) {
      throw new ShortUrlError('too_many_requests', 'There were too many wrong passwords; try again later.', {
        retryAfter: Math.ceil((attempts.until - now) / 1000),
      });
    }
    attempts.count++;
    this.#made.set(key, attempts);
    const right = await isRight();
    if (right) attempts.count--;
    return right;
  }
}
