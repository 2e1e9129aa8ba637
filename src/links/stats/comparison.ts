import {countersKey} from '../../records.ts';
import {
  conversionCounter,
  conversionCounts,
  type ConversionName,
  dayCounter,
  visitsCounter,
} from '../../link/counters.ts';
import type {LinkName} from '../../link/bases.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {Counters, Store} from '../../store/port.ts';
import {accountList} from '../list/link-index.ts';
import {readList} from '../list/list.ts';
import {formatCursor} from '../list/query.ts';
import {TagCount} from '../list/tag-count.ts';
import {Remembered} from '../remembered.ts';
import type {ComparedNumbers, Comparison} from './compared.ts';
import {readConversionNames} from './conversion-names.ts';
import {countedAtOnce} from './account-totals.ts';
import type {ConversionStats, TagVisits} from './statistics.ts';
import type {ComparedPart, SummedLinks} from './stats-query.ts';
import {addConversions, countOf, oldestDay, type Span, sumsOf, valuesOf} from './visit-stats.ts';

export const maxLinks = 10_000;

/** The maximum number of counters that one comparison reads. */
const maxCounters = 2_000_000;

/**
 * The maximum number of counters that are read of a link by name. Beyond it, all of them are read: few links have as many
 * besides those that are asked for.
 */
const maxNames = 2000;

/** Of how many links counters are read by name at once. Reading them blocks the event loop for some milliseconds. */
const namedAtOnce = 50;

/** The maximum number of counters that are asked for by name at once. For more, MySQL would read its whole table. */
const maxNamed = 10_000;

/** The maximum number of comparisons that are remembered. One of 10,000 links takes about five megabytes. */
const maxRemembered = 5;

/** What is compared. */
export interface Compare extends Pick<SummedLinks, 'matches' | 'word' | 'span'> {
  readonly generation: string;
  /** Names the conditions, the span and the day, so that a comparison is found again. */
  readonly id: string;
  /** The number of the day. */
  readonly today: number;
}

/** A link with what it had in the span. */
interface Row {
  readonly name: LinkName;
  readonly id: number;
  readonly tags: readonly string[];
  readonly visits: number;
  readonly conversions: readonly ConversionStats[];
}

interface Read {
  /** The newest first. */
  readonly rows: readonly Row[];
  readonly isComplete: boolean;
}

/** A part of a comparison. */
interface Compared<Item> {
  readonly comparison: Comparison;
  readonly items: readonly Item[];
}

/**
 * Compares the links of an account by what they had in a span. They are read on request, so a visit writes nothing for it,
 * and remembered for a minute, so that the pages of a comparison agree.
 */
export class Comparisons {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #limits: {readonly links: number; readonly counters: number};
  readonly #read: Remembered<Read>;

  /** @param limits the maximum numbers of links and counters that a comparison reads */
  constructor(
    {store, now}: {readonly store: Store; readonly now: () => number},
    limits = {links: maxLinks, counters: maxCounters},
  ) {
    this.#store = store;
    this.#now = now;
    this.#limits = limits;
    this.#read = new Remembered(maxRemembered, now);
  }

  /** The names of the links of a part, with their numbers. */
  async links(compare: Compare, part: ComparedPart): Promise<Compared<ComparedNumbers & Pick<Row, 'name' | 'id'>>> {
    return this.#compare(compare, part, (rows) =>
      rows.map((row) => ({name: row.name, id: row.id, ...numbersOf(row, part.name)})),
    );
  }

  /** The tags of a part, with the numbers of their links. */
  async tags(compare: Compare, part: ComparedPart): Promise<Compared<TagVisits>> {
    return this.#compare(compare, part, (rows) => {
      const tags = new TagCount();
      for (const row of rows) tags.add(row.tags, numbersOf(row, part.name));
      return tags.byName();
    });
  }

  async #compare<Item extends ComparedNumbers>(
    compare: Compare,
    {order, name, currency: asked, limit, after}: ComparedPart,
    itemsOf: (rows: readonly Row[]) => Item[],
  ): Promise<Compared<Item>> {
    const {rows, isComplete} = await this.#read.get(`${compare.generation} ${compare.id}`, () =>
      this.#readRows(compare),
    );
    const conversions = addConversions(rows.flatMap((row) => row.conversions));
    const currency = asked === undefined ? usualCurrency(conversions, name) : asked;
    const placed = itemsOf(rows).map((item) => ({item, place: placeOf(item, order, currency)}));
    const sorted = placed.sort(
      (one, other) =>
        other.place - one.place || other.item.conversions - one.item.conversions || other.item.visits - one.item.visits,
    );
    const end = after + limit;
    return {
      items: sorted.slice(after, end).map(({item}) => item),
      comparison: {
        links: rows.length,
        isComplete,
        visits: rows.reduce((sum, {visits}) => sum + visits, 0),
        conversions,
        currency,
        nextCursor: end < sorted.length ? formatCursor('row', end) : undefined,
      },
    };
  }

  async #readRows({generation, matches, word, span, today}: Compare): Promise<Read> {
    const store = this.#store;
    const kinds = kindsOf(await readConversionNames(store, generation));
    const days = span && daysOf(span, today);
    const rows: Row[] = [];
    const at = this.#now();
    let looked = 0;
    let size = 0;
    let counters = 0;
    let left = 0;
    const toRow = ({domain, slug, id, tags = []}: LinkRecord, read: Counters): Row => {
      counters += read.counts.size;
      const {totalVisits, conversions} = sumsOf(read, today, span);
      return {name: {domain, slug}, id, tags, visits: totalVisits, conversions};
    };
    const toRows = async (all: readonly LinkRecord[]): Promise<Row[]> => {
      looked += all.length;
      const matching = all.filter((record) => matches(record, at));
      const wanted = matching.slice(0, this.#limits.links - rows.length);
      const found: Row[] = [];
      for (let start = 0; start < wanted.length && counters < this.#limits.counters; start += namedAtOnce) {
        const some = wanted.slice(start, start + namedAtOnce);
        const read = await this.#countersOf(some.map(countersKey), kinds, days);
        found.push(...some.map((record) => toRow(record, read.get(countersKey(record)) ?? none)));
      }
      left += matching.length - found.length;
      return found;
    };
    for await (const {items, isLast, ...chunk} of readList(store, accountList(generation), toRows, {
      order: 'newest',
      word,
    })) {
      rows.push(...items);
      size += chunk.size;
      const {links} = this.#limits;
      const isOver = looked >= links || size >= 2 * links || counters >= this.#limits.counters;
      if (left > 0 || (isOver && !isLast)) return {rows, isComplete: false};
    }
    return {rows, isComplete: true};
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
      for (const [index, key] of some.entries()) found.set(key, read[index] ?? none);
    }
    return found;
  }
}

const none: Counters = {counts: new Map(), at: undefined};

/** The name of a counter on a day, or in all time. */
type Kind = (day?: number) => string;

function kindsOf(conversions: readonly ConversionName[]): Kind[] {
  const ofVisits: Kind = (day) => (day === undefined ? visitsCounter : dayCounter(day));
  const ofConversions = conversions.flatMap((name) =>
    conversionCounts.map(
      (kind): Kind =>
        (day) =>
          conversionCounter(kind, name, day),
    ),
  );
  return [ofVisits, ...ofConversions];
}

function daysOf({from, until}: Span, today: number): number[] {
  const first = Math.max(from, oldestDay(today));
  return Array.from({length: Math.max(0, Math.min(until, today) - first + 1)}, (_, index) => first + index);
}

/** @param name the only name of conversions; undefined for all */
function numbersOf({visits, conversions}: Row, name: string | undefined): ComparedNumbers {
  const counted = name === undefined ? conversions : conversions.filter((each) => each.name === name);
  return {
    visits,
    conversions: countOf(counted),
    values: valuesOf(counted),
  };
}

/** The currency with the most conversions of the site that were worth something. */
function usualCurrency(conversions: readonly ConversionStats[], name: string | undefined): string | null {
  const worth = conversions.filter(
    (each) => each.recordedBy === 'site' && each.value > 0 && (name === undefined || each.name === name),
  );
  const counts = new Map<string | null, number>();
  for (const {currency, conversions: n} of worth) counts.set(currency, (counts.get(currency) ?? 0) + n);
  const [most] = Array.from(counts).sort(([, one], [, other]) => other - one);
  return most === undefined ? null : most[0];
}

function placeOf(numbers: ComparedNumbers, order: ComparedPart['order'], currency: string | null): number {
  if (order !== 'value') return numbers[order];
  const found = numbers.values.find((each) => each.recordedBy === 'site' && each.currency === currency);
  return found === undefined ? 0 : found.value - found.refunded;
}
