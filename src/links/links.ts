import type {Account} from '../accounts/accounts.ts';
import type {Link, LinkChange} from '../link/link.ts';
import type {AccountStats, AccountStatsQuery} from './account-info.ts';
import {changeOne} from './change/change-one.ts';
import {disable, enable} from './change/disable.ts';
import {remove} from './change/remove.ts';
import {update} from './change/update.ts';
import {Creation} from './create/creation.ts';
import {runMany} from './many.ts';
import type {LinkOperations} from './operations.ts';
import {qr} from './qr/qr-code.ts';
import {compareLinks, compareTags} from './rank/compare.ts';
import {AccountSums} from './read/account-stats.ts';
import {activeChunks, listActive, pageActive} from './read/active-links.ts';
import {info} from './read/info.ts';
import {list, page} from './read/list-links.ts';
import {linkAndStats} from './read/stats.ts';
import {tags} from './read/tags.ts';
import type {LinkServices} from './services.ts';
import type {LinkStats, StatsQuery} from './stats/statistics.ts';

export interface Links extends LinkOperations<Account> {
  linkAndStats(account: Account, shortUrl: string, query?: StatsQuery): Promise<{link: Link; stats: LinkStats}>;
  activeChunks(account: Account): AsyncGenerator<ReadonlyArray<Pick<Link, 'shortUrl'>>>;
  accountStats(account: Account, query?: AccountStatsQuery): Promise<AccountStats>;
}

/** Each operation is a file in a folder beside this one. */
export function linksOf(services: LinkServices): Links {
  const creation = new Creation(services);
  const sums = new AccountSums(services);
  return {
    create: (...given) => creation.one(...given),
    createMany: (...given) => creation.many(...given),
    update: (...given) => update(services, ...given),
    updateMany: (account, inputs) =>
      runMany({run: (input: LinkChange) => changeOne(services, account, input), bases: services.bases}, inputs),
    disable: (...given) => disable(services, ...given),
    enable: (...given) => enable(services, ...given),
    remove: (...given) => remove(services, ...given),
    info: (...given) => info(services, ...given),
    stats: async (...given) => (await linkAndStats(services, ...given)).stats,
    linkAndStats: (...given) => linkAndStats(services, ...given),
    accountStats: (...given) => sums.of(...given),
    qr: (...given) => qr(services, ...given),
    list: (...given) => list(services, ...given),
    page: (...given) => page(services, ...given),
    activeChunks: (account) => activeChunks(services, account),
    listActive: (account) => listActive(services, account),
    pageActive: (...given) => pageActive(services, ...given),
    tags: (account) => tags(services, account),
    compare: (...given) => compareLinks(services, ...given),
    compareTags: (...given) => compareTags(services, ...given),
  };
}
