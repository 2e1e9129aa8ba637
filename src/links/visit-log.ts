import {setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import {ShortUrlError, toShortUrlError} from '../errors.ts';
import type {Addition, Store} from '../store/port.ts';

/** Links whose visits are kept at most while the store is away; each takes some hundred bytes. */
const mostKept = 10_000;
/** Between two tries to store a batch, in milliseconds. */
const shortestPause = 50;
const longestPause = 1000;

/**
 * Commits visits in groups, as databases commit: while one batch is being written the next one gathers, so that an idle
 * site waits for one round trip and a busy one writes once for many visits. A batch that the store did not take is
 * written again, under the same number, until it does; meanwhile visits are kept here.
 */
export class VisitLog {
  readonly #store: Store;
  readonly #onError: (error: ShortUrlError) => void;
  readonly #writer = nanoid(12);
  readonly #closing = new AbortController();
  #number = 0;
  #open: Batch | undefined;
  #writing: Promise<void> | undefined;
  #away = false;
  #lost = 0;

  /** @param onError hears once of each outage */
  constructor(store: Store, onError: (error: ShortUrlError) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /**
   * Counts a visit. Resolves when it is stored or, while the store is away, when it is kept.
   *
   * @throws ShortUrlError `store_unavailable` if it can be neither stored nor kept
   */
  async add(key: string, at: number): Promise<void> {
    if (this.#closing.signal.aborted) {
      throw new ShortUrlError('store_unavailable', 'The store is closed.', {retryAfter: 1});
    }
    this.#open ??= new Batch();
    if (this.#away && !this.#open.has(key) && this.#open.size >= mostKept) {
      throw new ShortUrlError('store_unavailable', 'The store does not answer, and no more visits can be kept.', {
        retryAfter: 1,
      });
    }
    const batch = this.#open;
    batch.add(key, at);
    this.#writing ??= this.#write();
    if (!this.#away) await batch.settled;
  }

  /**
   * Stores what is pending, for at most `bound` milliseconds.
   *
   * @returns how many visits could not be stored
   */
  async close(bound: number): Promise<number> {
    const timer = setTimeout(() => {
      this.#closing.abort();
    }, bound);
    await this.#writing;
    clearTimeout(timer);
    // Whoever comes from here on must not start another round of tries at a store that is gone.
    this.#closing.abort();
    return this.#lost;
  }

  async #write(): Promise<void> {
    // Whoever comes in the same turn of the event loop joins the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#open) {
      const batch = this.#open;
      this.#open = undefined;
      await this.#commit(batch, ++this.#number);
    }
    this.#writing = undefined;
  }

  async #commit(batch: Batch, number: number): Promise<void> {
    const additions = batch.additions();
    for (let pause = shortestPause; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        await this.#store.addVisits({writer: this.#writer, number, additions});
        this.#away = false;
        batch.settle();
        return;
      } catch (error) {
        const failure = toShortUrlError(error);
        if (failure.code !== 'store_unavailable' || this.#closing.signal.aborted) {
          this.#lost += additions.reduce((sum, {visits}) => sum + visits, 0);
          batch.fail(failure);
          return;
        }
        if (!this.#away) this.#onError(failure);
        this.#away = true;
        // From here on these visits are kept, and nobody waits for them.
        batch.settle();
        this.#open?.settle();
        await delay(pause, undefined, {signal: this.#closing.signal}).catch(() => undefined);
      }
    }
  }
}

/** The visits that are stored together, and the wait of the visitors for it. */
class Batch {
  readonly settled: Promise<void>;
  settle!: () => void;
  fail!: (error: ShortUrlError) => void;
  readonly #additions = new Map<string, {visits: number; lastVisit: number}>();

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
    });
    // During an outage nobody may be waiting.
    this.settled.catch(() => undefined);
  }

  get size(): number {
    return this.#additions.size;
  }

  has(key: string): boolean {
    return this.#additions.has(key);
  }

  add(key: string, at: number): void {
    const addition = this.#additions.get(key);
    if (addition) {
      addition.visits++;
      addition.lastVisit = Math.max(addition.lastVisit, at);
    } else {
      this.#additions.set(key, {visits: 1, lastVisit: at});
    }
  }

  additions(): Addition[] {
    return Array.from(this.#additions, ([key, addition]) => ({key, ...addition}));
  }
}
