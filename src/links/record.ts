import {type DailyTally, dayOf, daysKept, type Tally} from '../store/port.ts';
import {storeKey} from '../store/key.ts';
import type {Bases, LinkName} from './bases.ts';
import {formatDate, formatDateTime, formatExpiryDate} from './dates.ts';
import type {Link, LinkStats, LinkStatus, VisitedLink} from './link.ts';

/** A link as it is stored. Moments are milliseconds since the epoch. */
export interface LinkRecord extends LinkName {
  readonly id: number;
  readonly account: string;
  /** The life of the account that made it: an account created again under the same name does not get it back. */
  readonly owner: string;
  /** Its place in the owner's list. */
  readonly position: number;
  /** The long URL, as it was given. */
  readonly url: string;
  /** The long URL as it goes into `Location`: serialised, ASCII. */
  readonly target: string;
  readonly created: number;
  /** When it ends; absent for a link that does not expire. */
  readonly end?: number;
  /** The hash of its password; absent for a link without one. */
  readonly password?: string;
  /** `removed` with its account. */
  readonly state: 'active' | 'disabled' | 'removed';
}

/** Where a link stands in its owner's list. The pointer is written before the record that it points to. */
export type Pointer = LinkName;

export const linkIds = storeKey('sequence', 'url_id');
export const linkKey = ({domain, slug}: LinkName): string => storeKey('link', domain, slug);
export const tallyKey = ({id}: Pick<LinkRecord, 'id'>): string => storeKey('visits', String(id));
export const positionsKey = (owner: string): string => storeKey('positions', owner);
export const pointerKey = (owner: string, position: number): string => storeKey('list', owner, String(position));

/** The status that its owner sees. A removed link has no owner any more. */
export function statusOf(record: LinkRecord, now: number): LinkStatus {
  if (record.state !== 'active') return 'disabled';
  return (record.end ?? Number.POSITIVE_INFINITY) <= now ? 'expired' : 'active';
}

export function toLink(record: LinkRecord, tally: Tally | undefined, bases: Bases, now: number): Link {
  return {...toVisitedLink(record, bases, now), ...toTotals(tally)};
}

export function toStats({days, ...tally}: DailyTally, now: number): LinkStats {
  const oldest = dayOf(now) - daysKept + 1;
  return {
    ...toTotals(tally),
    days: days
      .filter(([day]) => day >= oldest)
      .sort(([one], [other]) => one - other)
      .map(([day, visits]) => ({date: formatDate(day), visits})),
  };
}

function toTotals(tally: Tally | undefined): Pick<Link, 'totalVisits' | 'lastAccessed'> {
  return {
    totalVisits: tally?.visits ?? 0,
    lastAccessed: tally?.lastVisit === undefined ? null : formatDateTime(tally.lastVisit),
  };
}

/** A link without its tally. */
export function toVisitedLink(record: LinkRecord, bases: Bases, now: number): VisitedLink {
  return {
    urlId: record.id,
    shortUrl: bases.shortUrl(record),
    shortUrlPart: record.slug,
    originalUrl: record.url,
    dateCreated: formatDateTime(record.created),
    hasPassword: record.password !== undefined,
    expiryDate: record.end === undefined ? null : formatExpiryDate(record.end),
    status: statusOf(record, now),
  };
}
