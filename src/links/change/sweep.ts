import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../errors.ts';
import type {LinkRecord} from '../../link/record.ts';
import {accountList} from '../read/link-index.ts';
import {readList} from '../read/list.ts';
import {showLinks, type ShowingServices} from '../read/shown-links.ts';
import type {ChangeServices} from './apply.ts';
import type {Expiry} from './expiry.ts';
import {remove} from './remove.ts';
import {dayLength, momentIn} from '../../values/calendar.ts';
import type {Link} from '../../link/link.ts';
import {malformed, reader, readOptions} from '../../values/input.ts';
import {flag, integer} from '../../values/shape.ts';

/** Which links `admin.sweep` removes. At least one is needed. */
export interface SweepOptions {
  /** Links that expired at least so many days ago: 1 to 10,000. */
  readonly expiredFor?: number | undefined;
  /**
   * Links without a visit for at least so many days, and not younger: 1 to 10,000. Of imported visits the time may be
   * unknown, and such a link stays.
   */
  readonly unvisitedFor?: number | undefined;
  /**
   * Yields the links and removes none.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
}

export interface SweepServices extends ChangeServices, ShowingServices {
  readonly expiry: Pick<Expiry, 'announce'>;
}

export interface Sweep {
  readonly isOver: (link: Link) => boolean;
  readonly dryRun: boolean;
}

const readDays = reader(integer(1, 10_000, 'days'));

/**
 * @param now milliseconds since the epoch
 * @throws ShortUrlError `malformed_parameter` or `unknown_parameter` for invalid options
 */
export function readSweep(options: SweepOptions | undefined, now: number): Sweep {
  const {
    expiredFor,
    unvisitedFor,
    dryRun = false,
  } = readOptions(options, 'A sweep takes', {
    expiredFor: readDays,
    unvisitedFor: readDays,
    dryRun: reader(flag),
  });
  if ((expiredFor ?? unvisitedFor) === undefined) {
    throw malformed('Pass `expiredFor`, `unvisitedFor` or both to a sweep, in days.');
  }
  const isOver = (link: Link): boolean => {
    const end = endOf(link, now);
    return (
      (expiredFor !== undefined && end !== undefined && end <= now - expiredFor * dayLength) ||
      (unvisitedFor !== undefined && lastUseOf(link) <= now - unvisitedFor * dayLength)
    );
  };
  return {isOver, dryRun};
}

/**
 * When a link has expired; undefined if it has not, or if that is unknown. One whose visits are used up has expired with
 * the last of them.
 */
function endOf({expiryDate, status, lastAccessed}: Link, now: number): number | undefined {
  const end = timeOf(expiryDate);
  if (end !== undefined && end < now) return end;
  return status === 'expired' ? timeOf(lastAccessed) : undefined;
}

/** Infinity if there were visits and the time of the last one is unknown. */
function lastUseOf({dateCreated, startDate, lastAccessed, totalVisits}: Link): number {
  if (lastAccessed === null && totalVisits > 0) return Infinity;
  return Math.max(...[dateCreated, startDate, lastAccessed].map((date) => timeOf(date) ?? 0));
}

function timeOf(date: string | null): number | undefined {
  return date === null ? undefined : momentIn(date);
}

/**
 * Removes the links of an account that a sweep is to remove, the oldest first. A link that is changed or visited
 * meanwhile stays. With `dryRun` all stay. Otherwise each link that has expired is announced, also if it stays.
 */
export async function* sweepAccount(
  services: SweepServices,
  account: Account,
  {isOver, dryRun}: Sweep,
): AsyncGenerator<Link> {
  const {store, expiry} = services;
  const paired = async (records: LinkRecord[]): Promise<Array<{record: LinkRecord; link: Link | undefined}>> => {
    const links = await showLinks(services, records);
    return records.map((record, index) => ({record, link: links[index]}));
  };
  for await (const {items} of readList(store, accountList(account.generation), paired)) {
    for (const {record: found, link} of items) {
      const record = dryRun ? found : await expiry.announce(found);
      if (link === undefined || !isOver(link)) continue;
      if (dryRun) {
        yield link;
        continue;
      }
      const [again] = await showLinks(services, [record]);
      if (again && isOver(again) && (await removeUnchanged(services, account, link.shortUrl, record))) yield again;
    }
  }
}

/** Removes a link unless it was changed since it was read. Does nothing if it was removed. */
async function removeUnchanged(
  services: ChangeServices,
  account: Account,
  shortUrl: string,
  seen: LinkRecord,
): Promise<boolean> {
  let isRemoved = false;
  try {
    await remove(services, account, shortUrl, (record) => (isRemoved = isDeepStrictEqual(record, seen)));
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'unknown_short_url') throw error;
    // Another call has removed it, perhaps since `isRemoved` was set.
    return false;
  }
  return isRemoved;
}
