import {planted} from '../../planted.ts';
import {linkRecords} from '../../link/records.ts';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../errors.ts';
import type {Entry} from '../../store/port.ts';
import {walk} from '../../store/walk.ts';
import type {LinkName} from '../../link/bases.ts';
import {accountList, readSlots, siteList, slotRecords, slotsAt, slotsPerRecord} from '../read/link-index.ts';
import {type LinkRecord, removedRecord} from '../../link/record.ts';
import type {LinkServices} from '../services.ts';
import {clearAway, writeLink} from '../write-link.ts';

/** Links that are changed at once. The number is small, so that visits get a connection to the store. */
const atOnce = 3;

export type EveryLinkServices = Pick<LinkServices, 'store' | 'linkIndex' | 'redirects'>;

interface EachLink {
  readonly change: (link: LinkRecord) => LinkRecord | undefined;
  /**
   * The record for a name without one: its slot may belong to a create that is still running, which then cannot insert
   * its link.
   */
  readonly absent: (name: LinkName) => LinkRecord;
  readonly onChanged?: (link: LinkRecord) => Promise<void>;
  /** Called with the first position of each record of the index, after its links. */
  readonly onRecord?: (position: number) => Promise<void>;
}

async function changeAll(services: EveryLinkServices, {generation}: Account, each: EachLink): Promise<void> {
  const {store} = services;
  const list = accountList(generation);
  const changeOne = async (name: LinkName, found: Entry<LinkRecord> | undefined): Promise<void> => {
    if (planted('absent-names-left') && found === undefined) return;
    const change = (link: LinkRecord) => (link.generation === generation ? each.change(link) : undefined);
    const written = writeLink(services, name, change, {found, absent: each.absent(name)});
    const {before, isChanged} = await written.catch(unreadable);
    if (isChanged && before !== undefined) await each.onChanged?.(before);
  };
  const changeSlots = async (positions: readonly number[]) => {
    const slots = await readSlots(store, list, positions);
    const names = slots.filter((name) => name !== undefined);
    const links = await linkRecords.in(store).getMany(names);
    const rest = names.entries();
    const changeSome = async (): Promise<void> => {
      for (const [index, name] of rest) await changeOne(name, links[index]);
    };
    await Promise.all(Array.from({length: atOnce}, changeSome));
    return {position: positions[0] ?? 0, covered: positions.length, next: slotsPerRecord};
  };
  for await (const {position} of walk(store, list, {first: slotsPerRecord}, changeSlots)) {
    await each.onRecord?.(position);
  }
}

/** A record that cannot be read does not redirect, so it can stay. */
function unreadable(error: unknown): {readonly before?: undefined; readonly isChanged: false} {
  if (error instanceof ShortUrlError && error.code === 'internal_error') return {isChanged: false};
  throw error;
}

/**
 * Removes all links of an account for good, with their counters. A create that is still running has reserved its slot
 * before the account was removed, or finds it removed.
 */
export function removeAll(services: EveryLinkServices, account: Account): Promise<void> {
  const list = accountList(account.generation);
  // Without a generation nobody can create the name again, not even a running create of this account.
  const absent = (name: LinkName): LinkRecord => removedRecord(name, '');
  return changeAll(services, account, {
    change: absent,
    absent,
    // The records of the account's own index go as a whole.
    onChanged: (link) => clearAway(services, link, [siteList]),
    onRecord: (position) => slotRecords.in(services.store).remove(slotsAt(list, position)),
  });
}

/**
 * Writes the number of blocks and unblocks of an account into all its links. A running create may have read the account
 * before, so the record of a removed link is written again: the create then reads the account again before it replaces
 * that record.
 */
export function noteBlocks(services: EveryLinkServices, account: Account, blocks: number): Promise<void> {
  const noted = (link: LinkRecord): LinkRecord | undefined => {
    if (link.state === 'removed') return link;
    const isOlder = (link.accountBlocks ?? 0) < blocks || planted('older-block');
    return isOlder ? {...link, accountBlocks: blocks} : undefined;
  };
  return changeAll(services, account, {
    change: noted,
    absent: (name) => removedRecord(name, account.generation),
  });
}
