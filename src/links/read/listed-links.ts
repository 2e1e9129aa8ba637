import type {Link, LinkStatus} from '../../link/link.ts';
import type {ConversionStats, DayVisits} from '../stats/statistics.ts';

/** The part of a list to read. */
export interface Page {
  /** The maximum number of items to return, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * By visits, by the time of the last visit, or by conversions of the first name that the site has recorded, the most first;
 * or by the expiry date, the earliest first and links without one last. Of equal links the newest is first. Up to 10,000
 * links; the order is up to a minute old.
 */
export type RankedOrder = 'visits' | 'last_visit' | 'conversions' | 'expiry_date';

/** Conditions that a link must all meet. */
export interface LinkConditions {
  readonly status?: LinkStatus | undefined;
  /** The whole tag; case is ignored. */
  readonly tag?: string | undefined;
  /**
   * Words that the long URL, short part, title or tags have, whatever the case and, but for the long URL, other signs than
   * letters and digits; the domain of short URLs; or a short URL.
   */
  readonly search?: string | undefined;
  /** Whether the links are marked as broken. */
  readonly broken?: boolean | undefined;
  /** Links that have not expired, and whose expiry date is within so many days: 1 to 400. */
  readonly expiresWithin?: number | undefined;
  /** The domain of the short URLs. */
  readonly baseDomain?: string | undefined;
}

/** Conditions of a list, and the order. */
export interface LinkFilter extends LinkConditions {
  /** The whole reference. Finds its link at once, however many the account has. */
  readonly reference?: string | undefined;
  /** By the time of creation, by visits, by conversions or by expiry date. */
  readonly order?: 'newest' | 'oldest' | RankedOrder | undefined;
}

/** The page to read: by default 100 links, newest first. */
export interface LinkQuery extends LinkFilter, Page {
  /** Adds each link's visits by day for the last 1 to 31 days, including today. */
  readonly days?: number | undefined;
}

/** A link on a page. */
export interface ListedLink extends Link {
  /** The days with visits, oldest first; undefined if the query has no `days`. */
  readonly days?: readonly DayVisits[];
  /** Those of all time, by name and currency, the most first. */
  readonly conversions: readonly ConversionStats[];
}

/**
 * A page of links. One call with conditions reads a bounded part of the list, so such a page may have fewer links than
 * asked for, or none. Only a missing `nextCursor` marks the last page.
 */
export interface LinkPage {
  readonly links: readonly ListedLink[];
  /** Pass it as `cursor`, with the same order, to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** A page of active links. */
export interface ActivePage {
  readonly urls: ReadonlyArray<Pick<Link, 'shortUrl'>>;
  /** Pass it as `cursor` to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}
