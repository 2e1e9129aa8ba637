import type {Account, Accounts} from '../accounts/accounts.ts';
import {ShortUrlError} from '../host/errors.ts';
import type {Store} from '../store/port.ts';
import type {Bases} from './bases.ts';
import {formatDateTime} from './input/dates.ts';
import {formatCursor, readAccountQuery} from './input/query.ts';
import type {AccountPage, AccountQuery, ListedAccount, OwnedLink} from './link.ts';
import type {Links} from './links.ts';
import {isListed, linkKey, type LinkRecord} from './record.ts';

export interface AdminDependencies {
  readonly store: Store;
  readonly bases: Bases;
  readonly accounts: Pick<Accounts, 'list' | 'page'>;
  readonly links: Pick<Links, 'info' | 'block' | 'unblock'>;
}

/** The operations of the site's operator on the links of every account. */
export class Admin {
  readonly #dependencies: AdminDependencies;

  constructor(dependencies: AdminDependencies) {
    this.#dependencies = dependencies;
  }

  /** The link and its account; undefined if there is no such link, or the URL is not a short URL of the site. */
  async find(shortUrl: string): Promise<OwnedLink | undefined> {
    const account = await this.#accountOf(shortUrl);
    if (account === undefined) return undefined;
    try {
      return {account: account.id, link: await this.#dependencies.links.info(account, shortUrl)};
    } catch (error) {
      // The link was removed after the first read.
      if (error instanceof ShortUrlError && error.code === 'unknown_short_url') return undefined;
      throw error;
    }
  }

  /**
   * Takes a link out of service until `unblock`; one that is blocked already stays so.
   *
   * @throws ShortUrlError `unknown_short_url`
   */
  async block(shortUrl: string): Promise<OwnedLink> {
    const account = await this.#requireAccountOf(shortUrl);
    return {account: account.id, link: await this.#dependencies.links.block(account, shortUrl)};
  }

  /**
   * Lifts a block and restores the state that the account left. A link that is not blocked does not change.
   *
   * @throws ShortUrlError `unknown_short_url`
   */
  async unblock(shortUrl: string): Promise<OwnedLink> {
    const account = await this.#requireAccountOf(shortUrl);
    return {account: account.id, link: await this.#dependencies.links.unblock(account, shortUrl)};
  }

  /** All accounts, the oldest first, in bounded memory. */
  async *accounts(): AsyncGenerator<ListedAccount> {
    for await (const account of this.#dependencies.accounts.list()) yield toListed(account);
  }

  /** The accounts that match, a page at a time. One call reads a bounded part of all accounts. */
  async pageAccounts(query: AccountQuery = {}): Promise<AccountPage> {
    const part = readAccountQuery(query);
    const {accounts, end} = await this.#dependencies.accounts.page(part);
    return {accounts: accounts.map(toListed), nextCursor: end === undefined ? end : formatCursor(part.order, end)};
  }

  async #requireAccountOf(shortUrl: string): Promise<Account> {
    const account = await this.#accountOf(shortUrl);
    if (account !== undefined) return account;
    throw new ShortUrlError('unknown_short_url', 'There is no such short URL on this site.');
  }

  async #accountOf(shortUrl: string): Promise<Account | undefined> {
    const {store, bases} = this.#dependencies;
    const name = bases.parseOwnUrl(shortUrl);
    const record = name && (await store.get<LinkRecord>(linkKey(name)))?.value;
    return record && isListed(record) ? {id: record.account, generation: record.generation} : undefined;
  }
}

function toListed({id, created}: {readonly id: string; readonly created: number}): ListedAccount {
  return {account: id, created: formatDateTime(created)};
}
