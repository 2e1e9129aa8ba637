/** `disabled` outlasts the expiry date: a disabled link reports `disabled` even after it (specification, section 3). */
export type LinkStatus = 'active' | 'disabled' | 'expired';

/**
 * A short URL as its owner sees it: the record of section 2 of the specification, with the same values as the HTTP API
 * gives. Dates are UTC, `yyyy-mm-dd hh:mm:ss`.
 */
export interface Link {
  readonly urlId: number;
  /** The full short URL, with scheme and domain. */
  readonly shortUrl: string;
  /** The short part alone. */
  readonly shortUrlPart: string;
  /** The long URL, exactly as it was given. */
  readonly originalUrl: string;
  readonly dateCreated: string;
  /** When the last counted visit was; null before the first. */
  readonly lastAccessed: string | null;
  readonly totalVisits: number;
  readonly hasPassword: boolean;
  /** The last second on which the link works; null for a link that does not expire. */
  readonly expiryDate: string | null;
  readonly status: LinkStatus;
}

/** A link without its visits. */
export type VisitedLink = Omit<Link, 'totalVisits' | 'lastAccessed'>;

/** The visits of a link: in all, and by day. */
export interface LinkStats extends Pick<Link, 'totalVisits' | 'lastAccessed'> {
  /** Of the last 400 days (UTC) those with visits, the oldest first. */
  readonly days: ReadonlyArray<{
    /** `yyyy-mm-dd`. */
    readonly date: string;
    readonly visits: number;
  }>;
}

/** What to create (specification, sections 4.1 and 4.2). */
export interface CreateLink {
  /** The long URL: absolute, http or https, at most 8,192 characters. */
  readonly url: string;
  /** The short part: 1 to 64 of `A-Z a-z 0-9 - _`. Without it one is generated. */
  readonly customUrl?: string | undefined;
  /** Asked for before the redirect: at most 128 bytes of UTF-8. */
  readonly password?: string | undefined;
  /** The last day on which the link works, `yyyy-mm-dd`, UTC; today or later. */
  readonly expiryDate?: string | undefined;
  /** One of the site's domains, without scheme and slash. Without it the domain of `baseUrl`. */
  readonly baseDomain?: string | undefined;
}

/** Which part of a list to read. */
export interface Page {
  /** How many links at most, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** Where the page before ended: its `nextCursor`. */
  readonly cursor?: string | undefined;
}

/** A page of active links. */
export interface ActivePage {
  readonly urls: ReadonlyArray<Pick<Link, 'shortUrl'>>;
  /** Hand it back to read on; undefined on the last page. */
  readonly nextCursor: string | undefined;
}
