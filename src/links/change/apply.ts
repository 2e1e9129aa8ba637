import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../../accounts/accounts.ts';
import {visitsCounter} from '../../link/counters.ts';
import type {Link} from '../../link/link.ts';
import {closingOf, isListed, type LinkRecord} from '../../link/record.ts';
import {linkCounters} from '../../link/records.ts';
import {blocked, notUnderstood, unknown} from '../../link/refusals.ts';
import {toLink} from '../../link/to-link.ts';
import type {Entry} from '../../store/port.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {writeLink} from '../write-link.ts';

export type ChangeServices = Pick<
  LinkServices,
  'store' | 'bases' | 'fieldDefaults' | 'linkIndex' | 'redirects' | 'announcer' | 'now'
>;

type Kind = 'disable' | 'enable' | 'update' | 'remove' | 'block' | 'unblock' | 'broken';

/** The record before and after a change, and the link after it. A removed link is as it was before. */
interface Changed {
  readonly before: LinkRecord;
  readonly after: LinkRecord;
  readonly link: Link;
  readonly isChanged: boolean;
}

export async function changeLink(
  services: ChangeServices,
  kind: Kind,
  account: Account,
  shortUrl: string,
  change: (record: LinkRecord) => LinkRecord,
): Promise<Link> {
  const entry = await findOwn(services, account, shortUrl);
  return (await applyChange(services, kind, entry.value, change, entry)).link;
}

/**
 * @param kind undefined for a change without an event
 * @param entry of the record, if this call has read it
 */
export async function applyChange(
  services: ChangeServices,
  kind: Kind | undefined,
  found: LinkRecord,
  change: (record: LinkRecord) => LinkRecord,
  entry?: Entry<LinkRecord>,
): Promise<Changed> {
  const {store, announcer, now} = services;
  // Read before the write, so that nothing can fail after it.
  const [visits] = await linkCounters.in(store).getMany([found], [visitsCounter]);
  const {
    before = found,
    after,
    isChanged,
  } = await writeLink(
    services,
    found,
    (link) => {
      if (!isListed(link) || link.generation !== found.generation) throw unknown();
      const next = change(link);
      return isDeepStrictEqual(next, link) ? undefined : next;
    },
    entry && {found: entry},
  );
  if (after === undefined) throw unknown();
  const link = toLink(kind === 'remove' ? before : after, visits, services, now());
  if (isChanged && kind !== undefined) announcer.announce(kind, {account: found.account, link, at: new Date(now())});
  return {before, after, link, isChanged};
}

/** @throws ShortUrlError `link_blocked`, or `store_unavailable` for a link that this version does not understand */
export function checkOpen(record: LinkRecord): void {
  if (record.isBlocked) throw blocked(record);
  if (closingOf(record) !== undefined) throw notUnderstood();
}
