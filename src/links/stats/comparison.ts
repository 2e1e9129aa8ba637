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
import {addConversions, type Span, sumsOf, valuesOf} from './visit-stats.ts';

export const maxLinks = 10_000;

/** The maximum number of counters that one comparison reads. */
export const maxCounters = 2_000_000;

/** The maximum number of counters that are read of a link by name. Beyond it, all of them are read. */
const maxNames = 200;

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
    const names = namesOf(await readConversionNames(store, generation), span, today);
    const rows: Row[] = [];
    const at = this.#now();
    let looked = 0;
    let size = 0;
    let counters = 0;
    let left = 0;
    const toRow = ({domain, slug, id, tags = []}: LinkRecord, read: Counters | undefined): Row => {
      counters += names?.length ?? read?.counts.size ?? 0;
      const {totalVisits, conversions} = sumsOf(read ?? {counts: new Map(), at: undefined}, today, span);
      return {name: {domain, slug}, id, tags, visits: totalVisits, conversions};
    };
    const toRows = async (all: readonly LinkRecord[]): Promise<Row[]> => {
      looked += all.length;
      const matching = all.filter((record) => matches(record, at));
      const wanted = matching.slice(0, this.#limits.links - rows.length);
      const step = names === undefined ? countedAtOnce : Math.max(1, wanted.length);
      const found: Row[] = [];
      for (let start = 0; start < wanted.length && counters < this.#limits.counters; start += step) {
        const some = wanted.slice(start, start + step);
        const read = await store.getCounters(some.map(countersKey), names);
        found.push(...some.map((record, index) => toRow(record, read[index])));
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
}

/** The names of the counters of a span; undefined for all of a link. */
function namesOf(conversions: readonly ConversionName[], span: Span | undefined, today: number): string[] | undefined {
  const of = (day?: number): string[] => [
    day === undefined ? visitsCounter : dayCounter(day),
    ...conversions.flatMap((name) => conversionCounts.map((kind) => conversionCounter(kind, name, day))),
  ];
  if (span === undefined) return of();
  const last = Math.min(span.until, today);
  const days = last - span.from + 1;
  if (days * (conversions.length * conversionCounts.length + 1) > maxNames) return undefined;
  return Array.from({length: Math.max(0, days)}, (_, index) => of(span.from + index)).flat();
}

/** @param name the only name of conversions; undefined for all */
function numbersOf({visits, conversions}: Row, name: string | undefined): ComparedNumbers {
  const counted = name === undefined ? conversions : conversions.filter((each) => each.name === name);
  return {
    visits,
    conversions: counted.reduce((sum, each) => sum + each.conversions, 0),
    values: valuesOf(counted),
  };
}

/** The currency with the most conversions that were worth something. */
function usualCurrency(conversions: readonly ConversionStats[], name: string | undefined): string | null {
  const worth = conversions.filter((each) => each.value > 0 && (name === undefined || each.name === name));
  const counts = new Map<string | null, number>();
  for (const {currency, conversions: n} of worth) counts.set(currency, (counts.get(currency) ?? 0) + n);
  const [most] = Array.from(counts).sort(([, one], [, other]) => other - one);
  return most === undefined ? null : most[0];
}

function placeOf(numbers: ComparedNumbers, order: ComparedPart['order'], currency: string | null): number {
  if (order !== 'value') return numbers[order];
  const found = numbers.values.find((each) => each.currency === currency);
  return found === undefined ? 0 : found.value - found.refunded;
}
