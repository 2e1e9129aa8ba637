import type {Account} from '../../accounts/accounts.ts';
import type {RemovedLink} from '../../link/link.ts';
import {type LinkRecord, removedRecord} from '../../link/record.ts';
import {findOwn} from '../own-link.ts';
import {accountList, siteList} from '../read/link-index.ts';
import {clearAway} from '../write-link.ts';
import {applyChange, type ChangeServices} from './apply.ts';

/**
 * Removes a link for good. Only its account can create the short part again.
 *
 * @param isMeant whether the link, as it is now, is to be removed
 */
export async function remove(
  services: ChangeServices,
  account: Account,
  shortUrl: string,
  isMeant: (record: LinkRecord) => boolean = () => true,
): Promise<RemovedLink> {
  const entry = await findOwn(services, account, shortUrl);
  const change = (record: LinkRecord): LinkRecord =>
    isMeant(record)
      ? {
          ...removedRecord(record, record.generation),
          // A repeated creation finds by them that it has created the link.
          counters: record.counters,
          ...(record.isBlocked && {isBlocked: true}),
        }
      : record;
  const {before, link, isChanged} = await applyChange(services, 'remove', entry.value, change, entry);
  const removed = {urlId: link.urlId, shortUrl: link.shortUrl, status: 'removed'} as const;
  if (!isChanged) return removed;
  // The link is removed already, so a failure of the rest is not the caller's.
  await clearAway(services, before, [accountList(account.generation), siteList]).catch(() => undefined);
  return removed;
}
