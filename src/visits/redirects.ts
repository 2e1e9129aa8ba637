import {planted} from '../planted.ts';
import {isUnavailable, type ShortUrlError} from '../errors.ts';
import {isSameName, type LinkName} from '../link/bases.ts';
import type {Calendar} from '../values/calendar.ts';
import {hasForm} from '../link/confirm.ts';
import {grantedCounter, variantDetail} from '../link/counters.ts';
import type {VisitedLink} from '../link/link.ts';
import {isLimited, type LinkRecord, statusOf} from '../link/record.ts';
import {linkRecords} from '../link/records.ts';
import {notUnderstood} from '../link/refusals.ts';
import {toVisitedLink} from '../link/to-link.ts';
import type {LinkServices} from '../links/services.ts';
import {totalsKeys} from '../links/stats/totals.ts';
import {type Details, type DetailValues, other} from './detail-values.ts';
import {IncrementCache} from './increment-cache.ts';
import {type CachedLink, nameOf, SeenLinks, type SeenLinksDependencies} from './seen-links.ts';
import {VisitLimits} from './visit-limits.ts';
import type {VisitLog} from './visit-log.ts';
import {ownCopy} from '../values/objects.ts';

/** How many links of the site are followed from a link, to see whether they lead back to it. */
const maxFollowed = 20;

/** The detail of a visit that is its variant. */
const variants = variantDetail();

const noDetails: Details = {};

export type Found = Readonly<{status: 'unknown'} | {status: 'unavailable'; error: ShortUrlError}> | FoundLink;

export interface FoundLink {
  /** `loop`: it is not over, but its URLs lead back to it, or to another link that answers there (`#isLoop`). */
  readonly status: 'active' | 'gone' | 'loop';
  readonly value: LinkRecord;
  readonly seen: CachedLink;
  /** When the visit was counted, in milliseconds since the epoch; undefined before. */
  readonly visitedAt?: number | undefined;
  readonly details?: Details | undefined;
  readonly decided?: Decided | undefined;
}

/** What was decided for a visitor before the visit. */
export interface Decided {
  /** The host's choice of a destination. */
  readonly destination?: string | undefined;
  /** The variant that the visitor gets, which is counted with the visit; undefined for a link without variants. */
  readonly variant?: string | undefined;
}

export interface VisitOptions {
  /** The hash of the password that the visitor has given, if the link has one. */
  readonly password?: string | undefined;
  readonly details?: Details | undefined;
  /** Whether the visitor has posted the form of the link. */
  readonly isPosted?: true | undefined;
  readonly decided?: Decided | undefined;
}

export interface RedirectsDependencies extends SeenLinksDependencies, Pick<LinkServices, 'fieldDefaults'> {
  readonly sitePages: Pick<LinkServices['sitePages'], 'areFirst' | 'isHidden'>;
  readonly log: VisitLog;
  readonly values: DetailValues;
  readonly calendar: Calendar;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Decides whether a visitor is redirected. A visit of a cached link takes one round trip: the store counts it only if
 * the record of the link is unchanged, which is as exact as reading it first.
 */
export class Redirects {
  readonly #dependencies: RedirectsDependencies;
  readonly #links: SeenLinks;
  readonly #limits: VisitLimits;
  readonly #increments: IncrementCache;

  constructor(dependencies: RedirectsDependencies) {
    const {store, calendar, now} = dependencies;
    this.#dependencies = dependencies;
    this.#links = new SeenLinks(dependencies);
    this.#limits = new VisitLimits(store, now);
    this.#increments = new IncrementCache(calendar);
  }

  /** The cached link, if it is active and has no form, so that its visit can be counted at once. */
  seen(name: LinkName): FoundLink | undefined {
    const {log, fieldDefaults} = this.#dependencies;
    // Visits would be kept without a check of their link. But one node of a cluster may be away, or one row locked, while
    // the rest of the store has the changed record.
    if (log.isKeeping) return undefined;
    // If an outage begins before the store has compared the record, the visit counts without that check. So a record that is
    // too old for an outage is not used here.
    const seen = this.#links.recall(name);
    if (seen === undefined || seen.targets.length > 0 || hasForm(seen.value, fieldDefaults.confirm)) return undefined;
    const found = this.#found(seen);
    return found.status === 'active' ? found : undefined;
  }

  /** Whether there is surely no such link. Only an engine within the process can tell, which saves its promises. */
  isUnknown(name: LinkName): boolean {
    return linkRecords.in(this.#dependencies.store).isAbsent(name);
  }

  /** Reads a link. During an outage it returns the cached link. */
  async find(name: LinkName): Promise<Found> {
    let seen;
    try {
      seen = await this.#links.read(name);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return {status: 'unavailable', error};
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
    const {sitePages} = this.#dependencies;
    const names = new Map(link.targets.map((name) => [nameOf(name), name]));
    let followed = 0;
    // The loop also visits names that it adds.
    for (const name of names.values()) {
      if (sitePages.isHidden(name)) continue;
      const next = await this.#look(name);
      if (next === undefined) continue;
      followed += 1;
      if (!sitePages.areFirst || isSameName(name, link.value) || followed > maxFollowed) return true;
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
    const seen = await this.#links.look(name);
    return seen !== undefined && this.#found(seen).status !== 'unknown' ? seen : undefined;
  }

  /**
   * Counts a visit of an active link. It is not `async`, which would take a measurable part of the time of a redirect.
   *
   * @param changed gets the link as it is now if it has changed; by default that is visited
   * @returns the link with the time of the visit
   */
  visit(
    found: Found,
    options: VisitOptions = {},
    changed = (now: Found): Promise<Found> => this.visit(now, options),
  ): Promise<Found> {
    if (found.status !== 'active' || !this.isOpenTo(found.value, options)) return Promise.resolve(found);
    const {details = noDetails, decided} = options;
    const {value, seen} = found;
    const at = this.#dependencies.now();
    return this.#take(seen, at, details, decided?.variant).then(
      (isCounted): Found | Promise<Found> => {
        if (!isCounted) return this.find(value).then(changed);
        // A link that was forgotten meanwhile is no longer in the cache.
        if (!this.#dependencies.log.isKeeping) this.#links.confirm(seen);
        return {status: 'active', value, seen, visitedAt: at, details, decided};
      },
      (error: unknown): Found => {
        if (!isUnavailable(error)) throw error;
        return {status: 'unavailable', error};
      },
    );
  }

  /**
   * A visited link as listeners and callbacks of the host get it: an object that they may keep and change. Only its status
   * depends on the time.
   */
  shown({value, seen}: FoundLink, at: number): VisitedLink {
    seen.shown ??= toVisitedLink(value, this.#dependencies, at);
    return {...withOwnValues(seen.shown), status: statusOf(value, at)};
  }

  /** Called when this process has changed a link, so that an outage does not bring back the old one. */
  forget(name: LinkName): void {
    this.#links.forget(name);
  }

  /** Whether the visitor has passed the form of the link, if it has one. */
  isOpenTo(record: LinkRecord, {password, isPosted}: VisitOptions): boolean {
    if (isPosted !== true && hasForm(record, this.#dependencies.fieldDefaults.confirm)) return false;
    return (record.password ?? password) === password;
  }

  /** Counts a visit. A visit of a link with a limit is granted first, and then always counts. */
  #take(seen: CachedLink, at: number, all: Details, variant: string | undefined): Promise<boolean> {
    const {log, values} = this.#dependencies;
    const {keys, owner, value, granted} = seen;
    const details = log.isFull && log.isKeeping ? withoutValues(all) : all;
    const {generation} = value;
    const ofLink = values.counters(
      keys[0],
      variant === undefined ? details : {...details, [variants]: variant},
      keysOfLink,
    );
    const ofAccount = this.#increments.of(at, values.counters(generation, details, totalsKeys));
    if (!isLimited(value)) {
      const link = planted('visit-link-not-compared') ? undefined : seen;
      return log.add({link, owner, keys, adds: [this.#increments.of(at, ofLink), ofAccount], at});
    }
    const adds = [this.#increments.of(at, [...ofLink, grantedCounter]), ofAccount];
    return this.#limits.grant(value, granted).then((isGranted) => isGranted && log.add({owner, keys, adds, at}));
  }

  /** A link before its start date is unknown to visitors. */
  #found(seen: CachedLink): Found {
    const {value} = seen;
    if (seen.isClosed) return {status: 'unavailable', error: notUnderstood()};
    const status = statusOf(value, this.#dependencies.now());
    if (status === 'scheduled') return {status: 'unknown'};
    return {status: status === 'active' ? 'active' : 'gone', value, seen};
  }
}

/** A link that shares nothing with the cached one. */
function withOwnValues(link: VisitedLink): VisitedLink {
  const own: Record<string, unknown> = {...link};
  for (const name in own) own[name] = ownCopy(own[name]);
  return own as unknown as VisitedLink;
}

/** The keys of the counters of a link. */
function keysOfLink(key: string): readonly string[] {
  return [key];
}

/** The counters of many values take many times the memory of a link's visits. */
function withoutValues(details: Details): Details {
  return Object.fromEntries(Object.keys(details).map((name) => [name, other]));
}
