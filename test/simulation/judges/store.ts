import {
  accountKey,
  accountPrefix,
  pointerKey,
  indexPrefix,
  countersKey,
  linkKey,
  linkPrefix,
  siteIndexPrefix,
} from '../../../src/records.ts';
import {type AccountRecord} from '../../../src/accounts/record.ts';
import {siteList, type StoredSlots} from '../../../src/links/list/link-index.ts';
import {readList} from '../../../src/links/list/list.ts';
import {isListed, type LinkRecord, isBlockOpen} from '../../../src/link/record.ts';
import {checkRecords} from '../../../src/tools/check/check-content.ts';
import {listKeys} from '../../../src/tools/listing.ts';
import {accounts, imported, onceUrl, type Seen} from '../seen.ts';
import type {Story} from '../story.ts';
import {bases, epoch, type Site} from '../world.ts';
import {isCreate} from './creates.ts';

/** What the store holds agrees with itself. */
export async function content({world, seen, plan}: Story, site: Site): Promise<string[]> {
  const {store} = site;
  const problems: string[] = [];
  // A repeat completes an interrupted removal, block or unblock.
  const isInterrupted = seen.some(({do: deed, code}) => deed.endsWith('blockAccount') && code !== 200);
  for (const name of accounts) {
    const account = (await store.get<AccountRecord>(accountKey(name)))?.value;
    if (account?.state === 'removing') await site.accounts.remove(name);
    if (account?.state !== 'live' || !isInterrupted) continue;
    if (isBlockOpen(account.blocks)) await site.admin.blockAccount(name);
    else await site.admin.unblockAccount(name);
  }
  const records = await readAll(site);
  const links = Array.from(records)
    .filter(([key]) => key.startsWith(linkPrefix))
    .map(([, record]) => record as LinkRecord);
  const listedLinks = links.filter(isListed);
  for (const link of links) {
    const account = records.get(accountKey(link.account)) as AccountRecord | undefined;
    const isLive = account?.state === 'live' && account.generation === link.generation;
    const isInTurn = isBlockOpen(link.accountBlocks) === (account?.state === 'live' && isBlockOpen(account.blocks));
    if (isListed(link) && !isInTurn) problems.push(`${link.slug} is not blocked as its account is`);
    if (link.state !== 'removed' && !isLive) problems.push(`${link.slug} outlives its account ${link.account}`);
  }
  problems.push(...(await lists(site, listedLinks, world.isTroubled)));
  if (plan.quota > 0) problems.push(...quotas(listedLinks, seen, plan.quota, world.timeline.date));
  const findings = await checkRecords(store, [], bases.domains);
  problems.push(...findings.map(({message}) => message));
  if (world.isTroubled) return problems;
  // Read again, because reading the lists has cleared the marks of slots.
  problems.push(...leftovers(await readAll(site)));
  // The counters of a removed account's links stay. A granted visit counts even when its link is gone.
  const isExact = seen.every((each) => each.do !== 'expel' && typeof each.input?.maxVisits !== 'number');
  if (isExact) problems.push(...(await strayCounters(site, listedLinks)));
  return problems;
}

/** Every link is in the list of its account and in that of the site. */
export async function listings(_: Story, site: Site): Promise<string[]> {
  const records = await readAll(site);
  const links = Array.from(records).filter(([key]) => key.startsWith(linkPrefix));
  return lists(site, links.map(([, record]) => record as LinkRecord).filter(isListed), true);
}

async function readAll({store}: Site): Promise<Map<string, unknown>> {
  const records = new Map<string, unknown>();
  for await (const keys of listKeys(store, 'records')) {
    const entries = await store.getMany(keys);
    for (const [index, key] of keys.entries()) records.set(key, entries[index]?.value);
  }
  return records;
}

/** Every link is once in the list of its account and in that of the site; the number of an account's links agrees. */
async function lists(
  {store, accounts: all, links}: Site,
  records: readonly LinkRecord[],
  isTroubled: boolean,
): Promise<string[]> {
  const problems: string[] = [];
  const ofSite: string[] = [];
  const toKeys = (some: LinkRecord[]): string[] => some.map(linkKey);
  for await (const {items} of readList(store, siteList, toKeys)) ofSite.push(...items);
  if (ofSite.sort().join() !== records.map(linkKey).sort().join())
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

/** While no command fails, nothing is left of what was refused or removed. */
function leftovers(records: ReadonlyMap<string, unknown>): string[] {
  const live = Array.from(records)
    .filter(([key]) => key.startsWith(accountPrefix))
    .map(([, record]) => record as AccountRecord)
    .filter((account) => account.state === 'live');
  const needed = new Set(live.map(({position}) => pointerKey(position)));
  return Array.from(records).flatMap(([key, record]) => {
    const isOfAccount = key.startsWith('accounts:') && !('block' in (record as object));
    if (isOfAccount && !needed.has(key)) return [`${key} is left over`];
    if (!key.startsWith(indexPrefix)) return [];
    const isLive = key.startsWith(siteIndexPrefix) || live.some(({generation}) => key.includes(generation));
    const used = (record as StoredSlots).filter((slot) => slot !== 0);
    const own = used.filter((slot) => slot.startsWith('!'));
    return isLive && own.length > 0 ? [`${key} has slots without links: ${own.join()}`] : [];
  });
}

async function strayCounters({store}: Site, links: readonly LinkRecord[]): Promise<string[]> {
  const needed = new Set(links.map(countersKey));
  const stray: string[] = [];
  for await (const keys of listKeys(store, 'counters', 'v:')) stray.push(...keys.filter((key) => !needed.has(key)));
  return stray.map((key) => `${key} is left over`);
}
