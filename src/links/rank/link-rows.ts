import {linkCounters, linkRecords} from '../../link/records.ts';
import type {Bases, LinkName} from '../../link/bases.ts';
import type {ConversionName} from '../../link/counters.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import type {Utm} from '../../link/utm.ts';
import {type Counters, noCounters, type Store} from '../../store/port.ts';
import {accountList, siteList} from '../read/link-index.ts';
import {readList} from '../read/list.ts';
import type {RankedOrder} from '../read/listed-links.ts';
import {type SiteFilter, toConditions} from '../read/query.ts';
import {Remembered} from '../remembered.ts';
import {countedAtOnce} from '../stats/account-totals.ts';
import {readConversionNames} from '../stats/conversion-names.ts';
import {daysOf, type Kind, kindsOf, maxNamed, maxNames} from '../stats/counter-names.ts';
import type {ConversionStats} from '../stats/statistics.ts';
import {type Span, sumsOf} from '../stats/visit-stats.ts';
import {FirstRows, lastVisitRank, maxRanked, type Place, tooMany} from './ranked.ts';

/** The maximum number of counters that are read for the rows of one list. */
const maxCounters = 2_000_000;

/** The maximum number of links that are looked at to find those that match. */
const maxLooked = 5 * maxRanked;

/** The maximum number of which only the first in an order are wanted. Reading 100,000 takes some seconds of CPU time. */
export const maxOfSite = 1_000_000;

/** Of how many links counters are read by name at once. Reading them blocks the event loop for some milliseconds. */
const namedAtOnce = 50;

/** The maximum number of lists whose rows are remembered. Those of 10,000 links take up to about five megabytes. */
const maxRemembered = 10;

/** Which links to read, and what of each. */
// A type, because an interface is not `Plain`.
export type AskedRows = {
  readonly list: string;
  readonly filter?: Omit<SiteFilter, 'order'>;
  /** Only the first of any number of links are wanted, in an order and behind a place. */
  readonly first?: {readonly ranking: RankedOrder; readonly after: Place | undefined};
  /** Which conversions to count: none, those of the first name that was recorded, or all. By default none. */
  readonly conversions?: 'first' | 'all' | undefined;
  readonly span?: Readonly<Span> | undefined;
  /** The number of the day. Needed with a span. */
  readonly today?: number;
};

/** A link with what it had in a span, or in all time. */
export interface LinkRow {
  readonly name: LinkName;
  readonly id: number;
  readonly tags: readonly string[];
  readonly utm: Utm | undefined;
  readonly visits: number;
  readonly at: number;
  readonly end: number | undefined;
  readonly conversions: readonly ConversionStats[];
}

const usualLimits = {links: maxRanked, counters: maxCounters, ofSite: maxOfSite};

interface Ranking extends Pick<AskedRows, 'conversions'> {
  readonly valueOf: (row: LinkRow) => number;
}

/** What an order compares, the most first, and what has to be read for it. */
export const rankings: Readonly<Record<RankedOrder, Ranking>> = {
  visits: {valueOf: ({visits}) => visits},
  last_visit: {valueOf: ({at, visits}) => lastVisitRank(at, visits)},
  conversions: {
    conversions: 'first',
    // In each currency.
    valueOf: ({conversions}) => conversions.reduce((sum, each) => sum + each.conversions, 0),
  },
  // The earliest first. A cursor takes no larger number.
  expiry_date: {valueOf: ({end = Number.MAX_SAFE_INTEGER}) => -end},
};

export function placeOf(ranking: RankedOrder, row: LinkRow): Place {
  return {values: [rankings[ranking].valueOf(row)], id: row.id};
}

/**
 * The links of a list with their numbers, by which they are put in order. They are read on request, so a visit writes
 * nothing for them, and remembered for a minute.
 */
export class LinkRows {
  readonly #store: Store;
  readonly #bases: Bases;
  readonly #now: () => number;
  readonly #limits: typeof usualLimits;
  readonly #rows: Remembered<AskedRows, readonly LinkRow[]>;

  /** @param limits the maximum numbers of rows, of counters, and of links of which only the first are wanted */
  constructor(
    {store, bases, now}: {readonly store: Store; readonly bases: Bases; readonly now: () => number},
    limits: Partial<typeof usualLimits> = {},
  ) {
    this.#store = store;
    this.#bases = bases;
    this.#now = now;
    this.#limits = {...usualLimits, ...limits};
    this.#rows = new Remembered(maxRemembered, now, (asked) => this.#read(asked));
  }

  /** @throws ShortUrlError `too_many_links` */
  get(asked: AskedRows): Promise<readonly LinkRow[]> {
    return this.#rows.get(asked);
  }

  /** Whether there are more rows than these, of which only the first were wanted. */
  isCut(rows: readonly LinkRow[]): boolean {
    return rows.length > this.#limits.links;
  }

  /** The links of rows now; undefined for one that was removed. */
  async find(rows: ReadonlyArray<Pick<LinkRow, 'name' | 'id'>>): Promise<Array<LinkRecord | undefined>> {
    const entries = await linkRecords.in(this.#store).getMany(rows.map(({name}) => name));
    return entries.map((entry, index) => {
      // Another link may have the name since.
      return entry?.value.id === rows[index]?.id && entry && isListed(entry.value) ? entry.value : undefined;
    });
  }

  async #read({list: name, filter = {}, first, conversions, span, today = 0}: AskedRows): Promise<readonly LinkRow[]> {
    const store = this.#store;
    const list = name === siteList.name ? siteList : accountList(name);
    const {matches, ...wanted} = toConditions(filter, this.#bases);
    const kinds = this.#kindsOf(name, conversions);
    // A list without links has nothing to await it.
    kinds.catch(() => undefined);
    const days = span && daysOf(span, today);
    const rows: LinkRow[] = [];
    // One more than is wanted shows that there are more.
    const kept =
      first && new FirstRows(this.#limits.links + 1, (row: LinkRow) => placeOf(first.ranking, row), first.after);
    const [maxRows, maxLinks] = kept ? [Infinity, this.#limits.ofSite] : [this.#limits.links, maxLooked];
    const at = this.#now();
    let looked = 0;
    let counters = 0;
    const toRow = ({domain, slug, id, tags = [], utm, end}: LinkRecord, read: Counters): LinkRow => {
      counters += read.counts.size;
      const {totalVisits: visits, conversions: counted} = sumsOf(read, today, span);
      return {name: {domain, slug}, id, tags, utm, visits, at: read.at ?? 0, end, conversions: counted};
    };
    const toRows = async (all: readonly LinkRecord[]): Promise<LinkRow[]> => {
      looked += all.length;
      const matching = all.filter((record) => matches(record, at));
      if (rows.length + matching.length > maxRows || looked > maxLinks) {
        throw tooMany('Links', hint, kept ? maxOfSite : maxRanked);
      }
      const found: LinkRow[] = [];
      for (let start = 0; start < matching.length; start += namedAtOnce) {
        const some = matching.slice(start, start + namedAtOnce);
        const read = await this.#countersOf(some.map(linkCounters.key), await kinds, days);
        found.push(...some.map((record) => toRow(record, read.get(linkCounters.key(record)) ?? noCounters)));
        if (counters > this.#limits.counters) throw tooMany('Links', `${hint} Or ask for fewer days.`);
      }
      return found;
    };
    for await (const {items} of readList(store, list, toRows, {order: 'newest', ...wanted})) {
      if (kept) kept.add(items);
      else rows.push(...items);
    }
    return kept?.all() ?? rows;
  }

  async #kindsOf(list: string, conversions: AskedRows['conversions']): Promise<readonly Kind[]> {
    if (conversions === undefined) return kindsOf([]);
    // Figures of the whole site are those that the site has recorded.
    const names = await readConversionNames(this.#store, list === siteList.name ? undefined : list);
    return kindsOf(conversions === 'all' ? names : firstOf(names));
  }

  /** What some links had on the days, or in all time. Most links have never had most of what a site counts. */
  async #countersOf(
    keys: readonly string[],
    kinds: readonly Kind[],
    days: readonly number[] | undefined,
  ): Promise<ReadonlyMap<string, Counters>> {
    const totals = await this.#readCounters(
      keys,
      kinds.map((kind) => kind()),
    );
    if (days === undefined) return totals;
    const had = kinds.filter((kind) => keys.some((key) => totals.get(key)?.counts.has(kind())));
    const names = had.length * days.length > maxNames ? undefined : days.flatMap((day) => had.map((kind) => kind(day)));
    const visited = keys.filter((key) => (totals.get(key)?.counts.size ?? 0) > 0);
    return this.#readCounters(visited, names);
  }

  async #readCounters(keys: readonly string[], names: readonly string[] | undefined): Promise<Map<string, Counters>> {
    const found = new Map<string, Counters>();
    const step =
      names === undefined ? countedAtOnce : Math.max(1, Math.min(namedAtOnce, Math.floor(maxNamed / names.length)));
    for (let start = 0; start < keys.length; start += step) {
      const some = keys.slice(start, start + step);
      const read = await this.#store.getCounters(some, names);
      for (const [index, key] of some.entries()) found.set(key, read[index] ?? noCounters);
    }
    return found;
  }
}

const hint = 'Use the order `newest` or `oldest`, or compare links with a tag.';

/**
 * The first name in each currency: that which the site recorded first, or else the first of the account's API calls. A sum
 * over all names would add up steps of one sale, such as registration and order.
 */
function firstOf(names: readonly ConversionName[]): ConversionName[] {
  const [first] = names;
  return names.filter(({recordedBy, name}) => recordedBy === first?.recordedBy && name === first.name);
}
