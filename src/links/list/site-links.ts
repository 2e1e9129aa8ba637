import {linkKey} from '../../keys.ts';
import type {Accounts} from '../../accounts/accounts.ts';
import type {Generation} from '../../accounts/record.ts';
import type {Store} from '../../store/port.ts';
import type {Bases, LinkName} from '../../link/bases.ts';
import {formatSiteCursor, type SitePart, type SitePosition} from './query.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import {maxPageSize, readPage} from './page.ts';

/** Accounts whose links are read at once. Most accounts have few links. */
const atOnce = 20;

/** The maximum number of groups of accounts that one call reads. */
const maxGroups = 10;

/** The maximum number of positions that are read of an account in the same step as of others. */
const maxPositionsBeside = 100;

/** The maximum number of positions of accounts, most of which are in use, that are read to find the next accounts. */
const maxAccountPositions = 1000;

export interface SiteLinksDependencies {
  readonly store: Store;
  readonly bases: Bases;
  readonly accounts: Pick<Accounts, 'find' | 'page'>;
  readonly now: () => number;
}

export interface SiteRecords {
  readonly records: readonly LinkRecord[];
  readonly nextCursor: string | undefined;
}

/** Accounts in their order, and the position after which the next ones begin. */
interface Group {
  readonly accounts: readonly Generation[];
  readonly end: number | undefined;
}

/**
 * A page of the links of all accounts, or of one: first the links that the search names by their short part or short URL,
 * then account after account. The work of a call is bounded, so a page may have few links, or none.
 */
export async function readSiteLinks(
  dependencies: SiteLinksDependencies,
  {account, search, from, ...part}: SitePart,
): Promise<SiteRecords> {
  const {store, bases, accounts, now} = dependencies;
  const {order, limit, matches, hasStatus, maxPositions} = part;
  const only = account === undefined ? undefined : await accounts.find(account);
  if (account !== undefined && only === undefined) return {records: [], nextCursor: undefined};
  const keys = Array.from(new Set(namedBy(search, bases).map(linkKey)));
  const records: LinkRecord[] = [];
  const pageTo = (position: SitePosition): SiteRecords => ({records, nextCursor: formatSiteCursor(order, position)});

  let position = from;
  if (position.account === 0) {
    const entries = await store.getMany<LinkRecord>(keys);
    for (const [index, entry] of entries.entries()) {
      if (index < position.link || entry === undefined || !isListed(entry.value)) continue;
      if (only !== undefined && entry.value.generation !== only.generation) continue;
      if (!hasStatus(entry.value, now())) continue;
      if (records.length === limit) return pageTo({account: 0, link: index});
      records.push(entry.value);
    }
    position = {account: 0, link: keys.length};
  }

  const isAsked: SitePart['matches'] = (record, at) => matches(record, at) && !keys.includes(linkKey(record));
  const next = only === undefined ? nextAccounts : () => Promise.resolve(singleAccount(only, position));
  let read = 0;
  let size = 0;
  for (let groups = 0; groups < maxGroups && read < maxPositions && size < maxPageSize; groups += 1) {
    const space = limit - records.length;
    if (space === 0) return pageTo(position);
    const group = await next(accounts, order, position);
    const {account: resumed, link: after} = position;
    const pages = await Promise.all(
      group.accounts.map((each, index) =>
        readPage(
          {store, now},
          each.generation,
          {
            order,
            limit: space,
            after: each.position === resumed ? after : undefined,
            maxPositions: index === 0 ? maxPositions : maxPositionsBeside,
          },
          isAsked,
        ),
      ),
    );
    let isUnfinished = false;
    for (const [index, page] of pages.entries()) {
      if (records.length === limit) return pageTo(position);
      const owner = group.accounts[index]?.position ?? 0;
      const taken = page.records.slice(0, limit - records.length);
      records.push(...taken);
      const last = taken.at(-1);
      if (last && taken.length < page.records.length) return pageTo({account: owner, link: last.position});
      read += page.read;
      size += page.size;
      position = {account: owner, link: page.end ?? 0};
      isUnfinished = page.end !== undefined;
      if (isUnfinished) break;
    }
    if (isUnfinished) continue;
    if (group.end === undefined) return {records, nextCursor: undefined};
    position = {account: group.end, link: 0};
  }
  return pageTo(position);
}

async function nextAccounts(
  accounts: SiteLinksDependencies['accounts'],
  order: SitePart['order'],
  {account, link}: SitePosition,
): Promise<Group> {
  // The links of the account at this position go on. If it was removed since, the next one is read from its beginning.
  const isUnfinished = account > 0 && link > 0;
  const before = isUnfinished ? account + (order === 'oldest' ? -1 : 1) : account;
  return accounts.page({
    order,
    after: account === 0 ? undefined : before,
    limit: atOnce,
    matches: () => true,
    maxPositions: maxAccountPositions,
  });
}

function singleAccount(only: Generation, {account, link}: SitePosition): Group {
  return {accounts: account > 0 && link === 0 ? [] : [only], end: undefined};
}

/** The links that a search names by a whole short part or short URL, with or without its scheme. */
function namedBy(search: string, bases: Bases): LinkName[] {
  const slug = bases.shortParts.read(search);
  if (slug !== undefined) return bases.domains.map((domain) => ({domain, slug}));
  const name = bases.parseOwnUrl(search) ?? bases.parseOwnUrl(`https://${search}`);
  return name === undefined ? [] : [name];
}
