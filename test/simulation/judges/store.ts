import {accountRecords} from '../../../src/accounts/records.ts';
import {linkRecords} from '../../../src/link/records.ts';
import {type AccountRecord} from '../../../src/accounts/record.ts';
import {siteList} from '../../../src/links/read/link-index.ts';
import {readList} from '../../../src/links/read/list.ts';
import {isListed, type LinkRecord, isBlockOpen} from '../../../src/link/record.ts';
import {accounts, imported, onceUrl, type Seen} from '../seen.ts';
import type {Story} from '../story.ts';
import {epoch, type Site} from '../world.ts';
import {isCreate} from './creates.ts';
import {readAll} from './leftovers.ts';

/** What the store holds agrees with itself. */
export async function content({world, seen, plan}: Story, site: Site): Promise<string[]> {
  const {store} = site;
  const problems: string[] = [];
  // A repeat completes an interrupted removal, block or unblock.
  const isInterrupted = seen.some(({do: deed, code}) => deed.endsWith('blockAccount') && code !== 200);
  for (const name of accounts) {
    const account = (await store.get<AccountRecord>(accountRecords.key(name)))?.value;
    if (account?.state === 'removing') await site.accounts.remove(name);
    if (account?.state !== 'live' || !isInterrupted) continue;
    if (isBlockOpen(account.blocks)) await site.admin.blockAccount(name);
    else await site.admin.unblockAccount(name);
  }
  const records = await readAll(store);
  const links = Array.from(records)
    .filter(([key]) => key.startsWith(linkRecords.prefix))
    .map(([, record]) => record as LinkRecord);
  const listedLinks = links.filter(isListed);
  for (const link of links) {
    const account = records.get(accountRecords.key(link.account)) as AccountRecord | undefined;
    const isLive = account?.state === 'live' && account.generation === link.generation;
    const isInTurn = isBlockOpen(link.accountBlocks) === (account?.state === 'live' && isBlockOpen(account.blocks));
    if (isListed(link) && !isInTurn) problems.push(`${link.slug} is not blocked as its account is`);
    if (link.state !== 'removed' && !isLive) problems.push(`${link.slug} outlives its account ${link.account}`);
  }
  problems.push(...(await lists(site, listedLinks, world.isTroubled)));
  if (plan.quota > 0 && world.clockDifference === 0)
    problems.push(...quotas(listedLinks, seen, plan.quota, world.timeline.date));
  return problems;
}

/** Every link is in the list of its account and in that of the site. */
export async function listings(_: Story, site: Site): Promise<string[]> {
  const records = await readAll(site.store);
  const links = Array.from(records).filter(([key]) => key.startsWith(linkRecords.prefix));
  return lists(site, links.map(([, record]) => record as LinkRecord).filter(isListed), true);
}

/** Every link is once in the list of its account and in that of the site; the number of an account's links agrees. */
async function lists(
  {store, accounts: all, links}: Site,
  records: readonly LinkRecord[],
  isTroubled: boolean,
): Promise<string[]> {
  const problems: string[] = [];
  const ofSite: string[] = [];
  const toKeys = (some: LinkRecord[]): string[] => some.map(linkRecords.key);
  for await (const {items} of readList(store, siteList, toKeys)) ofSite.push(...items);
  if (ofSite.sort().join() !== records.map(linkRecords.key).sort().join())
    problems.push(`The list of all links has ${ofSite.join()}`);
  for (const name of accounts) {
    if ((await all.apiKey(name)) === undefined) continue;
    const account = await all.require(name);
    const own = records.filter(({generation}) => generation === account.generation).map(({slug}) => slug);
    const count = async (): Promise<void> => {
      const {links: number} = await links.accountStats(account);
      if (number !== own.length) problems.push(`${name} has ${own.length} links, and ${number} by its statistics`);
    };
    if (!isTroubled) await count();
    const listed: string[] = [];
    for await (const {shortUrlPart} of links.list(account)) listed.push(shortUrlPart);
    for (const {tag, links: number} of await links.tags(account)) {
      const tagged = records.filter(({generation, tags}) => generation === account.generation && tags?.includes(tag));
      if (tagged.length !== number)
        problems.push(`${name} has ${tagged.length} links with ${tag}, and ${number} by the list`);
    }
    if (listed.sort().join() !== own.sort().join()) {
      problems.push(`${name} has the links ${own.join()}, and the list ${listed.join()}`);
    }
    // The list has marked the slots of interrupted creates.
    await count();
  }
  return problems;
}

/** An account has no more links than its quota allows for the days so far, whatever its clients have seen. */
function quotas(links: readonly LinkRecord[], seen: readonly Seen[], quota: number, now: number): string[] {
  const dayOf = (date: number): number => Math.floor(date / 86_400_000);
  const days = 1 + dayOf(now) - dayOf(epoch);
  return accounts.flatMap((name) => {
    const own = links.filter(({account, slug}) => account === name && !imported.includes(slug));
    // A link that is created with an idempotency key is dated by the first call.
    const first = own.filter(({created, url}) => dayOf(created) === dayOf(epoch) && !url.startsWith(onceUrl));
    // So is one whose call began before midnight, and which counts for the day after.
    const isOver = ({began, ended}: Seen): boolean => dayOf(began) === dayOf(epoch) && dayOf(ended) > dayOf(epoch);
    const over = seen.filter((each) => each.account === name && isCreate(each) && isOver(each));
    const isTooMany = own.length > days * quota || first.length > quota + over.length;
    return isTooMany ? [`${name} has ${own.length} links with a quota of ${quota}`] : [];
  });
}
