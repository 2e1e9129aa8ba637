import type {EventEmitter} from 'node:events';
import type {ErrorCode, ShortUrlError} from './errors.ts';
import type {Link, VisitedLink} from './links/link.ts';

/** A change of a link: by its account, or, for `block` and `unblock`, by the site's operator. */
export interface LinkEvent {
  readonly account: string;
  readonly link: Link;
  readonly at: Date;
}

/** A counted visit; it is on the store when the event is emitted, or kept until the store is back. */
export interface VisitEvent {
  readonly account: string;
  /** The link without its visits: reading them for each visit would cost as much as counting it. */
  readonly link: VisitedLink;
  /** What was counted of the visit besides, by name: see the option `visitDetails`. */
  readonly details: Readonly<Record<string, string>>;
  readonly at: Date;
}

/** A request that was refused because of who asked: a wrong key, a wrong password, too many of either. */
export interface DeniedEvent {
  readonly reason: Extract<ErrorCode, 'invalid_api_key' | 'invalid_password' | 'too_many_requests'>;
  /** The client as Koa sees it: `ctx.ip`. */
  readonly ip: string;
  /** The short URL whose password was asked for; undefined where the API refused a key. */
  readonly shortUrl: string | undefined;
  readonly at: Date;
}

/** The events and what their listeners get. */
export interface EventMap {
  create: [event: LinkEvent];
  disable: [event: LinkEvent];
  enable: [event: LinkEvent];
  update: [event: LinkEvent];
  /** The link is as it was before it was removed. */
  remove: [event: LinkEvent];
  block: [event: LinkEvent];
  unblock: [event: LinkEvent];
  visit: [event: VisitEvent];
  denied: [event: DeniedEvent];
  /** A failure of the store, or a fault in this package or in one of the host's callbacks; never a caller's mistake. */
  error: [error: ShortUrlError];
}

/** What happens in the shortener, for the host's logs and metrics. A listener that throws harms nobody. */
export type ShortUrlEvents = EventEmitter<EventMap>;
