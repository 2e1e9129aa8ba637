import type {Link} from '../../link/link.ts';
import type {LinkConditions, Page} from '../read/listed-links.ts';
import type {ConversionStats, ConversionValue, StatsQuery, TagVisits} from './statistics.ts';

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
