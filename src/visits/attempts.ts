import {performance} from 'node:perf_hooks';
import {setTimeout as delay} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {planted} from '../planted.ts';
import {ShortUrlError} from '../errors.ts';
import {Turns} from '../turns.ts';
import {tooManyPasswords} from '../link/password.ts';
import {listOf, object} from '../values/objects.ts';
import {growingTo} from '../values/growing.ts';
import {time} from '../values/shape.ts';
import {kind, type RecordOf} from '../store/kind.ts';
import type {Store} from '../store/port.ts';

/** All times are in milliseconds. */
export const windowLength = 15 * 60_000;
/**
 * Processes whose clocks differ by less than this count each other's attempts. An attempt of a later time is forgotten,
 * because the clock was wrong: it would lock out the client until then.
 */
const maxAhead = windowLength;
/** An attempt that is open for longer belongs to a dead process and counts as wrong. */
const maxTry = 60_000;
/** How long an attempt waits for the outcome of others. */
const maxWait = 10_000;
const maxPause = 50;

/** The number of attempts at once in a process. Each costs CPU time and writes. */
const bounds = {running: 1000, all: 1000, ofAccount: 200, ofClient: 20};
/** How many refused pairs of link and client a process remembers. A remembered pair costs no access to the store. */
const maxRefused = 10_000;

export interface Visitor {
  /** The account of the link, because the visitors of all accounts share the time fairly. */
  readonly account: string;
  readonly client: string;
}

export const attemptRecords = kind('attempts', {
  keys: ['attempts:<digest>'],
  content: "a client's password attempts at a link",
  digest: 'keyed',
  key: (digest: string) => [digest],
  form: object({
    /** When they were made, in milliseconds since the epoch. */
    wrong: listOf(time),
    /** Not decided yet, in any process. */
    open: listOf(time),
  }),
  removed: 'by expiry',
  // Without attempts that is long ago, so the record is removed.
  expires: {
    when: 'after 15 minutes',
    at: ({wrong, open}) =>
      (planted('attempts-forgotten') ? Math.min(...wrong, ...open) : Math.max(...wrong, ...open)) + windowLength,
  },
});

export type Tries = RecordOf<typeof attemptRecords>;

/**
 * Limits wrong passwords for each link and client over all processes on the store. An attempt is recorded before the
 * password is compared, and removed if the password is right.
 */
export class PasswordAttempts {
  readonly #store: Store;
  readonly #limit: number;
  readonly #digest: (link: string, client: string) => Promise<string>;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #refused = new LRUCache<string, number>(growingTo(maxRefused));
  readonly #turns = new Turns(bounds, tooManyPasswords);

  /**
   * @param limit the maximum number of wrong passwords of a client at a link within 15 minutes
   * @param digest has a secret key, and so keeps the client's address out of the store
   * @param now dates attempts, in milliseconds since the epoch
   * @param clock measures waits, in milliseconds
   */
  constructor(
    store: Store,
    limit: number,
    digest: (link: string, client: string) => Promise<string>,
    now: () => number,
    clock = () => performance.now(),
  ) {
    this.#store = store;
    this.#limit = limit;
    this.#digest = digest;
    this.#now = now;
    this.#clock = clock;
  }

  /**
   * Runs one attempt. No more attempts run at once than may be wrong. Further ones wait for the outcome of these.
   *
   * @throws ShortUrlError `too_many_requests`, without comparing, after too many wrong passwords or if too many attempts
   *   are running; `store_unavailable` if the store does not answer
   */
  async try(link: string, {account, client}: Visitor, isRight: () => Promise<boolean>): Promise<boolean> {
    const pair = await this.#digest(link, client);
    this.#checkRefused(pair);
    return this.#turns.run({account, client}, async () => {
      const began = await this.#open(pair);
      let isWrong = false;
      try {
        isWrong = !(await isRight());
      } finally {
        await this.#close(pair, began, isWrong);
      }
      return !isWrong;
    });
  }

  #checkRefused(pair: string): void {
    const until = this.#refused.get(pair);
    const now = this.#now();
    if (until === undefined || until <= now) return;
    if (until > now + windowLength + maxAhead && !planted('refused-until-the-future')) return;
    throw new ShortUrlError('too_many_requests', 'Too many wrong passwords. Try again later.', {
      retryAfter: Math.ceil((until - now) / 1000),
    });
  }

  async #open(pair: string): Promise<number> {
    const end = this.#clock() + maxWait;
    for (;;) {
      const now = this.#now();
      const outcome = {isOpen: false};
      await this.#change(pair, now, (tries) => {
        const lost = tries.open.filter((began) => began <= now - maxTry);
        const wrong = [...tries.wrong, ...lost].sort((one, other) => one - other);
        // The attempt that expires first.
        const oldest = wrong[wrong.length - this.#limit];
        if (oldest !== undefined) this.#refused.set(pair, oldest + windowLength);
        const open = planted('open-tries-not-counted') ? 0 : tries.open.length;
        outcome.isOpen = tries.wrong.length + open < this.#limit;
        return outcome.isOpen ? {...tries, open: [...tries.open, now]} : undefined;
      });
      if (outcome.isOpen) return now;
      this.#checkRefused(pair);
      if (this.#clock() > end) throw tooManyPasswords();
      await delay(Math.random() * maxPause);
    }
  }

  async #close(pair: string, began: number, isWrong: boolean): Promise<void> {
    await this.#change(pair, this.#now(), ({wrong, open}) => {
      const own = open.indexOf(began);
      return {
        wrong: isWrong ? [...wrong, began] : wrong,
        open: open.filter((_, index) => index !== own),
      };
    });
  }

  /** @param change returns undefined to change nothing */
  async #change(pair: string, now: number, change: (tries: Tries) => Tries | undefined): Promise<void> {
    const end = now - windowLength;
    const isLive = (began: number): boolean =>
      began > end && (began <= now + maxAhead || planted('tries-of-the-future'));
    await attemptRecords
      .in(this.#store)
      .upsert(pair, ({wrong, open} = {wrong: [], open: []}) =>
        change({wrong: wrong.filter(isLive), open: open.filter(isLive)}),
      );
  }
}
