import {setImmediate, setTimeout as delay} from 'node:timers/promises';
import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';
import type {Entry, Store} from '../store/port.ts';
import type {LinkName} from './bases.ts';
import {linkKey, type LinkRecord, statusOf, tallyKey} from './record.ts';
import type {VisitLog} from './visit-log.ts';

/** Links that are remembered for an outage of the store. */
const mostRemembered = 10_000;
/** For how long, in milliseconds: what another process disabled shortly before an outage may still redirect during it. */
const longestMemory = 5 * 60 * 1000;
/** How long a visitor waits for a store that has left others without an answer, in milliseconds. */
const patience = 100;

export interface VisitsDependencies {
  readonly store: Store;
  readonly log: VisitLog;
  readonly now: () => number;
}

/** What a visitor finds at a short URL. */
export type Found = {readonly status: 'unknown'} | FoundLink;

export interface FoundLink {
  readonly status: 'active' | 'gone';
  readonly record: LinkRecord;
  /** Whether the store did not answer, and this is what was seen lately. */
  readonly isRemembered: boolean;
}

/** The visitor's side of the links. */
export class Visits {
  readonly #store: Store;
  readonly #log: VisitLog;
  readonly #now: () => number;
  readonly #seen: LRUCache<string, Entry<LinkRecord>>;
  #changes = 0;
  /** Whether the store did not answer in time, and has answered nobody since. */
  #isSilent = false;

  constructor({store, log, now}: VisitsDependencies) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#seen = new LRUCache({max: mostRemembered, ttl: longestMemory, ttlResolution: 1000});
  }

  /**
   * Looks a link up. While the store does not answer, a link seen lately is found as it was then. Only the first to
   * come wait as long for it as it may take.
   *
   * @throws ShortUrlError `store_unavailable` for any other link then
   */
  async find(name: LinkName): Promise<Found> {
    const key = linkKey(name);
    const change = this.#changes;
    const began = performance.now();
    const isSilent = this.#isSilent;
    let entry: Entry<LinkRecord> | undefined;
    let isRemembered = false;
    try {
      const looking = this.#store.get(key, this.#seen.get(key));
      entry = await (isSilent ? this.#answered(looking) : looking);
      this.#isSilent = false;
      if (entry === undefined) this.#seen.delete(key);
      // What was read before a change may be what the link was before it.
      else if (change === this.#changes) this.#seen.set(key, entry);
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'store_unavailable') throw error;
      if (!isSilent && performance.now() - began > patience) this.#isSilent = true;
      entry = this.#seen.get(key);
      if (entry === undefined) throw error;
      isRemembered = true;
    }
    if (entry === undefined) return {status: 'unknown'};
    const record = entry.value;
    return {status: statusOf(record, this.#now()) === 'active' ? 'active' : 'gone', record, isRemembered};
  }

  /** Waits but a moment; an answer that comes later still tells that the store is back. */
  async #answered<Result>(looking: Promise<Result>): Promise<Result> {
    const answer = looking.then((result) => {
      this.#isSilent = false;
      return result;
    });
    const moment = new AbortController();
    try {
      return await Promise.race([answer, impatience(moment.signal)]);
    } finally {
      moment.abort();
    }
  }

  /** Counts a visit of the link: resolves with its time when it is stored, or kept until the store is back. */
  async count({record, isRemembered}: FoundLink): Promise<number> {
    const at = this.#now();
    const stored = this.#log.add(tallyKey(record), at);
    // The store has kept this visitor waiting once already.
    if (!isRemembered) await stored;
    return at;
  }

  /** Called when a link has changed, so that an outage does not bring back what it was before. */
  forget(name: LinkName): void {
    this.#changes++;
    this.#seen.delete(linkKey(name));
  }
}

async function impatience(signal: AbortSignal): Promise<never> {
  await delay(patience, undefined, {signal});
  // If the event loop was held up, an answer may have come that nobody has looked at.
  await setImmediate();
  throw new ShortUrlError('store_unavailable', 'The store does not answer.', {retryAfter: 1});
}
