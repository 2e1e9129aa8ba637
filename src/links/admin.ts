import type {AccountName, Accounts} from '../accounts/accounts.ts';
import {ShortUrlError} from '../errors.ts';
import {formatDateTime} from '../values/calendar.ts';
import {block as blockLink, type Block, readBlock, unblock as unblockLink} from './change/block.ts';
import {type AccountBlockServices, blockAccount, unblockAccount} from './change/block-account.ts';
import {showOwned} from './read/shown-links.ts';
import {formatCursor} from './read/cursor.ts';
import {readAccountQuery, readSiteQuery} from './read/query.ts';
import type {
  AccountComparison,
  AccountCompareQuery,
  AccountInfo,
  AccountPage,
  AccountQuery,
  ListedAccount,
  RecentBlock,
} from './account-info.ts';
import {noteBlock, readBlocks} from './change/recent-blocks.ts';
import type {AdminLinkPage, AdminLinkQuery, OwnedLink} from './read/listed-links.ts';
import type {SiteStats, StatsQuery} from './stats/statistics.ts';
import {type CheckLink, recheck, type Rechecked, type RecheckOptions, type RecheckServices} from './change/recheck.ts';
import {readSweep, type SweepOptions, type SweepServices, sweepAccount} from './change/sweep.ts';
import type {Links} from './links.ts';
import {accountList, type LinkList, siteList} from './read/link-index.ts';
import {linkRecords} from '../link/records.ts';
import {type PageDependencies, readPage} from './read/page.ts';
import {SiteTotals, type SiteTotalsDependencies} from './stats/site-totals.ts';
import {inTurn, operator} from './long-reads.ts';
import {readAskedStats} from './stats/visit-stats.ts';
import {isListed, type LinkRecord, isBlockOpen} from '../link/record.ts';

export interface AdminDependencies
  extends
    AccountBlockServices,
    PageDependencies,
    SiteTotalsDependencies,
    SweepServices,
    Omit<RecheckServices, 'onBlock'> {
  readonly accounts: Pick<Accounts, 'list' | 'page' | 'find' | 'at' | 'change' | 'unblock'>;
  readonly links: Pick<Links, 'accountStats'>;
}

/** The operations of the site's operator on the links of every account. */
export class Admin {
  readonly #dependencies: AdminDependencies;
  readonly #totals: SiteTotals;

  constructor(dependencies: AdminDependencies) {
    this.#dependencies = dependencies;
    this.#totals = new SiteTotals(dependencies);
  }

  /**
   * The link at a short URL, with its account; undefined if there is no such link.
   *
   * @example
   * const found = await shortener.admin.find('https://example.com/spring');
   * if (found) console.log(found.account, found.link.originalUrl);
   */
  async find(shortUrl: string): Promise<OwnedLink | undefined> {
    const record = await this.#recordOf(shortUrl);
    const [found] = record === undefined ? [] : await showOwned(this.#dependencies, [record]);
    return found;
  }

  /**
   * Blocks a link: its status is `disabled`, and its account can neither enable nor update it. No redirect begins after
   * the promise has resolved. The owner sees the reason, if one is given.
   *
   * @throws ShortUrlError `unknown_short_url`, or `malformed_parameter` or `unknown_parameter` for an invalid `block`
   * @example
   * await shortener.admin.block('https://example.com/spring', {reason: 'Phishing'});
   */
  async block(shortUrl: string, block: Block = {}): Promise<OwnedLink> {
    const reason = readBlock(block);
    const record = await this.#requireRecord(shortUrl);
    await this.#noteBlock(record);
    return {account: record.account, link: await blockLink(this.#dependencies, record, reason)};
  }

  /**
   * Ends a block and restores the status that the account gave the link. A link that is not blocked does not change.
   *
   * @throws ShortUrlError `unknown_short_url`
   * @example
   * await shortener.admin.unblock('https://example.com/spring');
   */
  async unblock(shortUrl: string): Promise<OwnedLink> {
    const record = await this.#requireRecord(shortUrl);
    return {account: record.account, link: await unblockLink(this.#dependencies, record)};
  }

  /**
   * An account with the visits of its links; undefined if there is no such account.
   *
   * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
   * @example
   * const account = await shortener.admin.account(user.id);
   * console.log(account?.links, account?.isBlocked);
   */
  async account(name: AccountName, query: StatsQuery = {}): Promise<AccountInfo | undefined> {
    const {accounts, links} = this.#dependencies;
    readAskedStats(query);
    const account = await accounts.find(name);
    if (account === undefined) return undefined;
    const {blocks, blockReason, created, keyCreated = created} = account;
    return {
      ...toListed(account),
      isBlocked: isBlockOpen(blocks),
      ...(blockReason !== undefined && {blockReason}),
      apiKeyCreated: formatDateTime(keyCreated),
      ...(await links.accountStats(account, query)),
    };
  }

  /**
   * Blocks an account: API calls with its keys and its operations in `links` and `keys` are refused with
   * `account_blocked`, and its links answer 410. No redirect begins after the promise has resolved. The call takes longer
   * the more links the account has. Idempotent: call it again to complete an interrupted block.
   *
   * @throws ShortUrlError `invalid_api_key` if there is no such account, or as `block` for an invalid `block`
   * @example
   * await shortener.admin.blockAccount(user.id, {reason: 'Spam'});
   */
  async blockAccount(name: AccountName, block: Block = {}): Promise<void> {
    return blockAccount(this.#dependencies, name, readBlock(block));
  }

  /**
   * Ends the block of an account, also of one that was removed. Links that were blocked one by one stay blocked.
   * Idempotent.
   *
   * @throws ShortUrlError `invalid_api_key` if there is neither such an account nor its block
   * @example
   * await shortener.admin.unblockAccount(user.id);
   */
  async unblockAccount(name: AccountName): Promise<void> {
    return unblockAccount(this.#dependencies, name);
  }

  /**
   * The blocks that are in force among the newest hundred of links and accounts, the newest first.
   *
   * @example
   * for (const {account, link, at} of await shortener.admin.recentBlocks()) console.log(account, link?.shortUrl, at);
   */
  async recentBlocks(): Promise<readonly RecentBlock[]> {
    const found = await readBlocks(this.#dependencies, this.#dependencies.accounts);
    const records = found.flatMap((each) => ('link' in each ? [each.link] : []));
    const links = await showOwned(this.#dependencies, records);
    const linkOf = new Map(records.map((record, index) => [record, links[index]?.link]));
    return found.map((each): RecentBlock => {
      const isLink = 'link' in each;
      const {blockReason: reason} = isLink ? each.link : each.account;
      const link = isLink ? linkOf.get(each.link) : undefined;
      return {
        account: isLink ? each.link.account : each.account.id,
        ...(link && {link}),
        ...(reason !== undefined && {reason}),
        at: formatDateTime(each.at),
      };
    });
  }

  /**
   * The links of all accounts, or of one, a page at a time. One call of a search reads a bounded part of them.
   *
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter` or `too_many_links`
   * @example
   * const {links, nextCursor} = await shortener.admin.pageLinks({search: 'spring', status: 'active'});
   */
  async pageLinks(query: AdminLinkQuery = {}): Promise<AdminLinkPage> {
    const {account, part} = readSiteQuery(query, this.#dependencies.bases);
    const list = await this.#listOf(account);
    if (list === undefined) return {links: [], nextCursor: undefined};
    const {records, nextCursor} = await inTurn(this.#dependencies, operator, () =>
      readPage(this.#dependencies, list, part),
    );
    return {links: await showOwned(this.#dependencies, records), nextCursor};
  }

  /**
   * Removes links that expired, or were last visited, so many days ago, and yields each as it was. The shortener never
   * calls it by itself. A consumer that stops early stops the sweep. The event `expired` tells of each expired link that it
   * passes. With `dryRun` it changes nothing.
   *
   * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
   * @example
   * for await (const {account, link} of shortener.admin.sweep({expiredFor: 365, dryRun: true})) {
   *   console.log(account, link.shortUrl);
   * }
   */
  async *sweep(options: SweepOptions): AsyncGenerator<OwnedLink> {
    const sweep = readSweep(options, this.#dependencies.now());
    for await (const account of this.#dependencies.accounts.list()) {
      for await (const link of sweepAccount(this.#dependencies, account, sweep)) yield {account: account.id, link};
    }
  }

  /**
   * Asks `check` about each active link of the site, the oldest first, and does what it says: `forbidden` blocks the link
   * with the reason, as `block` does; `broken` marks it (`link.broken`), and it still redirects; `ok` takes the mark away.
   * A check that fails or takes longer than 30 seconds changes nothing. A link that was changed while its check ran stays
   * as it is. The shortener never calls it by itself, and opens no connection to a destination. It ends with `close()`.
   *
   * @param check called with a link and its account
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter` or `store_unavailable`
   * @example
   * for await (const {account, link, result} of shortener.admin.recheck(async ({originalUrl}) => {
   *   return originalUrl.startsWith('https:') ? 'ok' : {result: 'broken', reason: 'It has no https'};
   * })) {
   *   if (result !== 'ok') console.log(account, link.shortUrl, result);
   * }
   */
  recheck(check: CheckLink, options?: RecheckOptions): AsyncGenerator<Rechecked> {
    const onBlock = (record: LinkRecord): Promise<void> => this.#noteBlock(record);
    return recheck({...this.#dependencies, onBlock}, check, options);
  }

  /**
   * The totals of the whole site, cached for a minute. Reads the totals of each account.
   *
   * @example
   * const {accounts, links, totalVisits} = await shortener.admin.stats({from: '2030-01-01'});
   */
  stats(query?: StatsQuery): Promise<SiteStats> {
    return this.#totals.stats(query);
  }

  /**
   * All accounts, the oldest first, in bounded memory.
   *
   * @example
   * for await (const {account, created} of shortener.admin.accounts()) console.log(account, created);
   */
  async *accounts(): AsyncGenerator<ListedAccount> {
    for await (const account of this.#dependencies.accounts.list()) yield toListed(account);
  }

  /**
   * A page of accounts that match, by default the newest first. One call reads a bounded part of all accounts, and for an
   * order by links or visits what `stats` reads.
   *
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter`, or `too_many_links` for such an order of more than
   *   10,000 accounts
   * @example
   * const {accounts, nextCursor} = await shortener.admin.pageAccounts({order: 'visits', limit: 20});
   */
  async pageAccounts(query: AccountQuery = {}): Promise<AccountPage> {
    const {part, matches} = readAccountQuery(query);
    if ('ranking' in part) {
      const {items, nextCursor} = await this.#totals.page(part, matches);
      return {accounts: items.map(toListed), nextCursor};
    }
    const {accounts, end} = await this.#dependencies.accounts.page({...part, matches});
    return {accounts: accounts.map(toListed), nextCursor: end === undefined ? end : formatCursor(part.order, end)};
  }

  /**
   * A page of the accounts by what their links had in a span of days: visits, and conversions with their values as the site
   * has recorded them. Reads the totals of each account, and is up to a minute old.
   *
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter`, or `too_many_links` for more than 10,000 accounts
   * @example
   * const {accounts, currency} = await shortener.admin.compareAccounts({from: '2030-11-01', until: '2030-11-30', order: 'value'});
   */
  async compareAccounts(query: AccountCompareQuery = {}): Promise<AccountComparison> {
    const {items, comparison} = await this.#totals.compare(query);
    const accounts = items.map(({account, links, visits, conversions, values}) => {
      return {...toListed(account), links, visits, conversions, values};
    });
    const {visits, conversions, currency, nextCursor} = comparison;
    return {accounts, visits, conversions, currency, nextCursor};
  }

  async #noteBlock(record: LinkRecord): Promise<void> {
    if (!record.isBlocked) await noteBlock(this.#dependencies, {link: siteList.positionOf(record)});
  }

  /** Undefined for an unknown account. */
  async #listOf(name: AccountName | undefined): Promise<LinkList | undefined> {
    if (name === undefined) return siteList;
    const account = await this.#dependencies.accounts.find(name);
    return account && accountList(account.generation);
  }

  async #requireRecord(shortUrl: string): Promise<LinkRecord> {
    const record = await this.#recordOf(shortUrl);
    if (record !== undefined) return record;
    throw new ShortUrlError('unknown_short_url', 'This site has no such short URL.');
  }

  async #recordOf(shortUrl: string): Promise<LinkRecord | undefined> {
    const {store, bases} = this.#dependencies;
    const name = bases.parseOwnUrl(shortUrl);
    const record = name && (await linkRecords.in(store).get(name))?.value;
    return record && isListed(record) ? record : undefined;
  }
}

function toListed({id, created}: {readonly id: string; readonly created: number}): ListedAccount {
  return {account: id, created: formatDateTime(created)};
}
