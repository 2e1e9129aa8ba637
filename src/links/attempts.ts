import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';
import {storeKey} from '../store/key.ts';
import type {Store} from '../store/port.ts';
import {upsert} from '../store/update.ts';

/** All times are in milliseconds. */
const windowLength = 15 * 60_000;
/** A try that is open for longer will never be closed, because its process is gone: it counts as a wrong one. */
const longestTry = 60_000;
/** How long a try waits for others to be decided. */
const longestWait = 10_000;
const longestPause = 50;

/**
 * Tries are spread over so many records. Not every engine lets a record end by itself, so the records are few and each
 * is rid of what is over whenever it is written.
 */
const records = 4096;
/** Keeps a record within what the narrowest engine holds, whoever may have a whole network to try from. */
const mostInRecord = 800;
/** Tries that this process has under way: no more can be verified in a reasonable time, and each writes to the store. */
const mostAtOnce = 20;
/** Pairs of link and client that are remembered to be refused, so that they cost nothing more. */
const mostRefused = 10_000;

/** Of one link and client: when each try began. */
interface Tries {
  readonly wrong: readonly number[];
  /** Under way somewhere. */
  readonly open: readonly number[];
}

type Bucket = Readonly<Record<string, Tries>>;

/**
 * Limits the tries at a link's password, for each link and client, in all processes that share the store. A try takes
 * its place before the password is compared, and gives it back if the password was right.
 */
export class PasswordAttempts {
  readonly #store: Store;
  readonly #limit: number;
  readonly #now: () => number;
  readonly #refused = new LRUCache<string, number>({max: mostRefused});
  #underWay = 0;

  /** @param limit how many wrong attempts there may be for a link and a client within 15 minutes */
  constructor(store: Store, limit: number, now: () => number) {
    this.#store = store;
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Runs one try. There are never more at once than there may be wrong ones; those behind them wait for their outcome.
   *
   * @throws ShortUrlError `too_many_requests` without a try if there were too many wrong ones, or if too many are under
   *   way; `store_unavailable` if nobody can say
   */
  async try(link: string, client: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const pair = digest(JSON.stringify([link, client]));
    this.#checkRefused(pair);
    if (this.#underWay >= mostAtOnce) throw tooManyAtOnce();
    this.#underWay += 1;
    try {
      const began = await this.#open(pair);
      let isWrong = false;
      try {
        isWrong = !(await isRight());
      } finally {
        await this.#close(pair, began, isWrong);
      }
      return !isWrong;
    } finally {
      this.#underWay -= 1;
    }
  }

  #checkRefused(pair: string): void {
    const until = this.#refused.get(pair);
    const now = this.#now();
    if (until === undefined || until <= now) return;
    throw new ShortUrlError('too_many_requests', 'There were too many wrong passwords; try again later.', {
      retryAfter: Math.ceil((until - now) / 1000),
    });
  }

  async #open(pair: string): Promise<number> {
    const end = performance.now() + longestWait;
    for (;;) {
      const now = this.#now();
      const outcome = {isOpen: false};
      await this.#change(pair, now, (tries) => {
        const lost = tries.open.filter((began) => began <= now - longestTry);
        const wrong = [...tries.wrong, ...lost].sort((one, other) => one - other);
        // The place that becomes free first.
        const oldest = wrong[wrong.length - this.#limit];
        if (oldest !== undefined) this.#refused.set(pair, oldest + windowLength);
        outcome.isOpen = tries.wrong.length + tries.open.length < this.#limit;
        return outcome.isOpen ? {...tries, open: [...tries.open, now]} : undefined;
      });
      if (outcome.isOpen) return now;
      this.#checkRefused(pair);
      if (performance.now() > end) throw tooManyAtOnce();
      await delay(Math.random() * longestPause);
    }
  }

  async #close(pair: string, began: number, isWrong: boolean): Promise<void> {
    await this.#change(pair, this.#now(), ({wrong, open}) => {
      const place = open.indexOf(began);
      return {
        wrong: isWrong ? [...wrong, began] : wrong,
        open: open.filter((_, index) => index !== place),
      };
    });
  }

  /** @param change returns undefined to leave the tries as they are */
  async #change(pair: string, now: number, change: (tries: Tries) => Tries | undefined): Promise<void> {
    const bucket = parseInt(pair.slice(0, 8), 16) % records;
    await upsert<Bucket>(this.#store, storeKey('attempts', String(bucket)), (stored = {}) => {
      const {[pair]: tries = {wrong: [], open: []}, ...others} = live(stored, now - windowLength);
      const next = change(tries);
      if (next === undefined) return undefined;
      const changed = next.wrong.length + next.open.length > 0 ? {...others, [pair]: next} : others;
      if (sizeOf(changed) > mostInRecord) throw tooManyAtOnce();
      return changed;
    });
  }
}

/** What is not over yet. */
function live(bucket: Bucket, end: number): Bucket {
  const isLive = (began: number): boolean => began > end;
  return Object.fromEntries(
    Object.entries(bucket)
      .map(([pair, {wrong, open}]) => [pair, {wrong: wrong.filter(isLive), open: open.filter(isLive)}] as const)
      .filter(([, {wrong, open}]) => wrong.length + open.length > 0),
  );
}

function sizeOf(bucket: Bucket): number {
  return Object.values(bucket).reduce((sum, {wrong, open}) => sum + wrong.length + open.length, 0);
}

/** Enough to tell any two apart that meet in a record; it also keeps the client's address out of the store. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

function tooManyAtOnce(): ShortUrlError {
  return new ShortUrlError('too_many_requests', 'Too many passwords are being checked; try again in a moment.', {
    retryAfter: 5,
  });
}
