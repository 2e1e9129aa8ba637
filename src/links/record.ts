import type {Counters} from '../store/port.ts';
import {storeKey, taggedKey} from '../store/key.ts';
import type {Bases, LinkName} from './bases.ts';
import {dayOf, formatDate, formatDateTime, formatExpiryDate} from './dates.ts';
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
  /** The long URL as it goes into `Location`: serialised, ASCII. Absent where it is the same. */
  readonly target?: string;
  readonly created: number;
  /** Names its counters. It is random, so that no other link under the same name ever adds to them. */
  readonly counters: string;
  /** When it ends; absent for a link that does not expire. */
  readonly end?: number;
  /** The hash of its password; absent for a link without one. */
  readonly password?: string;
  /** `pending` until its destination was confirmed, `removed` with its account: its owner sees neither. */
  readonly state: 'active' | 'disabled' | 'pending' | 'removed';
}

/** Where a link stands in its owner's list. The pointer is written before the record that it points to. */
export type Pointer = LinkName;

export const linkIds = storeKey('sequence', 'url_id');
export const linkKey = ({domain, slug}: LinkName): string => taggedKey('link', [domain, slug]);
export const countersKey = ({domain, slug, counters}: LinkName & Pick<LinkRecord, 'counters'>): string =>
  taggedKey('visits', [domain, slug], counters);
export const positionsKey = (owner: string): string => storeKey('positions', owner);
export const pointerKey = (owner: string, position: number): string => storeKey('list', owner, String(position));

/** The counter of all visits of a link. */
export const visitsCounter = 'visits';

/** The counter of the visits on one day. */
export const dayCounter = (day: number): string => `d${day}`;

/** How many days are told: today and those before it. */
const daysKept = 400;

/** Whether the owner sees the link. */
export function isListed({state}: LinkRecord): boolean {
  return state === 'active' || state === 'disabled';
}

/** The long URL as it goes into `Location`. */
export function targetOf({url, target}: Pick<LinkRecord, 'url' | 'target'>): string {
  return target ?? url;
}

/** The status that its owner sees. A removed link has no owner any more. */
export function statusOf(record: LinkRecord, now: number): LinkStatus {
  if (record.state !== 'active') return 'disabled';
  return (record.end ?? Number.POSITIVE_INFINITY) <= now ? 'expired' : 'active';
}

export function toLink(record: LinkRecord, counters: Counters | undefined, bases: Bases, now: number): Link {
  return {...toVisitedLink(record, bases, now), ...toTotals(counters)};
}

/** The visits of a link, and the names of the counters that are too old to be told. */
export function toStats(counters: Counters, now: number): {stats: LinkStats; old: string[]} {
  const oldest = dayOf(now) - daysKept + 1;
  const days = Array.from(counters.counts, ([name, visits]) => ({name, visits}))
    .filter(({name}) => /^d\d+$/.test(name))
    .map(({name, visits}) => ({name, visits, day: Number(name.slice(1))}))
    .sort((one, other) => one.day - other.day);
  return {
    stats: {
      ...toTotals(counters),
      days: days.filter(({day}) => day >= oldest).map(({day, visits}) => ({date: formatDate(day), visits})),
    },
    old: days.filter(({day}) => day < oldest).map(({name}) => name),
  };
}

function toTotals(counters: Counters | undefined): Pick<Link, 'totalVisits' | 'lastAccessed'> {
  return {
    totalVisits: counters?.counts.get(visitsCounter) ?? 0,
    lastAccessed: counters?.at === undefined ? null : formatDateTime(counters.at),
  };
}

/** A link without its visits. */
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
