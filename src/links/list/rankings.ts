import {countersKey, linkKey} from '../../records.ts';
import {ShortUrlError} from '../../errors.ts';
import type {LinkName} from '../../link/bases.ts';
import {conversionCounter, visitsCounter} from '../../link/counters.ts';
import type {RankedOrder} from './listed-links.ts';
import {isListed, type LinkRecord} from '../../link/record.ts';
import type {Store} from '../../store/port.ts';
import {readConversionNames} from '../stats/conversion-names.ts';
import {Remembered} from '../remembered.ts';
import type {LinkList} from './link-index.ts';
import {readList} from './list.ts';

/** The maximum number of links, or of accounts, that are put in order. */
export const maxRanked = 10_000;

/** The maximum number of lists whose order is remembered. */
const maxLists = 20;

/** How many links, or accounts, of a page are looked up at once. */
const atOnce = 200;

/** A place in an order: what is compared, and an id that rises with the time of creation, because several may be equal. */
export interface Place {
  readonly value: number;
  readonly id: number;
}

interface Ranked extends Place {
  readonly name: LinkName;
}

interface Wanted {
  readonly ranking: RankedOrder;
  readonly list: LinkList;
}

/** The part of a ranked list to read. */
export interface RankedPart<Ranking = RankedOrder> {
  readonly ranking: Ranking;
  readonly limit: number;
  readonly after: Place | undefined;
}

/** Lists in the order of their visits or conversions. They are sorted on request, so a visit writes nothing for them. */
export class Rankings {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #lists: Remembered<readonly Ranked[]>;

  constructor({store, now}: {readonly store: Store; readonly now: () => number}) {
    this.#store = store;
    this.#now = now;
    this.#lists = new Remembered(maxLists, now);
  }

  /** @throws ShortUrlError `too_many_links` */
  async page(
    list: LinkList,
    {ranking, limit, after}: RankedPart,
    matches: (record: LinkRecord, now: number) => boolean,
  ): Promise<{readonly records: readonly LinkRecord[]; readonly end: Place | undefined}> {
    const sorted = await this.#lists.get(`${ranking} ${list.name}`, () => this.#sort({ranking, list}));
    const at = this.#now();
    const find = async (links: readonly Ranked[]): Promise<Array<LinkRecord | undefined>> => {
      const entries = await this.#store.getMany<LinkRecord>(links.map(({name}) => linkKey(name)));
      return entries.map((entry, index) => {
        // Another link may have the name since.
        if (entry === undefined || entry.value.id !== links[index]?.id) return undefined;
        return isListed(entry.value) && matches(entry.value, at) ? entry.value : undefined;
      });
    };
    const {items, end} = await pageOf(sorted, {limit, after}, find);
    return {records: items, end};
  }

  async #sort({ranking, list}: Wanted): Promise<readonly Ranked[]> {
    const links: Ranked[] = [];
    const rank = async (records: LinkRecord[]): Promise<Ranked[]> => {
      const values = await this.#valuesOf(ranking, records);
      return records.map(({domain, slug, id}, index) => ({name: {domain, slug}, id, value: values[index] ?? 0}));
    };
    for await (const {items} of readList(this.#store, list, rank)) {
      links.push(...items);
      if (links.length > maxRanked) throw tooMany('Links');
    }
    return links.sort(compare);
  }

  async #valuesOf(ranking: RankedOrder, records: readonly LinkRecord[]): Promise<number[]> {
    if (ranking === 'conversions') return countFirstConversions(this.#store, records);
    const visits = await this.#store.getCounters(records.map(countersKey), [visitsCounter]);
    return visits.map(({counts, at = 0}) => (ranking === 'visits' ? (counts.get(visitsCounter) ?? 0) : at));
  }
}

/**
 * How many conversions of the first name each link has had: the name that the site recorded first, or else the first of
 * the account's API calls. A sum over all names would add up steps of one sale, such as registration and order.
 */
async function countFirstConversions(store: Store, records: readonly LinkRecord[]): Promise<number[]> {
  const generations = Array.from(new Set(records.map(({generation}) => generation)));
  const counters = new Map<string, readonly string[]>();
  await Promise.all(
    generations.map(async (generation) => {
      const [first, ...others] = await readConversionNames(store, generation);
      if (first === undefined) return;
      // In each currency.
      const same = others.filter(({recordedBy, name}) => recordedBy === first.recordedBy && name === first.name);
      counters.set(
        generation,
        [first, ...same].map((name) => conversionCounter('count', name)),
      );
    }),
  );
  if (counters.size === 0) return records.map(() => 0);
  const wanted = Array.from(new Set(Array.from(counters.values()).flat()));
  const found = await store.getCounters(records.map(countersKey), wanted);
  return records.map(({generation}, index) => {
    const counts = (counters.get(generation) ?? []).map((counter) => found[index]?.counts.get(counter) ?? 0);
    return counts.reduce((sum, count) => sum + count, 0);
  });
}

/**
 * A page of an order that may be a minute old.
 *
 * @param find what is at some places now; undefined for what is not there any more
 * @returns `end` is undefined on the last page
 */
export async function pageOf<At extends Place, Item>(
  sorted: readonly At[],
  {limit, after}: Pick<RankedPart, 'limit' | 'after'>,
  find: (places: readonly At[]) => Promise<ReadonlyArray<Item | undefined>>,
): Promise<{readonly items: readonly Item[]; readonly end: Place | undefined}> {
  const rest = after === undefined ? sorted : sorted.filter((place) => compare(after, place) < 0);
  const items: Item[] = [];
  let end: Place | undefined;
  for (let start = 0; start < rest.length; start += atOnce) {
    const places = rest.slice(start, start + atOnce);
    for (const [index, item] of (await find(places)).entries()) {
      if (item === undefined) continue;
      // There is one more, so the page is not the last.
      if (items.length === limit) return {items, end};
      items.push(item);
      end = places[index];
    }
  }
  return {items, end: undefined};
}

/** The most first; of equal ones the newest. */
export function compare(one: Place, other: Place): number {
  return other.value - one.value || other.id - one.id;
}

/** @param what the plural, in upper case */
export function tooMany(what: string): ShortUrlError {
  return new ShortUrlError(
    'too_many_links',
    `${what} are put in this order up to ${maxRanked}, and there are more. Use the order \`newest\` or \`oldest\`.`,
  );
}
