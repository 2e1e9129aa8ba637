import type {Link, LinkStatus} from '../../link/link.ts';
import type {ConversionStats, ConversionValue, DayVisits, StatsQuery, TagVisits} from '../stats/statistics.ts';

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

/** A link and its account. */
export interface OwnedLink {
  readonly account: string;
  readonly link: Link;
}

/** A query for the links of all accounts, or of one. */
export interface AdminLinkQuery extends Page {
  readonly account?: string | number | undefined;
  /** `blocked` by the operator, itself or with its account; such links are `disabled` too. */
  readonly status?: LinkStatus | 'blocked' | undefined;
  /** Words, each a part of the long URL, short part, title or a tag (case is ignored), or a whole short URL. */
  readonly search?: string | undefined;
  /** Whether the links are marked as broken. */
  readonly broken?: boolean | undefined;
  /** Links that have not expired, and whose expiry date is within so many days: 1 to 400. */
  readonly expiresWithin?: number | undefined;
  /** The domain of the short URLs. */
  readonly baseDomain?: string | undefined;
  /**
   * By the moment at which links were made or imported (by default `newest`), by visits, by conversions or by expiry date.
   * Of one account for up to 10,000 links, of the site for up to a million, which are read once a minute.
   */
  readonly order?: 'newest' | 'oldest' | RankedOrder | undefined;
}

/**
 * A page of links of several accounts. One call with `search` or `status` reads a bounded part of the list, so such a
 * page may have fewer links than asked for, or none. Only a missing `nextCursor` marks the last page.
 */
export interface AdminLinkPage {
  readonly links: readonly OwnedLink[];
  /** Pass it as `cursor`, with the same query, to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * By visits, by conversions that the site has recorded, or by their value without refunds, the most first. Of equal ones, those with more conversions,
 * and then with more visits, and then the newest.
 */
export type ComparisonOrder = 'visits' | 'conversions' | 'value';

/** The links to compare, their days, and the part to read: by default all links, all time, and the first 100. */
export interface CompareQuery extends Omit<StatsQuery, 'include'>, Page, LinkConditions {
  /** By default `visits`. */
  readonly order?: ComparisonOrder | undefined;
  /** Only conversions with this name. By default of all names. */
  readonly name?: string | undefined;
  /**
   * The currency that `value` orders by, or null for values without one. By default the one with the most conversions.
   * Values of two currencies are never added.
   */
  readonly currency?: string | null | undefined;
}

/** Groups of links to compare, and their days. */
export interface CompareTagsQuery extends CompareQuery {
  /** What makes a group: by default a tag, otherwise a part of the campaign `utm` of the links. */
  readonly by?: 'tag' | 'source' | 'medium' | 'campaign' | undefined;
}

/** What the compared links had in a span of days. */
export interface ComparedNumbers {
  readonly visits: number;
  /** Those that the site has recorded: of all names, or of the one that was asked for. */
  readonly conversions: number;
  /** What conversions were worth: one entry for each currency and recorder. */
  readonly values: readonly ConversionValue[];
}

/** A link with its numbers in a span. */
export interface ComparedLink extends ComparedNumbers {
  readonly link: Link;
}

/** What was compared. */
export interface Comparison {
  /** How many links: all that match. */
  readonly links: number;
  /** The visits of all these links. */
  readonly visits: number;
  /** The conversions of all these links, by name, currency and recorder, the most first. */
  readonly conversions: readonly ConversionStats[];
  /** The currency that `value` orders by; null for values without one. */
  readonly currency: string | null;
  /** Pass it as `cursor`, in the same order, to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** A page of the links of an account, compared by what they had in a span of days. */
export interface LinkComparison extends Comparison {
  /** The first ones in the order. Links without visits and conversions come last. */
  readonly most: readonly ComparedLink[];
}

/** A page of the tags of an account, or of the sources, media or campaigns of its links, compared by what their links had in a span of days. */
export interface TagComparison extends Comparison {
  readonly tags: readonly TagVisits[];
}
