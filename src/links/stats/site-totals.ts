import {linkPositions} from '../../accounts/records.ts';
import type {Counters} from '../../store/port.ts';
import type {RankedAccountOrder} from '../account-info.ts';
import {lastVisitRank, maxRanked, type RankedPage, type RankedPart, readRanked, tooMany} from '../rank/ranked.ts';
import {conversionOf, dayOfCounter, visitsCounter} from '../../link/counters.ts';
import type {Accounts} from '../../accounts/accounts.ts';
import type {Generation} from '../../accounts/record.ts';
import type {SiteStats, StatsQuery} from './statistics.ts';
import {accountList} from '../read/link-index.ts';
import {countEach} from '../read/list.ts';
import type {LinkServices} from '../services.ts';
import {Remembered} from '../remembered.ts';
import {accountTotals, shardsOf, totalsShards} from './totals.ts';
import {readAskedStats, toStats} from './visit-stats.ts';

/** How many accounts are read at once: as many as have about this many counters together. */
const accountsAtOnce = {min: 10, first: 50, max: 200};
const countersAtOnce = 50_000;

interface Sums {
  accounts: number;
  links: number;
  readonly counts: Map<string, number>;
  /** Of each account, as long as there are no more than can be put in order. */
  readonly each: AccountSums[];
}

interface AccountSums extends Readonly<Record<RankedAccountOrder, number>> {
  readonly account: Generation;
}

export interface SiteTotalsDependencies extends Pick<LinkServices, 'store' | 'calendar' | 'now'> {
  readonly accounts: Pick<Accounts, 'list' | 'find'>;
}

/** The totals of all accounts. They are added up on request, so a visit writes nothing for them. */
export class SiteTotals {
  readonly #dependencies: SiteTotalsDependencies;
  readonly #sums: Remembered<'site', Sums>;

  constructor(dependencies: SiteTotalsDependencies) {
    this.#dependencies = dependencies;
    this.#sums = new Remembered(1, dependencies.now, () => this.#sum());
  }

  /** The totals, at most a minute old. */
  async stats(query?: StatsQuery): Promise<SiteStats> {
    const asked = readAskedStats(query);
    const {calendar, now} = this.#dependencies;
    const {accounts, links, counts} = await this.#sums.get('site');
    const {stats} = toStats({counts, at: undefined}, calendar.dayOf(now()), asked);
    const {totalVisits, days, conversions} = stats;
    return {accounts, links, totalVisits, days, conversions};
  }

  /**
   * A page of the accounts in an order by their totals.
   *
   * @throws ShortUrlError `too_many_links`
   */
  async page(
    part: RankedPart<RankedAccountOrder>,
    matches: (name: string) => boolean,
  ): Promise<RankedPage<Generation>> {
    const {accounts: count, each} = await this.#sums.get('site');
    if (count > maxRanked) throw tooMany('Accounts', 'Use the order `newest` or `oldest`.');
    return readRanked(
      each.filter(({account}) => matches(account.id)),
      part,
      (sums) => ({values: [sums[part.ranking]], id: sums.account.position}),
      async (rows) =>
        Promise.all(
          rows.map(async ({account}) => {
            const now = await this.#dependencies.accounts.find(account.id);
            // It was removed since.
            return now?.generation === account.generation ? account : undefined;
          }),
        ),
    );
  }

  async #sum(): Promise<Sums> {
    const {accounts} = this.#dependencies;
    const sums: Sums = {accounts: 0, links: 0, counts: new Map<string, number>(), each: []};
    let group: Generation[] = [];
    let size = accountsAtOnce.first;
    for await (const account of accounts.list()) {
      if (group.push(account) < size) continue;
      size = nextSize(size, await this.#add(group, sums));
      group = [];
    }
    await this.#add(group, sums);
    return sums;
  }

  /** @returns how many counters were read */
  async #add(group: readonly Generation[], sums: Sums): Promise<number> {
    const {store} = this.#dependencies;
    // An account whose sequence has not begun never had a link, so it has no counters.
    const lasts = await linkPositions.in(store).current(group.map(({generation}) => generation));
    const used = group.filter((_, index) => lasts[index] !== 0);
    const lists = used.map(({generation}) => accountList(generation));
    const [links, shards] = await Promise.all([
      countEach(
        store,
        lists,
        lasts.filter((last) => last !== 0),
      ),
      accountTotals.in(store).getMany(used.flatMap(({generation}) => shardsOf(generation))),
    ]);
    sums.accounts += group.length;
    for (const count of links) sums.links += count;
    if (sums.accounts <= maxRanked) sums.each.push(...sumEach(group, used, links, shards));
    let read = 0;
    for (const {counts} of shards) {
      read += counts.size;
      for (const [name, n] of counts) {
        const isOfVisits = name === visitsCounter || dayOfCounter(name) !== undefined;
        // No user can write into the figures of the site.
        if (!isOfVisits && conversionOf(name)?.recordedBy !== 'site') continue;
        sums.counts.set(name, (sums.counts.get(name) ?? 0) + n);
      }
    }
    return read;
  }
}

const noSums = {links: 0, visits: 0, last_visit: 0};

/** @param used those of the group that have had links. `links` and `shards` are theirs: how many they have, and their totals */
function sumEach(
  group: readonly Generation[],
  used: readonly Generation[],
  links: readonly number[],
  shards: readonly Counters[],
): AccountSums[] {
  const sums = new Map<Generation, Omit<AccountSums, 'account'>>();
  for (const [index, account] of used.entries()) {
    const own = shards.slice(index * totalsShards, (index + 1) * totalsShards);
    const visits = own.reduce((sum, {counts}) => sum + (counts.get(visitsCounter) ?? 0), 0);
    const at = Math.max(...own.map((shard) => shard.at ?? 0));
    sums.set(account, {links: links[index] ?? 0, visits, last_visit: lastVisitRank(at, visits)});
  }
  return group.map((account) => {
    // Not the whole record, of which there may be thousands.
    const {id, generation, position, created} = account;
    return {account: {id, generation, position, created}, ...(sums.get(account) ?? noSums)};
  });
}

/** @param counters how many the last `size` accounts had */
function nextSize(size: number, counters: number): number {
  const {min, max} = accountsAtOnce;
  return Math.max(min, Math.min(max, 2 * size, Math.floor((size * countersAtOnce) / Math.max(1, counters))));
}
