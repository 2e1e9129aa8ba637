import {planted} from '../../planted.ts';
import {linkRecords} from '../../link/records.ts';
import type {Account} from '../../accounts/accounts.ts';
import type {LiveAccount} from '../../accounts/record.ts';
import {isUnavailable} from '../../errors.ts';
import {type Given, newCounters, type NewLink, newRecord} from '../../link/new-link.ts';
import type {LinkName} from '../../link/bases.ts';
import {isSameLink, type LinkRecord} from '../../link/record.ts';
import type {LinkServices} from '../services.ts';
import {accountList, siteList, slotOf} from '../read/link-index.ts';
import {isVacant} from './names.ts';
import {type Held, hold, release as releaseReference} from '../references.ts';

/** What a claimed link gets. A new link has another id, and other counters, than every other one. */
export type ClaimedLink = Omit<Given, 'id' | 'position' | 'sitePosition' | 'accountBlocks'> & {
  /** By default its position in the site's list. */
  readonly id?: number | undefined;
};

export interface Claimed {
  readonly record: LinkRecord;
  /** Whether this call has inserted the link. Otherwise another one has, with the same counters. */
  readonly isNew: boolean;
}

/**
 * Inserts a link under a name. Every link comes to exist here, whether it is created, created once for a key, or imported:
 *
 * 1. Reserve its slots in the lists of its account and of the site, and its reference. So a link is always in its lists.
 * 2. Look at the account again. If it is removed or blocked after that, the removal or the block finds the slot and takes
 *    the name, so that step 3 fails.
 * 3. Insert the record, or replace that of a link which the account has removed.
 * 4. If the link is not written, release what step 1 has reserved, unless the store did not answer: the link may be there.
 *
 * @returns undefined if the name is taken
 * @throws ShortUrlError `invalid_api_key` or `account_blocked` if the account was removed or blocked meanwhile, or
 *   `reference_taken`
 */
export async function claim(
  {store, linkIndex, accounts, redirects}: Pick<LinkServices, 'store' | 'linkIndex' | 'accounts' | 'redirects'>,
  account: Account,
  {name, link, given}: {readonly name: LinkName; readonly link: NewLink; readonly given: ClaimedLink},
): Promise<Claimed | undefined> {
  const links = linkRecords.in(store);
  const {counters = newCounters()} = given;
  const own = accountList(account.generation);
  const slot = slotOf({...name, broken: link.broken});
  const [position, sitePosition] = await Promise.all([linkIndex.reserve(own, slot), linkIndex.reserve(siteList, slot)]);
  const id = given.id ?? sitePosition;
  let held: Held | undefined;
  const release = async (): Promise<void> => {
    await Promise.all([
      linkIndex.release(own, position, name),
      planted('slot-of-the-site') ? undefined : linkIndex.release(siteList, sitePosition, name),
      planted('reference-of-refused') ? undefined : releaseReference(store, held),
    ]);
  };
  const recordNow = async (): Promise<LinkRecord> => {
    const {generation} = account;
    held = await hold(store, {...name, generation, counters, reference: link.reference}, held);
    const read = planted('account-read-early') ? (account as LiveAccount) : await accounts.recheck(account);
    const {blocks: accountBlocks} = read;
    return newRecord(account, name, link, {...given, id, position, sitePosition, counters, accountBlocks});
  };
  try {
    const record = await recordNow();
    if (await links.insert(name, record)) return {record, isNew: true};
    const entry = await links.get(name);
    const isSame = entry !== undefined && isSameLink(entry.value, {counters});
    // The account may create a removed link again under a short part that it has chosen. Under a generated one, only a slow
    // repeat of the call that made the link comes here, and it must not make it a second time.
    if (entry !== undefined && !isSame && link.customUrl !== undefined && isVacant(entry.value, account)) {
      // Read after the entry, because a block may have made the entry. A later block changes it.
      const replacement = planted('account-not-read-again') ? record : await recordNow();
      if (await links.replace(name, entry.revision, replacement)) return {record: replacement, isNew: true};
    }
    if (!isSame) await accounts.recheck(account);
    // The pointer is that of the link.
    if (isSame) held = undefined;
    if (!planted('slot-of-taken-name')) await release();
    return isSame ? {record: entry.value, isNew: false} : undefined;
  } catch (error) {
    if (!isUnavailable(error)) await release();
    throw error;
  } finally {
    redirects.forget(name);
  }
}
