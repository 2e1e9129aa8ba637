import type {Account} from '../accounts/accounts.ts';
import type {LinkChange} from '../link/link.ts';
import type {AccountStats, AccountStatsQuery} from './account-info.ts';
import {changeOne} from './change/change-one.ts';
import {disable, enable} from './change/disable.ts';
import {remove} from './change/remove.ts';
import {update} from './change/update.ts';
import {Creating} from './create/create.ts';
import {runMany} from './many.ts';
import type {LinkOperations} from './operations.ts';
import {qr} from './qr/qr.ts';
import {Comparing} from './rank/compare.ts';
import {AccountSums} from './read/account-stats.ts';
import {listActive, pageActive} from './read/active-links.ts';
import {info} from './read/info.ts';
import {list, page} from './read/list-links.ts';
import {linkAndStats} from './read/stats.ts';
import {tags} from './read/tags.ts';
import type {LinkServices} from './services.ts';

/** The operations on the links of an account. */
export interface Links extends LinkOperations<Account> {
  readonly services: LinkServices;
  accountStats(account: Account, query?: AccountStatsQuery): Promise<AccountStats>;
}

/** Each operation is a file in a folder beside this one. */
export function linksOf(services: LinkServices): Links {
  const creating = new Creating(services);
  const sums = new AccountSums(services);
  const comparing = new Comparing(services);
  return {
    services,
    create: (...given) => creating.one(...given),
    createMany: (...given) => creating.many(...given),
    update: (...given) => update(services, ...given),
    updateMany: (account, inputs) =>
      runMany({run: (input: LinkChange) => changeOne(services, account, input), bases: services.bases}, inputs),
    disable: (...given) => disable(services, ...given),
    enable: (...given) => enable(services, ...given),
    remove: (...given) => remove(services, ...given),
    info: (...given) => info(services, ...given),
    stats: async (...given) => (await linkAndStats(services, ...given)).stats,
    accountStats: (...given) => sums.of(...given),
    qr: (...given) => qr(services, ...given),
    list: (...given) => list(services, ...given),
    page: (...given) => page(services, ...given),
    listActive: (account) => listActive(services, account),
    pageActive: (...given) => pageActive(services, ...given),
    tags: (account) => tags(services, account),
    compare: (...given) => comparing.links(...given),
    compareTags: (...given) => comparing.tags(...given),
  };
}
