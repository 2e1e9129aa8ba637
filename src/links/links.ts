import type {Account} from '../accounts/accounts.ts';
import type {
  CreateLink,
  CreateOptions,
  CreateResult,
  Link,
  LinkChange,
  LinkIdentifier,
  RemovedLink,
  UpdateLink,
  UpdateResult,
} from '../link/link.ts';
import type {AccountStats, AccountStatsQuery} from './account-info.ts';
import {changeOne} from './change/change-one.ts';
import {disable, enable} from './change/disable.ts';
import {remove} from './change/remove.ts';
import {update} from './change/update.ts';
import {Creating} from './create/create.ts';
import {runMany} from './many.ts';
import type {LinkOperations} from './operations.ts';
import type {QrCode, QrFormat, QrOptions} from './qr/qr-code.ts';
import {qr} from './qr/qr.ts';
import {Comparing} from './rank/compare.ts';
import {AccountSums} from './read/account-stats.ts';
import {listActive, pageActive} from './read/active-links.ts';
import {info} from './read/info.ts';
import {list, page} from './read/list-links.ts';
import type {ActivePage, LinkFilter, LinkPage, LinkQuery, Page} from './read/listed-links.ts';
import {linkAndStats} from './read/stats.ts';
import {tags} from './read/tags.ts';
import type {LinkServices} from './services.ts';
import type {CompareQuery, CompareTagsQuery, LinkComparison, TagComparison} from './stats/compared.ts';
import type {LinkStats, StatsQuery, TagLinks} from './stats/statistics.ts';

/** The operations on the links of an account, each of which is a file in a folder beside this one. */
export class Links implements LinkOperations<Account> {
  readonly services: LinkServices;
  readonly #creating: Creating;
  readonly #sums: AccountSums;
  readonly #comparing: Comparing;

  constructor(services: LinkServices) {
    this.services = services;
    this.#creating = new Creating(services);
    this.#sums = new AccountSums(services);
    this.#comparing = new Comparing(services);
  }

  create(account: Account, input: CreateLink, options?: CreateOptions): Promise<Link> {
    return this.#creating.one(account, input, options);
  }

  createMany(
    account: Account,
    inputs: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult> {
    return this.#creating.many(account, inputs, options);
  }

  update(account: Account, shortUrl: string, input: UpdateLink): Promise<Link> {
    return update(this.services, account, shortUrl, input);
  }

  updateMany(account: Account, inputs: Iterable<LinkChange> | AsyncIterable<LinkChange>): AsyncGenerator<UpdateResult> {
    const run = (input: LinkChange): Promise<Link | RemovedLink> => changeOne(this.services, account, input);
    return runMany({run, bases: this.services.bases}, inputs);
  }

  disable(account: Account, shortUrl: string): Promise<Link> {
    return disable(this.services, account, shortUrl);
  }

  enable(account: Account, shortUrl: string): Promise<Link> {
    return enable(this.services, account, shortUrl);
  }

  remove(account: Account, shortUrl: string): Promise<RemovedLink> {
    return remove(this.services, account, shortUrl);
  }

  info(account: Account, identifier: LinkIdentifier): Promise<Link> {
    return info(this.services, account, identifier);
  }

  async stats(account: Account, shortUrl: string, query?: StatsQuery): Promise<LinkStats> {
    return (await linkAndStats(this.services, account, shortUrl, query)).stats;
  }

  accountStats(account: Account, query?: AccountStatsQuery): Promise<AccountStats> {
    return this.#sums.of(account, query);
  }

  qr<Format extends QrFormat = 'svg'>(
    account: Account,
    shortUrl: string,
    options?: QrOptions<Format>,
  ): Promise<QrCode<Format>> {
    return qr(this.services, account, shortUrl, options);
  }

  list(account: Account, filter?: LinkFilter): AsyncGenerator<Link> {
    return list(this.services, account, filter);
  }

  page(account: Account, query?: LinkQuery): Promise<LinkPage> {
    return page(this.services, account, query);
  }

  listActive(account: Account): AsyncGenerator<Pick<Link, 'shortUrl'>> {
    return listActive(this.services, account);
  }

  pageActive(account: Account, part?: Page): Promise<ActivePage> {
    return pageActive(this.services, account, part);
  }

  tags(account: Account): Promise<TagLinks[]> {
    return tags(this.services, account);
  }

  compare(account: Account, query?: CompareQuery): Promise<LinkComparison> {
    return this.#comparing.links(account, query);
  }

  compareTags(account: Account, query?: CompareTagsQuery): Promise<TagComparison> {
    return this.#comparing.tags(account, query);
  }
}
