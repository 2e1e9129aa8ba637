import type {Link} from '../link/link.ts';
import type {ComparedNumbers, CompareQuery, Comparison, LinkConditions, Page} from './read/listed-links.ts';
import type {StatsQuery, VisitStats} from './stats/statistics.ts';

/** An account as the operator sees it. */
export interface AccountInfo extends ListedAccount, AccountStats {
  /** Whether the operator has blocked it. */
  readonly isBlocked: boolean;
  /** Why; absent if no reason was given. */
  readonly blockReason?: string;
  /** When the account's first key was created or last replaced: `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly apiKeyCreated: string;
}

/** A block by the operator that is in force. */
export interface RecentBlock {
  readonly account: string;
  /** The blocked link; absent if the whole account is blocked. */
  readonly link?: Link;
  /** Why; absent if no reason was given. */
  readonly reason?: string;
  /** When: `yyyy-mm-dd hh:mm:ss`, UTC. */
  readonly at: string;
}

/** The visits of all links of an account, including removed links, or of the links that match. */
export interface AccountStats extends VisitStats {
  /** How many links the account has, whatever their status, or how many match. */
  readonly links: number;
  /** How many of them are marked as broken. */
  readonly brokenLinks: number;
  /** Present if more links match than were added up: the newest 1,000, or those found among the newest 10,000. */
  readonly isPartial?: true;
}

/** The days, and the conditions that links must meet to be added up. Without conditions, removed links are included. */
export interface AccountStatsQuery extends StatsQuery, LinkConditions {}

/** A query for accounts. */
export interface AccountQuery extends Page {
  /** Part of the account's name; case is ignored. */
  readonly search?: string | undefined;
  /** By the time of creation, by links or by visits; by default `newest`. */
  readonly order?: 'newest' | 'oldest' | RankedAccountOrder | undefined;
}

/**
 * By the number of links, by visits, or by the time of the last visit. The most first, and of equal accounts the newest.
 * Up to 10,000 accounts; the order is up to a minute old.
 */
export type RankedAccountOrder = 'links' | 'visits' | 'last_visit';

/** The days of a comparison of accounts, its order, and the part to read: by default all time, and the first 100. */
export type AccountCompareQuery = Omit<CompareQuery, keyof LinkConditions>;

/** An account with what its links had in a span of days, also those that were removed. */
export interface ComparedAccount extends ListedAccount, ComparedNumbers {
  /** How many links it has now. */
  readonly links: number;
}

/** A page of the accounts of the site, compared by what their links had in a span of days. */
export interface AccountComparison extends Omit<Comparison, 'links'> {
  /** The first ones in the order. */
  readonly accounts: readonly ComparedAccount[];
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
