import {setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import {ShortUrlError, toShortUrlError} from '../errors.ts';
import type {Addition, Store, VisitBatch} from '../store/port.ts';
import {VisitGroup} from './visit-group.ts';

/** Links whose visits are kept at most while the store does not take them; each takes some hundred bytes. */
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
  readonly #closing = new AbortController();
  #writer = nanoid(12);
  #number = 0;
  #open: VisitGroup | undefined;
  #writing: Promise<void> | undefined;
  #away = false;
  /** Links that the store refuses although it answers, and their visits since; the others do not wait for them. */
  readonly #parked = new Map<string, {readonly since: VisitGroup; tries: number}>();
  readonly #retrying = new Set<Promise<void>>();
  /** Visits that are not known to be stored. */
  #pending = 0;

  /** @param onError hears once of each outage, and of visits that were given up */
  constructor(store: Store, onError: (error: ShortUrlError) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /**
   * Counts a visit. The promise resolves when it is stored or, while the store is away, when it is kept.
   *
   * @throws ShortUrlError `store_unavailable`, at once, if it can be neither stored nor kept
   */
  add(key: string, at: number): Promise<void> {
    if (this.#closing.signal.aborted) throw unavailable('The store is closed.');
    const isFull = (this.#open?.size ?? 0) + this.#parked.size >= mostKept;
    const isKnown = this.#open?.has(key) === true || this.#parked.has(key);
    if (isFull && !isKnown && (this.#away || this.#parked.size > 0)) {
      throw unavailable('The store does not answer, and no more visits can be kept.');
    }
    this.#pending++;
    return this.#join({key, visits: 1, lastVisit: at});
  }

  #join(addition: Addition): Promise<void> {
    const parked = this.#parked.get(addition.key);
    if (parked) {
      parked.since.add(addition);
      return Promise.resolve();
    }
    this.#open ??= new VisitGroup();
    const group = this.#open;
    group.add(addition);
    this.#writing ??= this.#write();
    if (this.#away) group.settle();
    return group.settled;
  }

  /**
   * Stores what is pending, for at most `bound` milliseconds.
   *
   * @returns how many visits are not known to be stored
   */
  async close(bound: number): Promise<number> {
    const timer = setTimeout(() => {
      this.#closing.abort();
    }, bound);
    const {signal} = this.#closing;
    const given = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    });
    await Promise.race([this.#settled(), given]);
    clearTimeout(timer);
    // Whoever comes from here on must not start another round of tries at a store that is gone.
    this.#closing.abort();
    this.#open?.fail(unavailable('The store is closed.'));
    return this.#pending;
  }

  async #settled(): Promise<void> {
    while (this.#writing || this.#retrying.size > 0) await Promise.all([this.#writing, ...this.#retrying]);
  }

  async #write(): Promise<void> {
    // Whoever comes in the same turn of the event loop joins the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#open && !this.#closing.signal.aborted) {
      const group = this.#open;
      this.#open = undefined;
      for (const additions of group.batches()) await this.#commit(additions, group);
      group.settle();
    }
    this.#writing = undefined;
  }

  async #commit(additions: readonly Addition[], group: VisitGroup): Promise<void> {
    const batch: VisitBatch = {writer: this.#writer, number: ++this.#number, additions};
    let pause = shortestPause;
    let answered = false;
    while (!this.#closing.signal.aborted) {
      const failure = await this.#try(batch);
      if (failure === undefined) {
        this.#away = false;
        return;
      }
      if (failure.code !== 'store_unavailable') {
        this.#giveUp(batch, failure);
        group.fail(failure);
        return;
      }
      if (!this.#away) this.#onError(failure);
      // From here on visits are kept, and nobody waits for them.
      this.#away = true;
      group.settle();
      this.#open?.settle();
      if (await this.#answers()) {
        // Once may have been a connection that was cut; twice is a batch that it does not take.
        if (answered) {
          await this.#park(batch);
          return;
        }
        answered = true;
        continue;
      }
      answered = false;
      await this.#wait(pause);
      pause = Math.min(pause * 2, longestPause);
    }
  }

  /** Why the store did not take the batch; undefined if it did. */
  async #try(batch: VisitBatch): Promise<ShortUrlError | undefined> {
    try {
      await this.#store.addVisits(batch);
    } catch (error) {
      return toShortUrlError(error);
    }
    this.#pending -= visitsOf(batch);
    return undefined;
  }

  async #answers(): Promise<boolean> {
    return this.#store.ping().then(
      () => true,
      () => false,
    );
  }

  /**
   * The store answers, but not for every link of the batch: the ones it refuses are set aside and tried again by
   * themselves, under their number. Their writer writes nothing else any more, because a later number would take their
   * place.
   */
  async #park({writer, number, additions}: VisitBatch): Promise<void> {
    const refused: Addition[] = [];
    for (let start = 0; start < additions.length; start += probedAtOnce) {
      await Promise.all(
        additions.slice(start, start + probedAtOnce).map(async (addition) => {
          if (await this.#try({writer, number, additions: [addition]})) refused.push(addition);
        }),
      );
    }
    this.#away = false;
    if (refused.length === 0) return;
    this.#writer = nanoid(12);
    this.#number = 0;
    for (const addition of refused) {
      const {key} = addition;
      const parked = this.#parked.get(key) ?? {since: new VisitGroup(), tries: 0};
      parked.tries++;
      this.#parked.set(key, parked);
      for (const waiting of this.#open?.take(key) ?? []) parked.since.add(waiting);
      const retrying = this.#retry({writer, number, additions: [addition]}, key).finally(() => {
        this.#retrying.delete(retrying);
      });
      this.#retrying.add(retrying);
    }
  }

  async #retry(batch: VisitBatch, key: string): Promise<void> {
    let failure: ShortUrlError | undefined;
    do {
      await this.#wait(longestPause);
      if (this.#closing.signal.aborted) return;
      failure = await this.#try(batch);
    } while (failure?.code === 'store_unavailable');
    if (failure) this.#giveUp(batch, failure);
    const parked = this.#parked.get(key);
    if (parked === undefined || --parked.tries > 0) return;
    this.#parked.delete(key);
    for (const addition of parked.since.batches().flat()) void this.#join(addition);
  }

  #giveUp(batch: VisitBatch, failure: ShortUrlError): void {
    this.#pending -= visitsOf(batch);
    this.#away = false;
    this.#onError(failure);
  }

  async #wait(pause: number): Promise<void> {
    await delay(pause, undefined, {signal: this.#closing.signal}).catch(() => undefined);
  }
}

/** Links that are asked about at once when the store refused some of a batch. */
const probedAtOnce = 100;

function visitsOf({additions}: VisitBatch): number {
  return additions.reduce((sum, {visits}) => sum + visits, 0);
}

function unavailable(message: string): ShortUrlError {
  return new ShortUrlError('store_unavailable', message, {retryAfter: 1});
}
