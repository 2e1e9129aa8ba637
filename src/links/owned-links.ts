import type {Link, LinkStatus} from '../link/link.ts';
import type {Page, RankedOrder} from './read/listed-links.ts';

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
