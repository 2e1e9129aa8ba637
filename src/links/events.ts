import type {EventEmitter} from 'node:events';
import type {ErrorCode, ShortUrlError} from '../errors.ts';
import type {Link, RemovedLink, VisitedLink} from '../link/link.ts';

/** A change to a link by its account, by the site's operator (`block`, `unblock`, `broken`), or by its expiry. */
export interface LinkEvent {
  readonly account: string;
  readonly link: Link;
  readonly at: Date;
}

/** A counted visit. By the time of the event it is stored or, during an outage, kept in memory until the store is back. */
export interface VisitEvent {
  readonly account: string;
  /** The link without its visit total, because reading the total would cost as much as counting the visit. */
  readonly link: VisitedLink;
  /** The details that were counted with the visit, by name: see the option `visitDetails`. */
  readonly details: Readonly<Record<string, string>>;
  readonly at: Date;
}

/** A conversion that was counted. */
export interface ConversionEvent {
  /** Undefined if the link was removed. */
  readonly account: string | undefined;
  /** The link that brought the customer. */
  readonly link: VisitedLink | RemovedLink;
  readonly name: string;
  readonly id: string;
  readonly value: number;
  /** Null if none was given. */
  readonly currency: string | null;
  /** Whether the code of the site has recorded it, or an API call of the account. Their names and ids are apart. */
  readonly recordedBy: 'site' | 'account';
  readonly at: Date;
}

/** A block or unblock of a whole account by the site's operator. */
export interface AccountEvent {
  readonly account: string;
  /** The reason for the block; undefined if none was given. */
  readonly reason: string | undefined;
  readonly at: Date;
}

/**
 * A request that was refused: a wrong API key or password, or too many of them; a key whose scope does not allow the
 * operation, or whose account is blocked.
 */
export interface DeniedEvent {
  readonly reason: Extract<
    ErrorCode,
    'invalid_api_key' | 'invalid_password' | 'too_many_requests' | 'insufficient_scope' | 'account_blocked'
  >;
  /** The address of the client: Koa's `ctx.ip`. */
  readonly ip: string;
  /** The short URL whose password was entered; undefined if the API refused a key. */
  readonly shortUrl: string | undefined;
  /** The account of the key; absent for an invalid key. */
  readonly account?: string;
  /** The labelled key; absent for the account's first key and for an invalid key. */
  readonly key?: {readonly id: string; readonly label: string};
  readonly at: Date;
}

/** A link that an account may not have: a create or an update was refused. */
export interface LinkRefusedEvent {
  readonly account: string;
  /** `forbidden_url`: the option `allowUrl` does not allow a URL; `too_many_requests`: `createQuota` is used up. */
  readonly reason: Extract<ErrorCode, 'forbidden_url' | 'too_many_requests'>;
  readonly at: Date;
}

/** The events and the arguments of their listeners (docs/reference.md). */
export interface EventMap {
  /** A link was created. */
  create: [event: LinkEvent];
  /** The account has disabled a link. */
  disable: [event: LinkEvent];
  /** The account has enabled a link. */
  enable: [event: LinkEvent];
  /** The account has changed fields of a link. */
  update: [event: LinkEvent];
  /** A link was removed. It has the fields it had before. */
  remove: [event: LinkEvent];
  /** The operator has blocked a link. */
  block: [event: LinkEvent];
  /** The operator has unblocked a link. */
  unblock: [event: LinkEvent];
  /** The operator's check has found that a link leads nowhere. */
  broken: [event: LinkEvent];
  /** A link has expired, by its date or with its last visit, and a visit or a sweep has noticed it. */
  expired: [event: LinkEvent];
  /** The operator has blocked an account. */
  blockAccount: [event: AccountEvent];
  /** The operator has unblocked an account. */
  unblockAccount: [event: AccountEvent];
  /** A visit was counted, or kept during an outage. */
  visit: [event: VisitEvent];
  /** A conversion was counted. */
  conversion: [event: ConversionEvent];
  /** An API key or a password was refused. */
  denied: [event: DeniedEvent];
  /** `allowUrl` or `createQuota` has refused a link. */
  linkRefused: [event: LinkRefusedEvent];
  /** A failure of the store, or a fault in this package or in a callback of the host; never an invalid request. */
  error: [error: ShortUrlError];
}

type Listener<Event extends keyof EventMap> = (...values: EventMap[Event]) => void;

/** Node.js lets a listener wait for an event that does not exist. */
interface Listening {
  on<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  once<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  off<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  addListener<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  removeListener<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  prependListener<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
  prependOnceListener<Event extends keyof EventMap>(event: Event, listener: Listener<Event>): this;
}

/**
 * The events, for the host's logs and metrics. A listener that throws or rejects is reported as `error`.
 *
 * @example
 * shortener.events.on('error', (error) => console.error(error));
 * shortener.events.on('denied', ({reason, ip}) => console.warn(reason, ip));
 */
export interface ShortUrlEvents extends Omit<EventEmitter<EventMap>, keyof Listening>, Listening {}
