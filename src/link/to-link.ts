import {visitsCounter} from './counters.ts';
import type {Counters} from '../store/port.ts';
import type {Bases} from './bases.ts';
import type {FieldDefaults} from './confirm.ts';
import {toShown} from './fields.ts';
import {formatDateTime} from '../values/calendar.ts';
import {formatExpiryDate} from './dates.ts';
import type {Link, VisitedLink} from './link.ts';
import {type LinkRecord, statusOf, isBlockOpen, needsCount} from './record.ts';

export interface LinkSite {
  readonly bases: Bases;
  readonly fieldDefaults: FieldDefaults;
}

/** A link as its owner sees it. A new limit may be without its count for a moment. */
export function toLink(record: LinkRecord, counters: Counters | undefined, site: LinkSite, now: number): Link {
  const totals = toTotals(counters);
  const counted = needsCount(record) ? {...record, used: totals.totalVisits} : record;
  return {...toVisitedLink(counted, site, now), ...totals};
}

export function toTotals(counters: Counters | undefined): Pick<Link, 'totalVisits' | 'lastAccessed'> {
  return {
    totalVisits: counters?.counts.get(visitsCounter) ?? 0,
    // 0 if the time of the visits is unknown.
    lastAccessed: counters?.at ? formatDateTime(counters.at) : null,
  };
}

export function toVisitedLink(record: LinkRecord, {bases, fieldDefaults}: LinkSite, now: number): VisitedLink {
  return {
    urlId: record.id,
    shortUrl: bases.shortUrl(record),
    shortUrlPart: record.slug,
    originalUrl: record.url,
    dateCreated: formatDateTime(record.created),
    hasPassword: record.password !== undefined,
    expiryDate: record.end === undefined ? null : formatExpiryDate(record.end),
    status: statusOf(record, now),
    ...toShown(record, fieldDefaults),
    ...(record.isBlocked && {isBlocked: true}),
    ...(record.isBlocked && record.blockReason !== undefined && {blockReason: record.blockReason}),
    ...(isBlockOpen(record.accountBlocks) && {isAccountBlocked: true}),
  };
}
