import type {Account} from '../../accounts/accounts.ts';
import {Grouper} from '../../store/batching/grouper.ts';
import type {AccountStats, AccountStatsQuery} from '../account-info.ts';
import {inTurn} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import {addUp, readTotals} from '../stats/account-totals.ts';
import {countersFor} from '../stats/counter-names.ts';
import {readSumQuery} from '../stats/stats-query.ts';
import {type AskedStats, toStats} from '../stats/visit-stats.ts';
import {accountList} from './link-index.ts';
import {readPage} from './page.ts';
import {type Filter, readQuery} from './query.ts';

/** The maximum number of links whose visits are added up for a filter. */
export const maxSummed = 1000;

interface AskedSum extends AskedStats {
  readonly account: Account;
  readonly filter: Filter | undefined;
}

type Services = Pick<LinkServices, 'store' | 'bases' | 'calendar' | 'linkIndex' | 'linkRows' | 'longReads' | 'now'>;

/** The visits of all links of an account, or of those that match. */
export class AccountSums {
  readonly #services: Services;
  /** A page that shows several spans reads the counters once. */
  readonly #sums = new Grouper((asked: readonly AskedSum[]) => this.#sum(asked));

  constructor(services: Services) {
    this.#services = services;
  }

  async of(account: Account, query: AccountStatsQuery = {}): Promise<AccountStats> {
    const asked = readSumQuery(query);
    return this.#sums.add({account, ...asked}, JSON.stringify([account.generation, asked.filter]));
  }

  async #sum(asked: readonly AskedSum[]): Promise<AccountStats[]> {
    const [first] = asked;
    if (first === undefined) return [];
    return inTurn(this.#services, first.account, () => this.#sumInTurn(first, asked));
  }

  async #sumInTurn({account, filter}: AskedSum, asked: readonly AskedSum[]): Promise<AccountStats[]> {
    const {store, bases, calendar, now} = this.#services;
    const today = calendar.dayOf(now());
    if (filter === undefined) return readTotals(store, account.generation, today, asked);
    const {part} = readQuery({...filter, limit: maxSummed}, bases);
    const [{records, nextCursor}, names] = await Promise.all([
      readPage(this.#services, accountList(account.generation), part),
      countersFor(store, account.generation, today, asked),
    ]);
    const counters = await addUp(store, records, names);
    const isPartial = nextCursor !== undefined;
    return asked.map((each) => ({
      links: records.length,
      brokenLinks: records.filter(({broken}) => broken !== undefined).length,
      ...toStats(counters, today, each).stats,
      ...(isPartial && {isPartial}),
    }));
  }
}
