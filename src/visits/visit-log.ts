import {planted} from '../planted.ts';
import {totalsShards} from '../links/stats/totals.ts';
import {randomInt} from 'node:crypto';
import {AsyncResource} from 'node:async_hooks';
import {clearTimeout, setTimeout} from 'node:timers';
import {setImmediate as turn, setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import {isUnavailable, type ShortUrlError, toShortUrlError, unavailable} from '../errors.ts';
import type {Batch, Store} from '../store/port.ts';
import {LateCounters} from './late-counters.ts';
import {PendingVisits, type Visit} from './pending-visits.ts';

/** The maximum number of additions in a batch. A larger one would hold its locks for too long. */
const maxAdditions = 200;

/**
 * The most counters in the sums of a batch. All counters of 200 links take longer than `storeTimeout`, so each retry would
 * fail as well. A link has about 1,650 at most, with those in the totals of its account, so half of a batch has room for it.
 */
const maxCounters = 4000;

/** Pauses before a retry of a batch that the store refuses although it answers, in milliseconds. */
const minPause = 50;
const maxPause = 1000;

/** How long visitors whose batch has failed wait for the store, in milliseconds. */
const maxWait = 100;

/** The maximum memory for visits that wait for the store, in bytes. */
const maxBytes = 32 * 1024 * 1024;

/**
 * Commits visits in groups, as databases do: while one batch is being written, the next one gathers. So an idle site
 * waits for one round trip, and a busy site writes once for many visits. A batch that fails is retried with the same
 * number until it is stored. If that takes too long, its visits are kept in memory and their visitors are redirected, as
 * are later visitors.
 */
export class VisitLog {
  /** The number of the key of account totals that this process uses, so that processes rarely share locks. */
  readonly shard = randomInt(totalsShards);
  readonly #store: Store;
  readonly #onError: (error: ShortUrlError) => void;
  readonly #closing = new AbortController();
  readonly #late: LateCounters;
  readonly #writer = nanoid(12);
  /** A batch belongs to many requests, so it must not run in the asynchronous context of the first one. */
  readonly #scope = new AsyncResource('koa-short-url.visits');
  #number = 0;
  /** Visits whose visitors wait, by the record of their link. They count only if the record is unchanged. */
  #waiting = new Map<unknown, PendingVisits>();
  /** Visits whose visitors were redirected during an outage, by the key of the counters. They always count. */
  readonly #kept = new Map<string, PendingVisits>();
  #keptBytes = 0;
  #isToldFull = false;
  #failure: ShortUrlError | undefined;
  #writing: Promise<void> | undefined;
  #unstored = 0;

  /** @param onError called when the memory for visits is full, and when a batch is given up */
  constructor(store: Store, onError: (error: ShortUrlError) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#late = new LateCounters(store, this.#closing.signal);
  }

  /** The number of visits that are being written or kept in memory. */
  get unstored(): number {
    return this.#unstored;
  }

  /** Whether a visit counts without a check of its link: the store is away, or a batch was not stored yet. */
  get isKeeping(): boolean {
    return this.#store.isAway || this.#failure !== undefined;
  }

  /** Whether no visits of further links can be kept. */
  get isFull(): boolean {
    return this.#keptBytes > maxBytes;
  }

  /** Why the last batch has failed; undefined if it is stored. */
  get failure(): ShortUrlError | undefined {
    return this.#failure;
  }

  /**
   * Counts a visit if its link has not changed; without a link it always counts. While the store is away, the visit is
   * kept and always counts.
   *
   * @returns whether the visit was counted or kept; false if the link has changed
   * @throws ShortUrlError `store_unavailable` if the visit can be neither counted nor kept
   */
  add(visit: Visit): Promise<boolean> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.isKeeping) {
      const kept = new PendingVisits(visit);
      if (this.isFull && !this.#kept.has(kept.key)) return Promise.reject(this.#full());
      this.#unstored += 1;
      this.#keep(kept);
      this.#begin();
      return kept.outcome;
    }
    this.#unstored += 1;
    const conditions = visit.link ?? visit.keys[0];
    let pending = this.#waiting.get(conditions);
    if (pending === undefined) {
      pending = new PendingVisits(visit);
      this.#waiting.set(conditions, pending);
    } else {
      pending.add(visit);
    }
    this.#begin();
    return pending.outcome;
  }

  /**
   * Stores what is pending, for at most `bound` milliseconds.
   *
   * @returns how many visits are not known to be stored
   */
  async close(bound: number): Promise<number> {
    const {signal} = this.#closing;
    // Another call ends it too, also an earlier one.
    const expired = delay(bound, undefined, {signal}).catch(() => undefined);
    await Promise.race([this.#finish(), expired]);
    this.#closing.abort();
    for (const pending of this.#waiting.values()) pending.fail(closed());
    return this.#unstored;
  }

  async #finish(): Promise<void> {
    await this.#writing;
    await this.#late.finish();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #begin(): void {
    this.#writing ??= this.#scope.runInAsyncScope(() => this.#write());
  }

  async #write(): Promise<void> {
    // Visitors in the same turn of the event loop join the first batch.
    await turn();
    while (this.#waiting.size + this.#kept.size > 0 && !this.#isClosed) {
      await this.#commit(this.#kept.size > 0 ? this.#takeBoth() : this.#takeWaiting(maxAdditions, maxCounters));
      // In the first turn its visitors are answered. In the second, requests that have arrived meanwhile are read and
      // join the next batch. On a busy site, larger batches save more time than the turns take.
      await turn();
      await turn();
    }
    this.#writing = undefined;
  }

  /** Kept visits get their share of each batch, so that a busy site stores them too. */
  #takeBoth(): PendingVisits[] {
    const group = this.#takeWaiting(maxAdditions / 2, maxCounters / 2);
    for (const pending of take(this.#kept, maxAdditions - group.length, maxCounters - countersOf(group))) {
      this.#keptBytes -= pending.bytes;
      group.push(pending);
    }
    return group;
  }

  #takeWaiting(additions: number, counters: number): PendingVisits[] {
    if (this.#waiting.size > additions) return take(this.#waiting, additions, counters);
    const group = Array.from(this.#waiting.values());
    if (countersOf(group) > counters) return take(this.#waiting, additions, counters);
    // A Map that is emptied and filled again has outdated tables. V8 promotes them, and they keep later visits alive.
    this.#waiting = new Map();
    return group;
  }

  async #commit(group: readonly PendingVisits[]): Promise<void> {
    this.#number += 1;
    const batch: Batch = {
      writer: this.#writer,
      number: this.#number,
      additions: group.map((pending) => pending.addition()),
    };
    let letGo: NodeJS.Timeout | undefined;
    for (let failures = 1; ; failures += 1) {
      try {
        const sent = planted('batch-renumbered') ? {...batch, number: this.#number++} : batch;
        this.#resolve(group, batch, await this.#store.count(sent));
        break;
      } catch (failure) {
        const error = toShortUrlError(failure);
        if (!isUnavailable(error)) {
          this.#giveUp(group, error);
          break;
        }
        this.#failure = error;
        // The retry may show in time whether the links have changed.
        letGo ??= setTimeout(() => {
          this.#letGo(group);
        }, maxWait);
        if (this.#closing.signal.aborted || !(await this.#untilBack(failures))) {
          for (const pending of group) pending.fail(closed());
          break;
        }
      }
    }
    clearTimeout(letGo);
  }

  /** Redirects the visitors who wait. */
  #letGo(group: readonly PendingVisits[]): void {
    for (const pending of group) pending.keep();
    const waiting = this.#waiting.values();
    this.#waiting = new Map();
    for (const pending of waiting) this.#keep(pending);
  }

  #resolve(group: readonly PendingVisits[], {additions}: Batch, counted: readonly boolean[]): void {
    this.#failure = undefined;
    this.#isToldFull = false;
    for (const [index, pending] of group.entries()) {
      const isCounted = counted[index] === true;
      // The link has changed since, but its visitors were redirected during the outage.
      if (!isCounted && pending.isKept) {
        this.#keep(pending);
        continue;
      }
      this.#unstored -= pending.visits;
      pending.resolve(isCounted);
      const {owner, keys} = pending;
      if (owner && additions[index]?.link === undefined) this.#late.add({owner, keys});
    }
  }

  #giveUp(group: readonly PendingVisits[], error: ShortUrlError): void {
    this.#failure = undefined;
    for (const pending of group) {
      this.#unstored -= pending.visits;
      pending.fail(error);
    }
    this.#onError(error);
  }

  #keep(pending: PendingVisits): void {
    pending.keep();
    const known = this.#kept.get(pending.key);
    const before = known?.bytes ?? 0;
    if (known) known.merge(pending);
    else this.#kept.set(pending.key, pending);
    this.#keptBytes += (known ?? pending).bytes - before;
  }

  #full(): ShortUrlError {
    const error = unavailable('The store does not answer, and no more visits can be kept in memory.');
    if (!this.#isToldFull) this.#onError(error);
    this.#isToldFull = true;
    return error;
  }

  /** Resolves when it is worth sending the batch again; with false if the log was closed meanwhile. */
  async #untilBack(failures: number): Promise<boolean> {
    const {signal} = this.#closing;
    await this.#store.whenBack();
    // The first failure may have been a cut connection. After more of them the store answers, but refuses the batch.
    const pause = failures === 1 ? 0 : Math.min(minPause * 2 ** failures, maxPause);
    if (pause > 0) await delay(pause, undefined, {signal}).catch(() => undefined);
    return !signal.aborted;
  }
}

/** Takes as many as fit, but at least one. */
function take<Key>(pendings: Map<Key, PendingVisits>, additions: number, counters: number): PendingVisits[] {
  const taken: PendingVisits[] = [];
  let room = counters;
  for (const [key, pending] of pendings) {
    if (taken.length >= additions || (taken.length > 0 && pending.counters > room)) break;
    room -= pending.counters;
    pendings.delete(key);
    taken.push(pending);
  }
  return taken;
}

function countersOf(group: readonly PendingVisits[]): number {
  let counters = 0;
  for (const pending of group) counters += pending.counters;
  return counters;
}

function closed(): ShortUrlError {
  return unavailable('The store is closed.');
}
