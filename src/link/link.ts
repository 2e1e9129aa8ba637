import type {ShortUrlError} from '../errors.ts';
import type {ChangedFields, GivenFields, ShownFields} from './generated/fields.ts';

export type {Rule, Utm} from './generated/fields.ts';

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
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
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
export type ManyResult<Made> = Readonly<{link: Made; error?: undefined} | {link?: undefined; error: ShortUrlError}>;

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
