import type {RemovedLink, VisitedLink} from '../link/link.ts';

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
   * or token, and otherwise for that of the customer, who is identified in the same call. A repeat for a conversion that is
   * recorded identifies nobody, so a customer who was forgotten meanwhile stays forgotten.
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
  /** The time of the visit. For a customer without a visit in this request: the beginning of the day (UTC) of `identify`. */
  readonly at: Date;
}

/** A conversion that was recorded, now or before. */
export interface RecordedConversion {
  /** The link that brought the customer. */
  readonly link: VisitedLink | RemovedLink;
}
