import {LRUCache} from 'lru-cache';
import {ShortUrlError} from '../errors.ts';
import {isThenable} from '../callback.ts';
import type {Entry, Store} from '../store/port.ts';
import type {LinkName} from './bases.ts';
import type {Details, DetailValues} from './detail-values.ts';
import {countersKey, linkKey, type LinkRecord, statusOf, totalsKey} from './record.ts';
import {VisitCounters} from './visit-counters.ts';
import {VisitLimits} from './visit-limits.ts';
import type {VisitLog} from './visit-log.ts';
import {within} from './within.ts';

/** What links seen lately may take, in bytes: about 60,000 links with long URLs of 100 characters. */
const maxBytes = 64 * 1024 * 1024;

/** An estimate of what an entry takes besides its text, in bytes. */
const overhead = 600;

/** How long a link that was seen is redirected during an outage, in milliseconds. */
const maxAge = 5 * 60 * 1000;

/** How often the use of a link is noted, so that the least recently used ones are evicted, in milliseconds. */
const useInterval = 1000;

/** How often entries that are too old are removed, in milliseconds. */
const purgeInterval = 60_000;

/** How long a visitor waits for a store that is away, in milliseconds. */
const maxWait = 100;

/** How often a visit is tried while its link keeps changing. */
const maxTries = 10;

/** A link as it is remembered, with the keys that a visit needs: to make them costs more than to look the link up. */
interface SeenLink extends Entry<LinkRecord> {
  readonly key: string;
  /** Of its counters, and of those of its account. */
  readonly keys: readonly [ofLink: string, ofAccount: string];
  /** When the store last had this very record, by the clock that never goes back. */
  confirmedAt: number;
}

/** What a visitor finds at a short URL. */
export type Found =
  {readonly status: 'unknown'} | {readonly status: 'unavailable'; readonly error: ShortUrlError} | FoundLink;

export interface FoundLink {
  readonly status: 'active' | 'gone';
  readonly value: LinkRecord;
  readonly seen: SeenLink;
  /** When the visit was counted, in milliseconds since the epoch; undefined while it has not been. */
  readonly visitedAt?: number | undefined;
  /** What was counted of the visit besides. */
  readonly details?: Details | undefined;
}

/** What a visitor brings along. */
export interface VisitOptions {
  /** The hash of the password that the visitor has given, if the link has one. */
  readonly password?: string | undefined;
  /** What is counted of the visit besides. */
  readonly details?: Details | undefined;
}

/**
 * Decides whether a visitor is redirected. A visit of a link seen lately takes one round trip: the store counts it only
 * if the link is still as it was seen, which is as exact as reading it first.
 */
export class Redirects {
  readonly #store: Store;
  readonly #log: VisitLog;
  readonly #limits: VisitLimits;
  readonly #values: DetailValues;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #seen: LRUCache<string, SeenLink>;
  readonly #counters = new VisitCounters();
  #changes = 0;
  #purgedAt: number;

  /**
   * @param now milliseconds since the epoch
   * @param clock milliseconds that never go back
   */
  constructor(store: Store, log: VisitLog, values: DetailValues, now: () => number, clock = () => performance.now()) {
    this.#store = store;
    this.#log = log;
    this.#values = values;
    this.#limits = new VisitLimits(store, now);
    this.#now = now;
    this.#clock = clock;
    this.#purgedAt = clock();
    this.#seen = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({revision}) => overhead + (typeof revision === 'string' ? 2 * revision.length : 0),
    });
  }

  /** The link as it was seen lately, if a visit of it may be counted: active then and without a password. */
  seen(name: LinkName): FoundLink | undefined {
    // Visits are kept without a look at their link then. One node of a cluster may be away, or one row locked, while the
    // rest of the store knows what has changed.
    if (this.#isKeeping) return undefined;
    const seen = this.#recall(nameOf(name));
    if (seen === undefined || seen.value.password !== undefined) return undefined;
    const found = this.#found(seen);
    return found.status === 'active' ? found : undefined;
  }

  /** Looks a link up. While the store does not answer, a link seen lately is found as it was then. */
  async find(name: LinkName): Promise<Found> {
    const key = linkKey(name);
    const change = this.#changes;
    let seen = this.#recall(nameOf(name));
    try {
      const entry = await this.#read(key, seen);
      seen = entry && this.#seenNow(key, entry);
      if (seen === undefined) this.#seen.delete(nameOf(name));
      // What was read before a change may be what the link was before it.
      else if (change === this.#changes) this.#remember(seen);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (seen === undefined) return {status: 'unavailable', error};
    }
    return seen === undefined || seen.value.state === 'pending' ? {status: 'unknown'} : this.#found(seen);
  }

  /**
   * Counts a visit of a link, if it is active.
   *
   * @returns the link with the time of the visit; if it has changed, what there is now and may not be visited
   */
  async visit(link: Found, {password, details = {}}: VisitOptions = {}): Promise<Found> {
    let found = link;
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (found.status !== 'active' || (found.value.password ?? password) !== password) return found;
      const at = this.#now();
      try {
        if (await this.#take(found.seen, at, details)) {
          const {value, seen} = found;
          return {status: 'active', value, seen, visitedAt: at, details};
        }
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        return {status: 'unavailable', error};
      }
      found = await this.find(found.value);
    }
    const message = 'The link is being changed too often to be visited.';
    return {status: 'unavailable', error: new ShortUrlError('store_unavailable', message, {retryAfter: 1})};
  }

  /** Called when this process has changed a link, so that an outage does not bring back what it was before. */
  forget(name: LinkName): void {
    this.#changes += 1;
    this.#seen.delete(nameOf(name));
  }

  /** A lost connection may be there again at once, and then the store knows better than what was seen. */
  async #read(key: string, known: SeenLink | undefined): Promise<Entry<LinkRecord> | undefined> {
    const read = (): Promise<Entry<LinkRecord> | undefined> => this.#store.get(key, known);
    if (this.#store.isAway) return within(maxWait, read());
    try {
      return await read();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return within(maxWait, this.#store.whenBack().then(read));
    }
  }

  /** Whether a visit counts without a look at its link. */
  get #isKeeping(): boolean {
    return this.#store.isAway || this.#log.isBehind;
  }

  /** Counts a visit. One of a link with a limit is granted first, and counts then whatever becomes of the link. */
  async #take(seen: SeenLink, at: number, details: Details): Promise<boolean> {
    const {keys, value} = seen;
    const found = this.#values.counters(value, keys[0], details);
    const [ofLink, ofAccount] = isThenable(found) ? await found : found;
    const hasLimit = value.maxVisits !== undefined;
    if (hasLimit && !(await this.#limits.grant(value))) return false;
    const change = this.#changes;
    const link = hasLimit ? undefined : seen;
    const adds = [this.#counters.of(at, ofLink), this.#counters.of(at, ofAccount)];
    const isCounted = await this.#log.add({link, keys, adds, at});
    if (isCounted && change === this.#changes && !this.#isKeeping) this.#confirm(seen);
    return isCounted;
  }

  /** A link that was seen no longer ago than `maxAge`. */
  #recall(name: string): SeenLink | undefined {
    const seen = this.#seen.peek(name);
    return seen !== undefined && this.#isFresh(seen) ? seen : undefined;
  }

  #confirm(seen: SeenLink): void {
    const now = this.#clock();
    // To note each use would cost as much as to find the link.
    if (now - seen.confirmedAt > useInterval) this.#seen.get(nameOf(seen.value));
    seen.confirmedAt = now;
  }

  #isFresh({confirmedAt}: SeenLink): boolean {
    return this.#clock() - confirmedAt <= maxAge;
  }

  #seenNow(key: string, {value, revision}: Entry<LinkRecord>): SeenLink {
    const keys = [countersKey(value), totalsKey(value.owner, this.#log.shard)] as const;
    return {value, revision, key, keys, confirmedAt: this.#clock()};
  }

  #remember(seen: SeenLink): void {
    this.#seen.set(nameOf(seen.value), seen);
    if (this.#clock() - this.#purgedAt < purgeInterval) return;
    this.#purgedAt = this.#clock();
    // The least recently used come first.
    for (const name of this.#seen.rkeys()) {
      const old = this.#seen.peek(name);
      if (old !== undefined && this.#isFresh(old)) break;
      this.#seen.delete(name);
    }
  }

  #found(seen: SeenLink): FoundLink {
    const {value} = seen;
    return {status: statusOf(value, this.#now()) === 'active' ? 'active' : 'gone', value, seen};
  }
}

/** A name as one text: a domain may hold colons, and a short part none. */
function nameOf({domain, slug}: LinkName): string {
  return `${domain}:${slug}`;
}

function isUnavailable(error: unknown): error is ShortUrlError {
  return error instanceof ShortUrlError && error.code === 'store_unavailable';
}
