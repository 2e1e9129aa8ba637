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
import {countEach} from '../read/list.ts';
import {inTurn, operator} from '../long-reads.ts';
import type {LinkServices} from '../services.ts';
import {Remembered} from '../remembered.ts';
import {accountTotals, shardsOf, totalsShards} from './totals.ts';
import {addConversions, type AskedStats, readAskedStats, type Span, sumsOf, toStats} from './visit-stats.ts';

/** How many accounts are read at once: as many as have about this many counters together. */
const accountsAtOnce = {min: 10, first: 50, max: 200};
const countersAtOnce = 50_000;

/** How many sums are remembered: those of the operator's pages. */
const maxRemembered = 3;

// A type, because an interface is not `Plain`.
type AskedSums = {
  readonly today: number;
  /** What the statistics of the site need. */
  readonly asked?: readonly AskedPlain[];
  /** Makes a row of each account: of a span, or of the visits of all time. */
  readonly rows?: {readonly compared?: AskedPlain};
};
type AskedPlain = {readonly span: Readonly<Span> | undefined; readonly include: readonly StatsPart[]};

interface Sums {
  accounts: number;
  links: number;
  broken: number;
  /** Of all accounts, unless rows are asked for. */
  readonly counts: Map<string, number>;
  /** As long as there are no more than can be put in order. */
  readonly rows: AccountRow[];
}

interface AccountRow extends Readonly<Record<RankedAccountOrder, number>> {
  readonly account: Generation;
  /** Those that the site has recorded. */
  readonly conversions: readonly ConversionStats[];
}

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
    const today = this.#today();
    const plain = asked.map(({span, include}) => ({span: span && {...span}, include}));
    const {accounts, links, broken, counts} = await this.#get({today, asked: plain});
    return asked.map((each) => {
      const {totalVisits, days, conversions} = toStats({counts, at: undefined}, today, each).stats;
      return {accounts, links, brokenLinks: broken, totalVisits, days, conversions};
    });
  }

  /** @throws ShortUrlError `too_many_links` */
  async page(
    part: RankedPart<RankedAccountOrder>,
    matches: (name: string) => boolean,
  ): Promise<RankedPage<Generation>> {
    const {accounts: count, rows} = await this.#get({today: this.#today(), rows: {}});
    if (count > maxRanked) throw tooMany('Accounts', 'Use the order `newest` or `oldest`.');
    return readRanked(
      rows.filter(({account}) => matches(account.id)),
      part,
      (row) => ({values: [row[part.ranking]], id: row.account.position}),
      async (some) => (await this.#present(some)).map((row) => row?.account),
    );
  }

  /** @throws ShortUrlError `malformed_parameter`, `unknown_parameter` or `too_many_links` */
  async compare(query: AccountCompareQuery) {
    const {span, part} = readAccountComparison(query);
    const compared = {span: span && {...span}, include: []};
    const {accounts: count, rows} = await this.#get({today: this.#today(), rows: {compared}});
    if (count > maxRanked) throw tooMany('Accounts', 'Read `accounts.stats` of each.');
    const numbers = rows.map((row) => {
      const {account, links} = row;
      return {id: account.position, account, links, ...numbersOf(row, part.name)};
    });
    return compareRows(rows, part, numbers, (some) => this.#present(some));
  }

  #today(): number {
    const {calendar, now} = this.#dependencies;
    return calendar.dayOf(now());
  }

  #get(asked: AskedSums): Promise<Sums> {
    return inTurn(this.#dependencies, operator, () => this.#sums.get(asked));
  }

  /** The rows of accounts; undefined for one that was removed since. */
  #present<Row extends Pick<AccountRow, 'account'>>(rows: readonly Row[]): Promise<Array<Row | undefined>> {
    return Promise.all(
      rows.map(async (row) => {
        const now = await this.#dependencies.accounts.find(row.account.id);
        return now?.generation === row.account.generation ? row : undefined;
      }),
    );
  }

  async #sum(asked: AskedSums): Promise<Sums> {
    const {store, accounts} = this.#dependencies;
    const {today, rows: {compared} = {}} = asked;
    const read = asked.asked ?? (compared && [compared]);
    const names = read === undefined ? [visitsCounter] : await countersFor(store, undefined, today, read);
    const sums: Sums = {accounts: 0, links: 0, broken: 0, counts: new Map<string, number>(), rows: []};
    let group: Generation[] = [];
    let size = accountsAtOnce.first;
    for await (const account of accounts.list()) {
      if (group.push(account) < size) continue;
      size = nextSize(size, await this.#add(group, names, sums, asked));
      group = [];
    }
    await this.#add(group, names, sums, asked);
    return sums;
  }

  /** @returns how many counters were read */
  async #add(
    group: readonly Generation[],
    names: readonly string[] | undefined,
    sums: Sums,
    {today, rows}: AskedSums,
  ): Promise<number> {
    const {store} = this.#dependencies;
    // An account whose sequence has not begun never had a link, so it has no counters.
    const lasts = await linkPositions.in(store).current(group.map(({generation}) => generation));
    const used = group.filter((_, index) => lasts[index] !== 0);
    const [counts, shards] = await Promise.all([
      countEach(
        store,
        used.map(({generation}) => accountList(generation)),
        lasts.filter((last) => last !== 0),
      ),
      this.#readTotals(used, names),
    ]);
    sums.accounts += group.length;
    for (const {links, broken} of counts) {
      sums.links += links;
      sums.broken += broken;
    }
    let next = 0;
    for (const [index, account] of group.entries()) {
      if (rows === undefined || sums.accounts > maxRanked) break;
      const links = lasts[index] === 0 ? 0 : (counts[next++]?.links ?? 0);
      const own = lasts[index] === 0 ? [] : shards.slice((next - 1) * totalsShards, next * totalsShards);
      sums.rows.push(rowOf(account, links, own, (shard) => sumsOf(shard, today, rows.compared?.span)));
    }
    let read = 0;
    for (const {counts} of shards) {
      read += counts.size;
      for (const [name, n] of rows ? [] : counts) {
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

/** @param shards the totals of the account; none if it has never had a link */
function rowOf(
  {id, generation, position, created}: Generation,
  links: number,
  shards: readonly Counters[],
  sumsIn: (shard: Counters) => ReturnType<typeof sumsOf>,
): AccountRow {
  const parts = shards.map(sumsIn);
  const visits = parts.reduce((sum, {totalVisits}) => sum + totalVisits, 0);
  const recorded = parts.flatMap(({conversions}) => conversions.filter(({recordedBy}) => recordedBy === 'site'));
  const at = Math.max(0, ...shards.map((shard) => shard.at ?? 0));
  return {
    // Not the whole record, of which there may be thousands.
    account: {id, generation, position, created},
    links,
    visits,
    last_visit: lastVisitRank(at, visits),
    conversions: addConversions(recorded),
  };
}

/** @param counters how many the last `size` accounts had */
function nextSize(size: number, counters: number): number {
  const {min, max} = accountsAtOnce;
  return Math.max(min, Math.min(max, 2 * size, Math.floor((size * countersAtOnce) / Math.max(1, counters))));
}
