import {planted} from '../../planted.ts';
import {type AccountName, type Accounts, readAccountName} from '../../accounts/accounts.ts';
import type {LiveAccount} from '../../accounts/record.ts';
import {isBlockOpen} from '../../link/record.ts';
import type {LinkServices} from '../services.ts';
import {type EveryLinkServices, noteBlocks} from './every-link.ts';
import {noteBlock} from './recent-blocks.ts';

export interface AccountBlockServices extends EveryLinkServices, Pick<LinkServices, 'announcer' | 'now'> {
  readonly accounts: Pick<Accounts, 'at' | 'find' | 'change' | 'unblock'>;
}

/** Blocks an account with its links. One that is blocked gets the new reason, if there is one. */
export async function blockAccount(
  services: AccountBlockServices,
  name: AccountName,
  reason: string | undefined,
): Promise<void> {
  const found = await services.accounts.find(name);
  if (found && !isBlockOpen(found.blocks)) await noteBlock(services, {account: found.position});
  await changeBlock(services, name, 'blockAccount', (account) => {
    const isBlocked = isBlockOpen(account.blocks);
    if (isBlocked && (reason === undefined || reason === account.blockReason)) return undefined;
    const blocks = (account.blocks ?? 0) + (isBlocked ? 0 : 1);
    return {...account, blocks, ...(reason !== undefined && {blockReason: reason})};
  });
}

/** Ends the block of an account, also of one that was removed. */
export function unblockAccount(services: AccountBlockServices, name: AccountName): Promise<void> {
  return changeBlock(services, name, 'unblockAccount', (account) =>
    isBlockOpen(account.blocks) ? {...account, blocks: (account.blocks ?? 0) + 1, blockReason: undefined} : undefined,
  );
}

/** The account is marked first, so that its keys and creates are refused, and then each link. */
async function changeBlock(
  services: AccountBlockServices,
  name: AccountName,
  kind: 'blockAccount' | 'unblockAccount',
  change: (account: LiveAccount) => LiveAccount | undefined,
): Promise<void> {
  const {accounts, announcer, now} = services;
  const outcome = {isChanged: false};
  const apply = (before: LiveAccount): LiveAccount | undefined => {
    const after = change(before);
    outcome.isChanged = after !== undefined && after.blocks !== before.blocks;
    return after;
  };
  if (planted('links-blocked-first')) {
    const found = await accounts.find(name);
    const next = found && apply(found);
    if (next?.blocks) await noteBlocks(services, next, next.blocks);
  }
  const account = await (kind === 'blockAccount' ? accounts.change(name, apply) : accounts.unblock(name, apply));
  const at = new Date(now());
  if (account === undefined) {
    // The block of a removed account has ended, which has no links.
    announcer.announce(kind, {account: readAccountName(name), reason: undefined, at});
    return;
  }
  const {id, blocks = 0, blockReason: reason} = account;
  if (outcome.isChanged) announcer.announce(kind, {account: id, reason, at});
  // Also if nothing changed, because an earlier call may have been interrupted.
  if (planted('links-blocked-first') || (planted('block-not-repeated') && !outcome.isChanged)) return;
  if (blocks > 0) await noteBlocks(services, account, blocks);
}
