import {performance} from 'node:perf_hooks';
import {planted} from '../planted.ts';
import {linkCounters, linkRecords} from '../link/records.ts';
import {accountTotals, totalsKeys} from '../links/stats/totals.ts';
import {grantedCounter} from '../link/counters.ts';
import {LRUCache} from 'lru-cache';
import {isUnavailable, type ShortUrlError} from '../errors.ts';
import type {Entry, Store} from '../store/port.ts';
import {isSameName, type LinkName} from '../link/bases.ts';
import type {Calendar} from '../link/calendar.ts';
import {type Details, type DetailValues, other} from './detail-values.ts';
import {IncrementCache} from './increment-cache.ts';
import type {VisitedLink} from '../link/link.ts';
import {toVisitedLink} from '../link/to-link.ts';
import {targetsOf} from '../link/urls.ts';
import {adoptCount} from '../links/new-limit.ts';
import type {LinkServices} from '../links/services.ts';
import {hasForm} from '../link/confirm.ts';
import {closingOf, isLimited, lengthOf, type LinkRecord, statusOf, needsCount} from '../link/record.ts';
import {changing, notUnderstood} from '../link/refusals.ts';
import {VisitLimits} from './visit-limits.ts';
import type {Owner} from './late-counters.ts';
import type {VisitLog} from './visit-log.ts';
import {within} from '../store/failing/within.ts';

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

/** How many links of the site are followed from a link, to see whether they lead back to it. */
const maxFollowed = 20;

/** How often a visit is retried while its link keeps changing. */
const maxTries = 10;

/** A cached link with the keys for its visits, because building the keys costs more than the lookup. */
interface CachedLink extends Entry<LinkRecord> {
  readonly key: string;
  /** The keys of its counters and of its account's totals. */
  readonly keys: readonly [ofLink: string, ofAccount: string];
  /** The links of the site that its URLs would lead to, if they exist. Each visit asks for them. */
  readonly targets: readonly LinkName[];
  /** Whether a later version has protected it in a way that this one does not know. */
  readonly isClosed: boolean;
  readonly owner: Owner;
  /** The store fills it in. It is a property from the start, because V8 keeps a later one outside of the object. */
  prepared: unknown;
  /** What listeners and callbacks of the host get of it. The first of them fills it in. */
  shown: VisitedLink | undefined;
  /** When the store last had this record, by the monotonic clock. */
  confirmedAt: number;
  /** When its use was last recorded for eviction, by the monotonic clock. */
  usedAt: number;
}

export type Found =
  {readonly status: 'unknown'} | {readonly status: 'unavailable'; readonly error: ShortUrlError} | FoundLink;

export interface FoundLink {
  /** `loop`: it is not over, but its URLs lead back to it, or to another link that answers there (`#isLoop`). */
  readonly status: 'active' | 'gone' | 'loop';
  readonly value: LinkRecord;
  readonly seen: CachedLink;
  /** When the visit was counted, in milliseconds since the epoch; undefined before. */
  readonly visitedAt?: number | undefined;
  readonly details?: Details | undefined;
  /** The host's choice of a destination. */
  readonly destination?: string | undefined;
}

export interface VisitOptions {
  /** The hash of the password that the visitor has given, if the link has one. */
  readonly password?: string | undefined;
  readonly details?: Details | undefined;
  /** Whether the visitor has posted the form of the link. */
  readonly isPosted?: true | undefined;
  /** Whether a link that has changed is returned before it is visited. */
  readonly isOnlyAsSeen?: boolean | undefined;
}

export interface RedirectsDependencies extends Pick<LinkServices, 'bases' | 'fieldDefaults'> {
  readonly store: Store;
  readonly sitePages: Pick<LinkServices['sitePages'], 'areFirst' | 'isHidden'>;
  readonly log: VisitLog;
  readonly values: DetailValues;
  readonly calendar: Calendar;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
}

/**
 * Decides whether a visitor is redirected. A visit of a cached link takes one round trip: the store counts it only if
 * the record of the link is unchanged, which is as exact as reading it first.
 */
export class Redirects {
  readonly #store: Store;
  readonly #bases: LinkServices['bases'];
  readonly #fieldDefaults: LinkServices['fieldDefaults'];
  readonly #sitePages: RedirectsDependencies['sitePages'];
  readonly #log: VisitLog;
  readonly #limits: VisitLimits;
  readonly #values: DetailValues;
  readonly #now: () => number;
  readonly #clock: () => number;
  readonly #seen: LRUCache<string, CachedLink>;
  readonly #increments: IncrementCache;
  /** The reads that run, by the name of the link. A change of a link removes its entry. */
  readonly #reads = new Map<string, object>();
  #purgedAt: number;
  /** When this process noticed the outage, by the monotonic clock; undefined without one. */
  #noticedAt: number | undefined;

  constructor(dependencies: RedirectsDependencies) {
    const {
      store,
      bases,
      fieldDefaults,
      sitePages,
      log,
      values,
      calendar,
      now,
      clock = () => performance.now(),
    } = dependencies;
    this.#store = store;
    this.#bases = bases;
    this.#fieldDefaults = fieldDefaults;
    this.#sitePages = sitePages;
    this.#log = log;
    this.#values = values;
    this.#limits = new VisitLimits(store, now);
    this.#increments = new IncrementCache(calendar);
    this.#now = now;
    this.#clock = clock;
    this.#purgedAt = clock();
    this.#seen = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({revision, value}) =>
        overhead + 2 * ((typeof revision === 'string' ? revision.length : 0) + lengthOf(value)),
    });
  }

  /** The cached link, if it is active and has no form, so that its visit can be counted at once. */
  seen(name: LinkName): FoundLink | undefined {
    // Visits would be kept without a check of their link. But one node of a cluster may be away, or one row locked, while
    // the rest of the store has the changed record.
    if (this.#isKeeping) return undefined;
    // If an outage begins before the store has compared the record, the visit counts without that check. So a record that is
    // too old for an outage is not used here.
    const seen = this.#recall(nameOf(name));
    if (seen === undefined || seen.targets.length > 0 || hasForm(seen.value, this.#fieldDefaults.confirm))
      return undefined;
    const found = this.#found(seen);
    return found.status === 'active' ? found : undefined;
  }

  /** Whether there is surely no such link. Only an engine within the process can tell, which saves its promises. */
  isUnknown(name: LinkName): boolean {
    return linkRecords.in(this.#store).isAbsent(name);
  }

  /** Reads a link. During an outage it returns the cached link. */
  async find(name: LinkName): Promise<Found> {
    const key = linkRecords.key(name);
    let seen = this.#recall(nameOf(name));
    const read = this.#begin(nameOf(name));
    try {
      let entry = await this.#read(key, seen);
      // Whether a link with a new limit is over depends on the visits before it.
      while (entry && needsCount(entry.value)) {
        await adoptCount(this.#store, entry.value);
        entry = await this.#read(key, undefined);
      }
      seen = this.#note(name, entry, read);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (seen === undefined) return {status: 'unavailable', error};
    } finally {
      this.#end(nameOf(name), read);
    }
    if (seen === undefined) return {status: 'unknown'};
    const found = this.#found(seen);
    if (found.status === 'unknown' || found.status === 'unavailable' || seen.targets.length === 0) return found;
    return (await this.#isLoop(seen)) ? {...found, status: 'loop'} : found;
  }

  /**
   * Whether the links that the link's URLs lead to come back to it, or do not end. A create and an update have refused
   * URLs of links that existed then.
   *
   * Where links answer first, any link is one too many: another user could decide where the URL leads. Where the site's
   * pages answer first, the URL may be that of a page in front of the other link, which only a process that has served the
   * page knows.
   */
  async #isLoop(link: CachedLink): Promise<boolean> {
    const names = new Map(link.targets.map((name) => [nameOf(name), name]));
    let followed = 0;
    // The loop also visits names that it adds.
    for (const name of names.values()) {
      if (this.#sitePages.isHidden(name)) continue;
      const next = await this.#look(name);
      if (next === undefined) continue;
      followed += 1;
      if (!this.#sitePages.areFirst || isSameName(name, link.value) || followed > maxFollowed) return true;
      for (const target of next.targets) names.set(nameOf(target), target);
    }
    return false;
  }

  /**
   * Whether there is a link for visitors, also one that is over, disabled or removed. Reads it if it is not cached, and
   * changes nothing. False while the store does not answer.
   */
  async has(name: LinkName): Promise<boolean> {
    return (await this.#look(name)) !== undefined;
  }

  /** The link of which `has` tells. */
  async #look(name: LinkName): Promise<CachedLink | undefined> {
    let seen = this.#recall(nameOf(name));
    if (seen === undefined) {
      if (this.#store.isAway) return undefined;
      const read = this.#begin(nameOf(name));
      try {
        const entry = await linkRecords.in(this.#store).get(name);
        // A link is not cached before the visits that its new limit needs are counted.
        const isNoted = entry === undefined || !needsCount(entry.value);
        seen = isNoted ? this.#note(name, entry, read) : this.#seenNow(linkRecords.key(name), entry);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      } finally {
        this.#end(nameOf(name), read);
      }
    }
    return seen !== undefined && this.#found(seen).status !== 'unknown' ? seen : undefined;
  }

  /** Reads of one link at the same time share an entry. The first that ends is remembered. */
  #begin(name: string): object {
    const read = this.#reads.get(name) ?? {};
    this.#reads.set(name, read);
    return read;
  }

  #end(name: string, read: object): void {
    if (this.#reads.get(name) === read) this.#reads.delete(name);
  }

  /** @param read what `#begin` has returned */
  #note(name: LinkName, entry: Entry<LinkRecord> | undefined, read: object): CachedLink | undefined {
    if (entry === undefined) {
      this.#seen.delete(nameOf(name));
      return undefined;
    }
    const seen = this.#seenNow(linkRecords.key(name), entry);
    // A read that began before a change may return the old record.
    if (this.#reads.get(nameOf(name)) === read) this.#remember(seen);
    return seen;
  }

  /**
   * Counts a visit of an active link.
   *
   * @returns the link with the time of the visit; if it has changed, the new link, which must not be visited
   */
  visit(link: Found, options: VisitOptions = {}): Promise<Found> {
    return this.#visit(link, options, 1);
  }

  /** Without `async`, which would take a measurable part of the time of a redirect. */
  #visit(found: Found, options: VisitOptions, tries: number): Promise<Found> {
    const {details = {}} = options;
    if (found.status !== 'active' || !this.isOpenTo(found.value, options)) return Promise.resolve(found);
    const {value, seen} = found;
    const at = this.#now();
    return this.#take(seen, at, details).then(
      (isCounted): Found | Promise<Found> => {
        if (!isCounted) return this.#visitChanged(value, options, tries);
        // A link that was forgotten meanwhile is no longer in the cache.
        if (!this.#isKeeping) this.#confirm(seen);
        return {status: 'active', value, seen, visitedAt: at, details};
      },
      (error: unknown): Found => {
        if (!isUnavailable(error)) throw error;
        return {status: 'unavailable', error};
      },
    );
  }

  /** Visits the link as it is now, unless the caller has to see it first. */
  async #visitChanged(name: LinkName, options: VisitOptions, tries: number): Promise<Found> {
    const found = await this.find(name);
    if (options.isOnlyAsSeen === true) return found;
    return tries < maxTries ? this.#visit(found, options, tries + 1) : {status: 'unavailable', error: changing()};
  }

  /**
   * A visited link as listeners and callbacks of the host get it: an object that they may keep. Only its status depends on
   * the time.
   */
  shown({value, seen}: FoundLink, at: number): VisitedLink {
    seen.shown ??= toVisitedLink(value, {bases: this.#bases, fieldDefaults: this.#fieldDefaults}, at);
    return {...seen.shown, status: statusOf(value, at)};
  }

  /** Called when this process has changed a link, so that an outage does not bring back the old one. */
  forget(name: LinkName): void {
    this.#reads.delete(nameOf(name));
    this.#seen.delete(nameOf(name));
  }

  /** Whether the visitor has passed the form of the link, if it has one. */
  isOpenTo(record: LinkRecord, {password, isPosted}: VisitOptions): boolean {
    if (isPosted !== true && hasForm(record, this.#fieldDefaults.confirm)) return false;
    return (record.password ?? password) === password;
  }

  /** Waits briefly, because a lost connection may come back at once, and then the store decides. */
  #read(key: string, known: CachedLink | undefined): Promise<Entry<LinkRecord> | undefined> {
    const read = (): Promise<Entry<LinkRecord> | undefined> => this.#store.get(key, known);
    if (this.#store.isAway) return within(maxWait, read());
    return read().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      return within(maxWait, this.#store.whenBack().then(read));
    });
  }

  /** Whether a visit counts without a check of its link. */
  get #isKeeping(): boolean {
    return this.#store.isAway || this.#log.isBehind;
  }

  /** Counts a visit. A visit of a link with a limit is granted first, and then always counts. */
  #take(seen: CachedLink, at: number, all: Details): Promise<boolean> {
    const {keys, owner, value} = seen;
    const details = this.#log.isFull && this.#isKeeping ? withoutValues(all) : all;
    const {generation} = value;
    const ofLink = this.#values.counters(keys[0], details, keysOfLink);
    const ofAccount = this.#increments.of(at, this.#values.counters(generation, details, totalsKeys));
    if (!isLimited(value)) {
      const link = planted('visit-link-not-compared') ? undefined : seen;
      return this.#log.add({link, owner, keys, adds: [this.#increments.of(at, ofLink), ofAccount], at});
    }
    const adds = [this.#increments.of(at, [...ofLink, grantedCounter]), ofAccount];
    return this.#limits.grant(value).then((isGranted) => isGranted && this.#log.add({owner, keys, adds, at}));
  }

  /** A cached link that may redirect in an outage, also in one that begins now. */
  #recall(name: string): CachedLink | undefined {
    const seen = this.#seen.peek(name);
    return seen !== undefined && this.#isFresh(seen) ? seen : undefined;
  }

  #confirm(seen: CachedLink): void {
    const now = this.#clock();
    seen.confirmedAt = now;
    // Recording each use would cost as much as the lookup.
    if (now - seen.usedAt <= useInterval) return;
    seen.usedAt = now;
    this.#seen.get(nameOf(seen.value));
  }

  #isFresh({confirmedAt}: CachedLink): boolean {
    const now = this.#clock();
    this.#noticedAt = this.#isKeeping ? (this.#noticedAt ?? now) : undefined;
    return (this.#noticedAt ?? now) - confirmedAt <= maxUnchecked && now - confirmedAt <= maxAge;
  }

  #seenNow(key: string, {value, revision}: Entry<LinkRecord>): CachedLink {
    const keys = [
      linkCounters.key(value),
      accountTotals.key({generation: value.generation, shard: this.#log.shard}),
    ] as const;
    const owner = {link: value, counters: value.counters, generation: value.generation};
    const now = this.#clock();
    const targets = targetsOf(value).flatMap((target) => this.#bases.parseShortUrl(target) ?? []);
    const isClosed = closingOf(value) !== undefined;
    return {
      value,
      revision,
      key,
      keys,
      owner,
      targets,
      isClosed,
      prepared: undefined,
      shown: undefined,
      confirmedAt: now,
      usedAt: now,
    };
  }

  #remember(seen: CachedLink): void {
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

  /** A link before its start date is unknown to visitors. */
  #found(seen: CachedLink): Found {
    const {value} = seen;
    if (seen.isClosed) return {status: 'unavailable', error: notUnderstood()};
    const status = statusOf(value, this.#now());
    if (status === 'scheduled') return {status: 'unknown'};
    return {status: status === 'active' ? 'active' : 'gone', value, seen};
  }
}

/** The keys of the counters of a link. */
function keysOfLink(key: string): readonly string[] {
  return [key];
}

/** The counters of many values take many times the memory of a link's visits. */
function withoutValues(details: Details): Details {
  return Object.fromEntries(Object.keys(details).map((name) => [name, other]));
}

/**
 * A link's name as one text. A domain may have colons, and a short part has none. `join` makes a flat string. A template
 * makes a string of two parts, with which a lookup in a large Map takes twice as long.
 */
function nameOf({domain, slug}: LinkName): string {
  return [domain, slug].join(':');
}
