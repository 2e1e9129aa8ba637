import type {Recorder} from '../../link/counters.ts';
import type {Link} from '../../link/link.ts';

/** The totals of the whole site. */
export interface SiteStats {
  readonly accounts: number;
  /** The links of all accounts, whatever their status. */
  readonly links: number;
  /** How many of them are marked as broken. */
  readonly brokenLinks: number;
  /** The visits of all links, including removed links. The visits of removed accounts are not included. */
  readonly totalVisits: number;
  /** The days with visits or conversions among the last 400, oldest first. */
  readonly days: readonly DayStats[];
  /** Those that the site has recorded. The API calls of an account add nothing to the figures of the site. */
  readonly conversions: readonly ConversionStats[];
}

/** The days that statistics are about: by default all of them. */
export interface StatsQuery {
  /** The first day, `yyyy-mm-dd`, in the site's time zone. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the site's time zone. */
  readonly until?: string | undefined;
  /** What to read besides the sums: by default both. What is not read is empty. Days alone are read faster than details. */
  readonly include?: readonly StatsPart[] | undefined;
}

/** A part of statistics besides the sums. */
export type StatsPart = 'days' | 'details';

/** The visits on one day. */
export interface DayVisits {
  /** `yyyy-mm-dd`, in the site's time zone (the option `timeZone`). */
  readonly date: string;
  readonly visits: number;
}

/** The visits with one value of a detail. */
export interface DetailVisits {
  /** At most 64 characters. `other` is the sum of the values beyond the first 100. */
  readonly value: string;
  readonly visits: number;
}

/** The visits and conversions on one day. */
export interface DayStats extends DayVisits {
  /** Those that the site has recorded, of all names. */
  readonly conversions: number;
  /** What conversions were worth: one entry for each currency, without one first, and for each recorder. */
  readonly values: readonly ConversionValue[];
}

/** What conversions of one recorder were worth in one currency, whatever their names. */
export interface ConversionValue {
  /** Null for values without a currency. */
  readonly currency: string | null;
  /** Who recorded them: the code of the site, or API calls of the account. They are never added. */
  readonly recordedBy: Recorder;
  /** The sum of the values of the conversions, before refunds. */
  readonly value: number;
  /** The sum of the refunds. They count on their own day. */
  readonly refunded: number;
}

/** The conversions with one name and currency, of one recorder. */
export interface ConversionStats {
  readonly name: string;
  /** Null if none was given. */
  readonly currency: string | null;
  /** Who recorded them: the code of the site, or API calls of the account. They are never added, also if the names are equal. */
  readonly recordedBy: Recorder;
  readonly conversions: number;
  /** The sum of their values, before refunds. */
  readonly value: number;
  readonly refunds: number;
  /** The sum of the refunds. */
  readonly refunded: number;
}

/** Visits in total, by day and by detail. With `from` or `until`, the totals are those of these days. */
export interface VisitStats extends Pick<Link, 'totalVisits' | 'lastAccessed'> {
  /** The days with visits or conversions among the last 400, oldest first. */
  readonly days: readonly DayStats[];
  /** The most conversions first. */
  readonly conversions: readonly ConversionStats[];
  /**
   * For each detail its values, most visits first. With `from` or `until`, those of the whole months of these days. The
   * option `visitDetails` sets what is counted.
   */
  readonly details: Readonly<Record<string, readonly DetailVisits[]>>;
}

/** The visits and conversions of one link. */
export interface LinkStats extends VisitStats {
  /**
   * Those of its variants, if the link has, or had, rules with a share or a name: its own URL as `A`, then its rules, then
   * earlier names, and `other` for visitors whom the site's `destination` has sent elsewhere. They belong to the details:
   * with `from` or `until`, they are those of the whole months of these days.
   */
  readonly variants?: readonly VariantStats[] | undefined;
}

/** The visits with one variant of a link, and the conversions of these visitors. */
export interface VariantStats {
  readonly name: string;
  readonly visits: number;
  /** The most conversions first. */
  readonly conversions: readonly ConversionStats[];
}

/** A tag and the number of the account's links that have it. */
export interface TagLinks {
  /** The most common spelling. Tags that differ only in case are counted together. */
  readonly tag: string;
  readonly links: number;
}

/** A tag with the numbers of its links in a span. A link with several tags counts for each. */
export interface TagVisits extends TagLinks {
  readonly visits: number;
  /** Those that the site has recorded, of all names. */
  readonly conversions: number;
  /** What conversions were worth: one entry for each currency and recorder. */
  readonly values: readonly ConversionValue[];
}
