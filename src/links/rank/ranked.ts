import {ShortUrlError} from '../../errors.ts';
import {formatCursor, parseCursor} from '../read/cursor.ts';

/** The maximum number of links, or of accounts, that are put in order. */
export const maxRanked = 10_000;

/** How many rows of a page are looked up at once. */
const atOnce = 200;

/** How many rows are sorted into those that are in order already. */
const sortedAtOnce = 1000;

/**
 * A place in an order: what is compared, the most first, and then an id. One that is a number rises with the time of
 * creation, and the newest is first. One that is a text is in the order of the alphabet.
 */
// A type, because an interface is not `Plain`.
export type Place = {
  readonly values: readonly number[];
  readonly id: number | string;
};

export interface RankedPart<Ranking extends string = string> {
  readonly ranking: Ranking;
  readonly limit: number;
  readonly after: Place | undefined;
}

export interface RankedPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/**
 * A page of rows that may be a minute old. It begins behind a place, not behind a number of rows, so rows that come and go
 * between two pages move none of the others.
 *
 * @param find what is at some rows now; undefined for what is not there any more
 */
export async function readRanked<Row, Item>(
  rows: readonly Row[],
  {ranking, limit, after}: RankedPart,
  placeOf: (row: Row) => Place,
  find: (rows: readonly Row[]) => Promise<ReadonlyArray<Item | undefined>>,
): Promise<RankedPage<Item>> {
  const all = rows.map((row) => ({row, place: placeOf(row)}));
  const rest = after === undefined ? all : all.filter(({place}) => compare(after, place) < 0);
  rest.sort((one, other) => compare(one.place, other.place));
  const items: Item[] = [];
  let end: Place = {values: [], id: 0};
  for (let start = 0; start < rest.length; start += atOnce) {
    const some = rest.slice(start, start + atOnce);
    for (const [index, item] of (await find(some.map(({row}) => row))).entries()) {
      if (item === undefined) continue;
      // There is one more, so the page is not the last.
      if (items.length === limit) return {items, nextCursor: formatCursor(ranking, ...end.values, end.id)};
      items.push(item);
      end = some[index]?.place ?? end;
    }
  }
  return {items, nextCursor: undefined};
}

/** Keeps the first of many rows in an order, behind a place, in bounded memory. */
export class FirstRows<Row> {
  readonly #max: number;
  readonly #placeOf: (row: Row) => Place;
  readonly #after: Place | undefined;
  #kept: Array<{readonly row: Row; readonly place: Place}> = [];
  #sorted = 0;
  /** The place of the last row that is kept, once there are more than that. */
  #last: Place | undefined;

  constructor(max: number, placeOf: (row: Row) => Place, after: Place | undefined) {
    this.#max = max;
    this.#placeOf = placeOf;
    this.#after = after;
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const place = this.#placeOf(row);
      const isBehind = this.#after === undefined || compare(this.#after, place) < 0;
      if (isBehind && (this.#last === undefined || compare(place, this.#last) < 0)) this.#kept.push({row, place});
    }
    // Sorting a few rows into many blocks the event loop for about a millisecond.
    if (this.#kept.length - this.#sorted >= sortedAtOnce) this.#sort();
  }

  all(): Row[] {
    this.#sort();
    return this.#kept.map(({row}) => row);
  }

  #sort(): void {
    this.#kept.sort((one, other) => compare(one.place, other.place));
    if (this.#kept.length >= this.#max) {
      this.#kept.length = this.#max;
      this.#last = this.#kept.at(-1)?.place;
    }
    this.#sorted = this.#kept.length;
  }
}

export function countBehind<Row>(rows: readonly Row[], placeOf: (row: Row) => Place, after: Place): number {
  return rows.filter((row) => compare(after, placeOf(row)) < 0).length;
}

/** The place in a cursor; undefined if it is none of this order. */
export function placeIn(cursor: unknown, ranking: string): Place | undefined {
  const {order, place = []} = parseCursor(cursor) ?? {};
  const values = place.slice(0, -1).filter((value) => typeof value === 'number');
  const id = place.at(-1);
  return order === ranking && id !== undefined && values.length === place.length - 1 ? {values, id} : undefined;
}

/**
 * The value of a last visit in an order. Imported visits may have no time: they come after all times, and before no visits.
 *
 * @param at milliseconds since the epoch, or 0
 */
export function lastVisitRank(at: number, visits: number): number {
  return at === 0 && visits > 0 ? 1 : at;
}

function compare(one: Place, other: Place): number {
  for (const [index, value] of one.values.entries()) {
    const difference = (other.values[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  if (typeof one.id === 'number' && typeof other.id === 'number') return other.id - one.id;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

/** @param hint what to do about it */
export function tooMany(what: 'Links' | 'Accounts', hint: string, max = maxRanked): ShortUrlError {
  return new ShortUrlError('too_many_links', `${what} are put in this order up to ${max}, and there are more. ${hint}`);
}
