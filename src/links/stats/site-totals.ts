import {linkPositions} from '../../accounts/records.ts';
import {Grouper} from '../../store/batching/grouper.ts';
import type {Counters} from '../../store/port.ts';
import type {AccountCompareQuery, RankedAccountOrder} from '../account-info.ts';
import {compareRows, numbersOf} from '../rank/comparison.ts';
import {lastVisitRank, maxRanked, type RankedPage, type RankedPart, readRanked, tooMany} from '../rank/ranked.ts';
import {conversionOf, dayOfCounter, visitsCounter} from '../../link/counters.ts';
import type {Accounts} from '../../accounts/accounts.ts';
import type {Generation} from '../../accounts/record.ts';
import {countersFor, maxNamed} from './counter-names.ts';
import type {ConversionStats, SiteStats, StatsPart, StatsQuery} from './statistics.ts';
import {readAccountComparison} from './stats-query.ts';
import {accountList} from '../read/link-index.ts';
import {countEach, type LinkCount} from '../read/list.ts';
import type {LinkServices} from '../services.ts';
import {Remembered} from '../remembered.ts';
import {accountTotals, shardsOf, totalsShards} from './totals.ts';
import {addConversions, type AskedStats, readAskedStats, type Span, sumsOf, toStats} from './visit-stats.ts';

/** How many accounts are read at once: as many as have about this many counters together. */
const accountsAtOnce = {min: 10, first: 50, max: 200};
const countersAtOnce = 50_000;

/** How many sums are remembered: those of the operator's pages. */
const maxRemembered = 3;

/** What is added up: what some statistics need, or without any the visits of all time. */
// A type, because an interface is not `Plain`.
type AskedSums = {
  /** The number of the day. */
  readonly today: number;
  readonly asked: ReadonlyArray<{readonly span: Readonly<Span> | undefined; readonly include: readonly StatsPart[]}>;
  /** Whether each account is compared by the first of them. */
  readonly isOfEach?: true;
};

interface Sums {
  accounts: number;
  links: number;
  broken: number;
  readonly counts: Map<string, number>;
  /** Of each account, as long as there are no more than can be put in order. */
  readonly each: AccountSums[];
}

interface AccountSums extends Readonly<Record<RankedAccountOrder, number>> {
  readonly account: Generation;
  /** Those that the site has recorded; empty unless accounts are compared. */
  readonly conversions: readonly ConversionStats[];
}

type ReadSums = (shards: readonly Counters[]) => Pick<AccountSums, 'visits' | 'conversions'>;

export interface SiteTotalsDependencies extends Pick<LinkServices, 'store' | 'calendar' | 'longReads' | 'now'> {
  readonly accounts: Pick<Accounts, 'list' | 'find'>;
}

/** The totals of all accounts. They are added up on request, so a visit writes nothing for them. */
export class SiteTotals {
  readonly #dependencies: SiteTotalsDependencies;
  readonly #sums: Remembered<AskedSums, Sums>;
  /** A page that shows several spans reads the counters once. */
  readonly #stats = new Grouper((asked: readonly AskedStats[]) => this.#statsOf(asked));

  constructor(dependencies: SiteTotalsDependencies) {
    this.#dependencies = dependencies;
    this.#sums = new Remembered(maxRemembered, dependencies.now, (asked) => this.#sum(asked));
  }

  /** The totals, at most a minute old. */
  async stats(query?: StatsQuery): Promise<SiteStats> {
    const {span, include} = readAskedStats(query);
    return this.#stats.add({span, include: include.filter((part) => part === 'days')});
  }

  async #statsOf(asked: readonly AskedStats[]): Promise<SiteStats[]> {
    const {calendar, now, longReads} = this.#dependencies;
    const today = calendar.dayOf(now());
    const plain = asked.map(({span, include}) => ({span: span && {...span}, include}));
    const {accounts, links, broken, counts} = await longReads.run(operator, () =>
      this.#sums.get({today, asked: plain}),
    );
    return asked.map((each) => {
      const {totalVisits, days, conversions} = toStats({counts, at: undefined}, today, each).stats;
      return {accounts, links, brokenLinks: broken, totalVisits, days, conversions};
    });
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
    const {calendar, now, longReads} = this.#dependencies;
    const asked = {today: calendar.dayOf(now()), asked: []};
    const {accounts: count, each} = await longReads.run(operator, () => this.#sums.get(asked));
    if (count > maxRanked) throw tooMany('Accounts', 'Use the order `newest` or `oldest`.');
    return readRanked(
      each.filter(({account}) => matches(account.id)),
      part,
      (sums) => ({values: [sums[part.ranking]], id: sums.account.position}),
      async (rows) => (await this.#present(rows)).map((row) => row?.account),
    );
  }

  /**
   * A page of the accounts by what their links had in a span.
   *
   * @throws ShortUrlError `malformed_parameter`, `unknown_parameter` or `too_many_links`
   */
  async compare(query: AccountCompareQuery) {
    const {calendar, now, longReads} = this.#dependencies;
    const {span, part} = readAccountComparison(query);
    const asked = [{span: span && {...span}, include: []}];
    const {accounts: count, each} = await longReads.run(operator, () =>
      this.#sums.get({today: calendar.dayOf(now()), asked, isOfEach: true}),
    );
    if (count > maxRanked) throw tooMany('Accounts', 'Read `accounts.stats` of each.');
    const rows = each.map((row) => {
      const {account, links} = row;
      return {id: account.position, account, links, ...numbersOf(row, part.name)};
    });
    return compareRows(each, part, rows, (some) => this.#present(some));
  }

  /** The rows of accounts; undefined for one that was removed since. */
  #present<Row extends Pick<AccountSums, 'account'>>(rows: readonly Row[]): Promise<Array<Row | undefined>> {
    return Promise.all(
      rows.map(async (row) => {
        const now = await this.#dependencies.accounts.find(row.account.id);
        return now?.generation === row.account.generation ? row : undefined;
      }),
    );
  }

  async #sum({today, asked, isOfEach}: AskedSums): Promise<Sums> {
    const {store, accounts} = this.#dependencies;
    const names = asked.length === 0 ? [visitsCounter] : await countersFor(store, undefined, today, asked);
    const sums: Sums = {accounts: 0, links: 0, broken: 0, counts: new Map<string, number>(), each: []};
    const [first] = asked;
    const ofEach: ReadSums = isOfEach ? (shards) => comparedIn(shards, today, first?.span) : visitsIn;
    let group: Generation[] = [];
    let size = accountsAtOnce.first;
    for await (const account of accounts.list()) {
      if (group.push(account) < size) continue;
      size = nextSize(size, await this.#add(group, names, sums, ofEach));
      group = [];
    }
    await this.#add(group, names, sums, ofEach);
    return sums;
  }

  /** @returns how many counters were read */
  async #add(
    group: readonly Generation[],
    names: readonly string[] | undefined,
    sums: Sums,
    ofEach: ReadSums,
  ): Promise<number> {
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
      this.#readTotals(used, names),
    ]);
    sums.accounts += group.length;
    for (const each of links) {
      sums.links += each.links;
      sums.broken += each.broken;
    }
    if (sums.accounts <= maxRanked) sums.each.push(...sumEach(group, used, {links, shards, ofEach}));
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

  async #readTotals(accounts: readonly Generation[], names: readonly string[] | undefined): Promise<Counters[]> {
    const shards = accounts.flatMap(({generation}) => shardsOf(generation));
    const step = names === undefined ? Infinity : Math.max(1, Math.floor(maxNamed / names.length));
    const reads: Array<Promise<readonly Counters[]>> = [];
    for (let start = 0; start < shards.length; start += step) {
      reads.push(accountTotals.in(this.#dependencies.store).getMany(shards.slice(start, start + step), names));
    }
    return (await Promise.all(reads)).flat();
  }
}

/** Long reads of the operator take turns, as those of an account do. */
const operator = {account: ''};

const noSums = {links: 0, visits: 0, last_visit: 0, conversions: []};

/** The visits of all time. */
function visitsIn(shards: readonly Counters[]): ReturnType<ReadSums> {
  return {visits: shards.reduce((sum, {counts}) => sum + (counts.get(visitsCounter) ?? 0), 0), conversions: []};
}

function comparedIn(shards: readonly Counters[], today: number, span: Span | undefined): ReturnType<ReadSums> {
  const each = shards.map((shard) => sumsOf(shard, today, span));
  return {
    visits: each.reduce((sum, {totalVisits}) => sum + totalVisits, 0),
    conversions: addConversions(
      each.flatMap(({conversions}) => conversions.filter(({recordedBy}) => recordedBy === 'site')),
    ),
  };
}

interface ReadGroup {
  readonly links: readonly LinkCount[];
  readonly shards: readonly Counters[];
  readonly ofEach: ReadSums;
}

/** @param used those of the group that have had links. `links` and `shards` are theirs: how many they have, and their totals */
function sumEach(
  group: readonly Generation[],
  used: readonly Generation[],
  {links, shards, ofEach}: ReadGroup,
): AccountSums[] {
  const sums = new Map<Generation, Omit<AccountSums, 'account'>>();
  for (const [index, account] of used.entries()) {
    const own = shards.slice(index * totalsShards, (index + 1) * totalsShards);
    const {visits, conversions} = ofEach(own);
    const at = Math.max(...own.map((shard) => shard.at ?? 0));
    sums.set(account, {links: links[index]?.links ?? 0, visits, conversions, last_visit: lastVisitRank(at, visits)});
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
