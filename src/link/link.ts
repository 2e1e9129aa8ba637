import type {ShortUrlError} from '../host/errors.ts';
import type {ChangedFields, GivenFields, ShownFields} from './generated/fields.ts';

export type {Rule} from './generated/fields.ts';

/**
 * A disabled link is `disabled` even after its expiry date (docs/links.md). A link is `scheduled` before its start date.
 */
export type LinkStatus = 'active' | 'disabled' | 'expired' | 'scheduled';

/**
 * A link as its owner sees it, with the same values as in the HTTP API (docs/api.md). Dates are UTC,
 * `yyyy-mm-dd hh:mm:ss`.
 */
export interface Link extends ShownFields {
  readonly urlId: number;
  /** The full short URL, with scheme and domain. */
  readonly shortUrl: string;
  /** The short part alone. */
  readonly shortUrlPart: string;
  /** The long URL, exactly as it was given. */
  readonly originalUrl: string;
  readonly dateCreated: string;
  /** The time of the last counted visit; null before the first. */
  readonly lastAccessed: string | null;
  readonly totalVisits: number;
  readonly hasPassword: boolean;
  /** The last second in which the link works; null for a link that does not expire. */
  readonly expiryDate: string | null;
  readonly status: LinkStatus;
  /** True for a link that the site's operator has blocked; absent for all others. Its `status` is `disabled`. */
  readonly isBlocked?: true;
  /** Why the operator has blocked it; absent if no reason was given. */
  readonly blockReason?: string;
  /** True for a link of an account that the site's operator has blocked; absent for all others. Its `status` is `disabled`. */
  readonly isAccountBlocked?: true;
  /**
   * True if the link's last visitor in this process got a page of the site instead; absent otherwise. Only `info`, `page`
   * and `list` report it.
   */
  readonly isHidden?: true;
}

/** A link without its visits. */
export type VisitedLink = Omit<Link, 'totalVisits' | 'lastAccessed'>;

/** What names a link of an account: its full short URL, or its reference. */
export type LinkIdentifier = string | {readonly reference: string};

/** A link that was removed. */
export interface RemovedLink extends Pick<Link, 'urlId' | 'shortUrl'> {
  readonly status: 'removed';
}

/** A link and its account. */
export interface OwnedLink {
  readonly account: string;
  readonly link: Link;
}

/** An account as the operator sees it. */
export interface AccountInfo extends ListedAccount, AccountStats {
  /** Whether the operator has blocked it. */
  readonly isBlocked: boolean;
  /** Why; absent if no reason was given. */
  readonly blockReason?: string;
  /** When the account's first key was created or last replaced: `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly apiKeyCreated: string;
}

/** The block of an account that was removed. */
export interface RemovedBlock {
  /** Names the block. It is a digest, from which nobody learns the account. */
  readonly id: string;
  /** Why the account was blocked; absent if no reason was given. */
  readonly reason?: string;
  /** When the account was removed: `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly removed: string;
}

/** The totals of the whole site. */
export interface SiteStats {
  readonly accounts: number;
  /** The links of all accounts, whatever their status. */
  readonly links: number;
  /** The visits of all links, including removed links. The visits of removed accounts are not included. */
  readonly totalVisits: number;
  /** The days with visits or conversions among the last 400, oldest first. */
  readonly days: readonly DayStats[];
  readonly conversions: readonly ConversionStats[];
}

/** The days that statistics are about: by default all of them. */
export interface StatsQuery {
  /** The first day, `yyyy-mm-dd`, in the site's time zone. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the site's time zone. */
  readonly until?: string | undefined;
}

/** Something that a visitor did and that counts for the link that brought this person, such as an order. */
export interface Conversion {
  /** 1 to 32 of `a-z 0-9 _`, such as `order`. A site has at most 8 different names. */
  readonly name: string;
  /** What makes it one: the number of the order, for example. 1 to 128 characters, or an integer. */
  readonly id: string | number;
  /** An integer from 0 to 1,000,000,000,000 in the smallest unit, such as cents; by default 0. */
  readonly value?: number | undefined;
  /** Three capital letters of ISO 4217; by default `attribution.currency`. Values of two currencies are never added. */
  readonly currency?: string | undefined;
  /**
   * The host's own id of the person: 1 to 128 characters, or an integer. The conversion counts for the link of the request
   * or token, and otherwise for that of the customer, who is identified in the same call.
   */
  readonly customer?: string | number | undefined;
}

/** A refund of a conversion, in whole or in part. */
export interface Refund {
  /** The name of the conversion. */
  readonly name: string;
  /** The id of the conversion. */
  readonly id: string | number;
  /** What makes the refund one: 1 to 128 characters, or an integer. The same one counts once. */
  readonly refund: string | number;
  /** At most what is left of the value of the conversion; by default all that is left. */
  readonly value?: number | undefined;
}

/** A refund that was recorded, now or before. */
export interface RecordedRefund {
  /** The link that has the conversion. */
  readonly link: VisitedLink | RemovedLink;
  /** What was refunded. */
  readonly value: number;
}

/** The link that brought a customer. */
export interface IdentifiedCustomer {
  readonly link: VisitedLink | RemovedLink;
  /** The account of the link; undefined if the link was removed. */
  readonly account: string | undefined;
}

/** The link that brought a visitor or a customer, and when. */
export interface FoundCustomer extends IdentifiedCustomer {
  /** The time of the visit. For a customer without a visit in this request it is the time of `identify`. */
  readonly at: Date;
}

/** A conversion that was recorded, now or before. */
export interface RecordedConversion {
  /** The link that brought the customer. */
  readonly link: VisitedLink | RemovedLink;
}

/** A query for the links of all accounts, or of one. */
export interface AdminLinkQuery extends Page {
  readonly account?: string | number | undefined;
  readonly status?: LinkStatus | undefined;
  /** Words, each a part of the long URL, short part, title or a tag (case is ignored), or a whole short URL. */
  readonly search?: string | undefined;
  /**
   * By the moment at which links were made or imported, or by visits. By default `newest`.
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
  /** Of all names. */
  readonly conversions: number;
  /** What they were worth: one entry for each currency, without one first. */
  readonly values: readonly ConversionValue[];
}

/** What conversions were worth in one currency, whatever their names. */
export interface ConversionValue {
  /** Null for values without a currency. */
  readonly currency: string | null;
  /** The sum of the values of the conversions, before refunds. */
  readonly value: number;
  /** The sum of the refunds. They count on their own day. */
  readonly refunded: number;
}

/** The conversions with one name and currency. */
export interface ConversionStats {
  readonly name: string;
  /** Null if none was given. */
  readonly currency: string | null;
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
  /** For each detail its values, most visits first, of all time. The option `visitDetails` sets what is counted. */
  readonly details: Readonly<Record<string, readonly DetailVisits[]>>;
}

/** The visits of one link. */
export type LinkStats = VisitStats;

/** The visits of all links of an account, including removed links. */
export interface AccountStats extends VisitStats {
  /** How many links the account has, whatever their status. */
  readonly links: number;
}

/** A link to create (docs/reference.md, links.create). */
export interface CreateLink extends GivenFields {
  /**
   * Whether to return the link that the account has created by the same parameters with `reuse`, if there is one that is
   * active and still has them. Of any number of such calls at once, in any number of processes, one creates a link.
   */
  readonly reuse?: boolean | undefined;
}

/** Options of a creation. */
export interface CreateOptions {
  /**
   * 1 to 64 visible ASCII characters. If the same account repeats a call with the same key and link within 24 hours, in
   * any process, it gets the first result, and no second link is created. The same key with another link is refused with
   * `idempotency_key_reused`.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Changes to a link. Absent fields stay as they are, and null clears a field. */
export interface UpdateLink extends ChangedFields {
  /** Adds tags to those of the link. Of additions at the same time all are kept. Not together with `tags`. */
  readonly addTags?: readonly string[] | undefined;
  /** Removes tags, whatever their case. Not together with `tags`. */
  readonly removeTags?: readonly string[] | undefined;
}

/** The result for one link of `createMany` or `updateMany`. */
export type ManyResult<Made> =
  {readonly link: Made; readonly error?: undefined} | {readonly link?: undefined; readonly error: ShortUrlError};

/** The result for one link of `createMany`. */
export type CreateResult = ManyResult<Link>;

/** The result for one change of `updateMany`. */
export type UpdateResult = ManyResult<Link | RemovedLink>;

/** A status to give to a link. `removed` is for good. */
export interface StatusChange {
  readonly status: 'active' | 'disabled' | 'removed';
}

/** A change of `updateMany`: new values for fields, or a new status, but not both at once. */
export interface LinkChange {
  readonly shortUrl: string;
  readonly changes: UpdateLink | StatusChange;
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
  /** Of all names. */
  readonly conversions: number;
  /** What they were worth: one entry for each currency. */
  readonly values: readonly ConversionValue[];
}

/** A link with its numbers in a span. */
export interface ComparedLink {
  readonly link: Link;
  readonly visits: number;
  /** Of all names. */
  readonly conversions: number;
  /** What they were worth: one entry for each currency. */
  readonly values: readonly ConversionValue[];
}

/** The links of an account, compared by what they had in a span of days. */
export interface LinkComparison {
  /** How many links were compared: all, or the newest 10,000. */
  readonly links: number;
  /** Whether these are all links of the account. */
  readonly isComplete: boolean;
  /** The 20 links with the most visits, and their numbers. Links without visits and conversions are left out. */
  readonly mostVisited: readonly ComparedLink[];
  /** The tag with the most visits first. */
  readonly tags: readonly TagVisits[];
}

/** The part of a list to read. */
export interface Page {
  /** The maximum number of items to return, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * By visits, by the time of the last visit, or by conversions of the first name that the site has recorded. The most
 * first, and of equal links the newest. Up to 10,000 links; the order is up to a minute old.
 */
export type RankedOrder = 'visits' | 'last_visit' | 'conversions';

/** Conditions that a link must all meet, and the order. */
export interface LinkFilter {
  readonly status?: LinkStatus | undefined;
  /** The whole tag; case is ignored. */
  readonly tag?: string | undefined;
  /** Part of the long URL, the short part or the title; case is ignored. */
  readonly search?: string | undefined;
  /** The whole reference. Finds its link at once, however many the account has. */
  readonly reference?: string | undefined;
  /** By the time of creation, by visits or by conversions. */
  readonly order?: 'newest' | 'oldest' | RankedOrder | undefined;
}

/** The page to read: by default 100 links, newest first. */
export interface LinkQuery extends LinkFilter, Page {
  /** Adds each link's visits by day for the last 1 to 31 days, including today, and its conversions of all time. */
  readonly days?: number | undefined;
}

/** A link on a page. */
export interface ListedLink extends Link {
  /** The days with visits, oldest first; undefined if the query has no `days`. */
  readonly days?: readonly DayVisits[];
  /** The most conversions first; undefined if the query has no `days`. */
  readonly conversions?: readonly ConversionStats[];
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

/** A query for accounts. */
export interface AccountQuery extends Page {
  /** Part of the account's name; case is ignored. */
  readonly search?: string | undefined;
  /** By the time of creation; by default `newest`. */
  readonly order?: 'newest' | 'oldest' | undefined;
}

/** An account in a list. */
export interface ListedAccount {
  readonly account: string;
  /** `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly created: string;
}

/** A page of accounts. Any page may have fewer accounts than `limit`. Only a missing `nextCursor` marks the last page. */
export interface AccountPage {
  readonly accounts: readonly ListedAccount[];
  /** Pass it as `cursor`, with the same order and search, to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** A page of active links. */
export interface ActivePage {
  readonly urls: ReadonlyArray<Pick<Link, 'shortUrl'>>;
  /** Pass it as `cursor` to get the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}
