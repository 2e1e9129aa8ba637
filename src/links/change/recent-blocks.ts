import {isDeepStrictEqual} from 'node:util';
import type {Accounts} from '../../accounts/accounts.ts';
import type {LiveAccount} from '../../accounts/record.ts';
import {isBlockOpen, isListed, type LinkRecord} from '../../link/record.ts';
import {either, listOf, object} from '../../values/objects.ts';
import {count, type Shape, time} from '../../values/shape.ts';
import {linkRecords} from '../../link/records.ts';
import {kind} from '../../store/kind.ts';
import {readSlots, siteList} from '../read/link-index.ts';
import type {LinkServices} from '../services.ts';

const maxBlocks = 100;

/**
 * A block of a link or of an account, by its position among all of the site, which says nothing of one that is removed.
 * `at` is in milliseconds since the epoch.
 */
type Noted = {readonly at: number} & ({readonly link: number} | {readonly account: number});

const notedForm: Shape<Noted> = either(
  (block) => 'link' in block,
  object({link: count, at: time}),
  object({account: count, at: time}),
);

export const recentBlockRecords = kind('recent-blocks', {
  keys: ['recent-blocks'],
  content: 'when the newest hundred blocks of links and accounts were made, by the positions of these in the site',
  form: listOf(notedForm),
  removed: 'never',
});

type Blocked = {readonly link: number} | {readonly account: number};

/** A block that was noted and is still in force. */
export type Found = {readonly at: number} & ({readonly link: LinkRecord} | {readonly account: LiveAccount});

type Services = Pick<LinkServices, 'store' | 'now'>;

/** Notes a block of a link or an account, before it is made. */
export async function noteBlock({store, now}: Services, blocked: Blocked): Promise<void> {
  await recentBlockRecords.in(store).upsert(undefined, (known = []) => {
    const noted = {...blocked, at: now()};
    const others = known.filter((each) => !isDeepStrictEqual({...each, at: noted.at}, noted));
    return [noted, ...others].slice(0, maxBlocks);
  });
}

export async function readBlocks({store}: Services, accounts: Pick<Accounts, 'at'>): Promise<Found[]> {
  const noted = (await recentBlockRecords.in(store).get())?.value ?? [];
  const positions = noted.flatMap((each) => ('link' in each ? [each.link] : []));
  const names = (await readSlots(store, siteList, positions)).filter((name) => name !== undefined);
  const entries = await linkRecords.in(store).getMany(names);
  const links = new Map(entries.flatMap((entry) => (entry ? [[siteList.positionOf(entry.value), entry.value]] : [])));
  const found = await Promise.all(
    noted.map(async (each): Promise<Found | undefined> => {
      if ('link' in each) {
        const link = links.get(each.link);
        return link?.isBlocked && isListed(link) ? {at: each.at, link} : undefined;
      }
      const account = await accounts.at(each.account);
      return account && isBlockOpen(account.blocks) ? {at: each.at, account} : undefined;
    }),
  );
  return found.filter((each) => each !== undefined);
}
