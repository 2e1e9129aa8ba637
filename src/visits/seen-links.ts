import {performance} from 'node:perf_hooks';
import {LRUCache} from 'lru-cache';
import {isUnavailable} from '../errors.ts';
import type {LinkName} from '../link/bases.ts';
import type {VisitedLink} from '../link/link.ts';
import {closingOf, lengthOf, type LinkRecord, needsCount} from '../link/record.ts';
import {linkCounters, linkRecords} from '../link/records.ts';
import {targetsOf} from '../link/urls.ts';
import {adoptCount} from '../links/new-limit.ts';
import type {LinkServices} from '../links/services.ts';
import {accountTotals} from '../links/stats/totals.ts';
import {within} from '../store/failing/within.ts';
import type {Entry, Store} from '../store/port.ts';
import type {Reading} from '../store/records.ts';
import type {Owner} from './late-counters.ts';
import type {VisitLog} from './visit-log.ts';

/** The maximum memory for cached links, in bytes: about 40,000 links with long URLs of 100 characters. */
const maxBytes = 64 * 1024 * 1024;

/** Estimated overhead of a cached link, with its keys, in bytes. */
const overhead = 1100;

/** How long a cached link redirects during an outage, in milliseconds. */
const maxAge = 5 * 60 * 1000;

/**
 * How long before an outage was noticed the store must have confirmed a link, in milliseconds. Another process may have
 * changed the link since.
 */
const maxUnchecked = 60_000;

/** How often the use of a cached link is recorded for eviction, in milliseconds. */
const useInterval = 60_000;

/** How often old entries are removed, in milliseconds. */
const purgeInterval = 60_000;

/** How long a visitor waits for the store during an outage, in milliseconds. */
const maxWait = 100;

/** A cached link with the keys for its visits, because building the keys costs more than the lookup. */
export interface CachedLink extends Entry<LinkRecord> {
  readonly key: string;
  /** The keys of its counters and of its account's totals. */
  readonly keys: readonly [ofLink: string, ofAccount: string];
  /** The links of the site that its URLs would lead to, if they exist. Each visit asks for them. */
  readonly targets: readonly LinkName[];
  /** Whether a later version has protected it in a way that this one does not know. */
  readonly isClosed: boolean;
  readonly owner: Owner;
  /** The record with the visits that its limit has granted since. */
  readonly granted: Reading<LinkRecord>;
  /** The store fills it in. It is a property from the start, because V8 keeps a later one outside of the object. */
  prepared: unknown;
  /** What listeners and callbacks of the host get of it. The first of them fills it in. */
  shown: VisitedLink | undefined;
  /** When the store last had this record, by the monotonic clock. */
  confirmedAt: number;
  /** When its use was last recorded for eviction, by the monotonic clock. */
  usedAt: number;
}

export interface SeenLinksDependencies extends Pick<LinkServices, 'bases'> {
  readonly store: Store;
  readonly log: Pick<VisitLog, 'isKeeping' | 'shard'>;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
}

/** The links that this process has read for their visitors. They redirect for some minutes of an outage. */
export class SeenLinks {
  readonly #store: Store;
  readonly #bases: LinkServices['bases'];
  readonly #log: SeenLinksDependencies['log'];
  readonly #clock: () => number;
  readonly #cache: LRUCache<string, CachedLink>;
  /** The reads that run, by the name of the link. A change of a link removes its entry. */
  readonly #reads = new Map<string, object>();
  #purgedAt: number;
  /** When this process noticed the outage, by the monotonic clock; undefined without one. */
  #noticedAt: number | undefined;

  constructor({store, bases, log, clock = () => performance.now()}: SeenLinksDependencies) {
    this.#store = store;
    this.#bases = bases;
    this.#log = log;
    this.#clock = clock;
    this.#purgedAt = clock();
    this.#cache = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({revision, value}) =>
        overhead + 2 * ((typeof revision === 'string' ? revision.length : 0) + lengthOf(value)),
    });
  }

  /** A cached link that may redirect in an outage, also in one that begins now. */
  recall(name: LinkName): CachedLink | undefined {
    const seen = this.#cache.peek(this.#keyOf(name));
    return seen !== undefined && this.#isFresh(seen) ? seen : undefined;
  }

  /**
   * Reads a link for a visitor. During an outage it returns the cached link.
   *
   * @throws ShortUrlError `store_unavailable` if it is not cached
   */
  async read(name: LinkName): Promise<CachedLink | undefined> {
    const key = linkRecords.key(name);
    const seen = this.recall(name);
    const read = this.#begin(name);
    try {
      let entry = await this.#get(key, seen);
      // Whether a link with a new limit is over depends on the visits before it.
      while (entry && needsCount(entry.value)) {
        await adoptCount(this.#store, entry.value);
        entry = await this.#get(key, undefined);
      }
      return this.#note(name, entry, read);
    } catch (error) {
      if (!isUnavailable(error) || seen === undefined) throw error;
      return seen;
    } finally {
      this.#end(name, read);
    }
  }

  /** The link, which is read if it is not cached, and not changed. Undefined while the store does not answer. */
  async look(name: LinkName): Promise<CachedLink | undefined> {
    const seen = this.recall(name);
    if (seen !== undefined || this.#store.isAway) return seen;
    const read = this.#begin(name);
    try {
      const entry = await linkRecords.in(this.#store).get(name);
      // A link is not cached before the visits that its new limit needs are counted.
      const isNoted = entry === undefined || !needsCount(entry.value);
      return isNoted ? this.#note(name, entry, read) : this.#seenNow(linkRecords.key(name), entry);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return undefined;
    } finally {
      this.#end(name, read);
    }
  }

  /** Called when the store has compared the record with its own. */
  confirm(seen: CachedLink): void {
    const now = this.#clock();
    seen.confirmedAt = now;
    // Recording each use would cost as much as the lookup.
    if (now - seen.usedAt <= useInterval) return;
    seen.usedAt = now;
    this.#cache.get(this.#keyOf(seen.value));
  }

  /** Called when this process has changed a link, so that an outage does not bring back the old one. */
  forget(name: LinkName): void {
    this.#reads.delete(this.#keyOf(name));
    this.#cache.delete(this.#keyOf(name));
  }

  /** The short part alone on the main domain, because making another text takes as long as the lookup. */
  #keyOf(name: LinkName): string {
    return name.domain === this.#bases.main.domain ? name.slug : nameOf(name);
  }

  /** Reads of one link at the same time share an entry. The first that ends is remembered. */
  #begin(name: LinkName): object {
    const read = this.#reads.get(this.#keyOf(name)) ?? {};
    this.#reads.set(this.#keyOf(name), read);
    return read;
  }

  #end(name: LinkName, read: object): void {
    if (this.#reads.get(this.#keyOf(name)) === read) this.#reads.delete(this.#keyOf(name));
  }

  /** @param read what `#begin` has returned */
  #note(name: LinkName, entry: Entry<LinkRecord> | undefined, read: object): CachedLink | undefined {
    if (entry === undefined) {
      this.#cache.delete(this.#keyOf(name));
      return undefined;
    }
    const seen = this.#seenNow(linkRecords.key(name), entry);
    // A read that began before a change may return the old record.
    if (this.#reads.get(this.#keyOf(name)) === read) this.#remember(seen);
    return seen;
  }

  /** Waits briefly, because a lost connection may come back at once, and then the store decides. */
  #get(key: string, known: CachedLink | undefined): Promise<Entry<LinkRecord> | undefined> {
    const get = (): Promise<Entry<LinkRecord> | undefined> => this.#store.get(key, known);
    if (this.#store.isAway) return within(maxWait, get());
    return get().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return within(maxWait, this.#store.whenBack().then(get));
    });
  }

  #isFresh({confirmedAt}: CachedLink): boolean {
    const now = this.#clock();
    this.#noticedAt = this.#log.isKeeping ? (this.#noticedAt ?? now) : undefined;
    return (this.#noticedAt ?? now) - confirmedAt <= maxUnchecked && now - confirmedAt <= maxAge;
  }

  #seenNow(key: string, {value, revision}: Entry<LinkRecord>): CachedLink {
    const {generation, counters} = value;
    const now = this.#clock();
    return {
      value,
      revision,
      key,
      keys: [linkCounters.key(value), accountTotals.key({generation, shard: this.#log.shard})],
      owner: {link: value, counters, generation},
      targets: targetsOf(value).flatMap((target) => this.#bases.parseShortUrl(target) ?? []),
      isClosed: closingOf(value) !== undefined,
      granted: {entry: {value, revision}},
      prepared: undefined,
      shown: undefined,
      confirmedAt: now,
      usedAt: now,
    };
  }

  #remember(seen: CachedLink): void {
    this.#cache.set(this.#keyOf(seen.value), seen);
    if (this.#clock() - this.#purgedAt < purgeInterval) return;
    this.#purgedAt = this.#clock();
    // The least recently used come first.
    for (const name of this.#cache.rkeys()) {
      const old = this.#cache.peek(name);
      if (old !== undefined && this.#isFresh(old)) break;
      this.#cache.delete(name);
    }
  }
}

/** A link's name as one text. A domain may have colons, and a short part has none. */
export function nameOf({domain, slug}: LinkName): string {
  // `join` makes a flat string. With one of several parts, which a template makes, a lookup takes twice as long.
  return [domain, slug].join(':');
}
