import {parseCursor} from '../read/cursor.ts';
import {TagCount, type TagNumbers} from '../read/tags.ts';
import type {ComparedNumbers, Comparison, ComparisonOrder} from '../read/listed-links.ts';
import type {ConversionStats} from '../stats/statistics.ts';
import {addConversions, countOf, valuesOf} from '../stats/visit-stats.ts';
import type {LinkRow} from './link-rows.ts';
import {type Place, readRanked} from './ranked.ts';
import {choice, currencyCode} from '../../values/shape.ts';

export interface ComparedPart extends Omit<ComparedOrder, 'currency'> {
  /** Undefined for the one with the most conversions. */
  readonly currency: string | null | undefined;
  readonly limit: number;
  readonly after: Place | undefined;
}

interface ComparedOrder {
  readonly by: 'link' | 'account' | keyof typeof groupings;
  readonly order: ComparisonOrder;
  /** The only name of conversions; undefined for all. */
  readonly name: string | undefined;
  readonly currency: string | null;
}

/** The groups of a link, by what they are grouped by. A link is in none, one or several. */
const groupings = {
  tag: ({tags}: LinkRow): readonly string[] => tags,
  source: ({utm}: LinkRow) => listed(utm?.source),
  medium: ({utm}: LinkRow) => listed(utm?.medium),
  campaign: ({utm}: LinkRow) => listed(utm?.campaign),
};

export const grouping = choice(Object.keys(groupings) as ReadonlyArray<keyof typeof groupings>);

function listed(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

export interface Compared<Item> {
  readonly comparison: Comparison;
  readonly items: readonly Item[];
}

export function groupsOf(
  rows: readonly LinkRow[],
  {by, name}: {readonly by: keyof typeof groupings; readonly name: string | undefined},
): TagNumbers[] {
  const groups = new TagCount();
  for (const row of rows) groups.add(groupings[by](row), numbersOf(row, name));
  return groups.all();
}

type Counted = Pick<LinkRow, 'visits' | 'conversions'>;

/**
 * @param numbers of the rows, or of groups of them
 * @param find what they are now; undefined for what is not there any more
 */
export async function compareRows<Row extends ComparedNumbers & Pick<Place, 'id'>, Item>(
  rows: readonly Counted[],
  {currency: asked, limit, after, ...part}: ComparedPart,
  numbers: readonly Row[],
  find: (rows: readonly Row[]) => Promise<ReadonlyArray<Item | undefined>>,
): Promise<Compared<Item>> {
  const conversions = addConversions(rows.flatMap((row) => row.conversions));
  const currency = asked === undefined ? usualCurrency(conversions, part.name) : asked;
  const {items, nextCursor} = await readRanked(
    numbers,
    {ranking: rankingOf({...part, currency}), limit, after},
    (row) => ({values: valuesIn(row, part.order, currency), id: row.id}),
    find,
  );
  const visits = rows.reduce((sum, row) => sum + row.visits, 0);
  return {items, comparison: {links: rows.length, visits, conversions, currency, nextCursor}};
}

export function rankingOf({by, order, name = '', currency}: ComparedOrder): string {
  return [by, order, name, ...(order === 'value' ? [currency ?? ''] : [])].join(':');
}

/** The currency of a cursor; undefined if it is of another order than by value. */
export function currencyIn(cursor: unknown): string | null | undefined {
  const [, order, , currency] = parseCursor(cursor)?.order.split(':') ?? [];
  if (order !== 'value') return undefined;
  return currency === '' ? null : currencyCode.holds(currency) ? currency : undefined;
}

/** @param name the only name of conversions; undefined for all */
export function numbersOf({visits, conversions}: Counted, name: string | undefined): ComparedNumbers {
  const counted = name === undefined ? conversions : conversions.filter((each) => each.name === name);
  return {
    visits,
    conversions: countOf(counted),
    values: valuesOf(counted),
  };
}

/** The currency with the most conversions of the site that were worth something, or else one of refunds. */
function usualCurrency(conversions: readonly ConversionStats[], name: string | undefined): string | null {
  const worth = conversions.filter(
    (each) =>
      each.recordedBy === 'site' && each.value + each.refunded > 0 && (name === undefined || each.name === name),
  );
  const counts = new Map<string | null, number>();
  for (const {currency, conversions: n} of worth) counts.set(currency, (counts.get(currency) ?? 0) + n);
  const [most] = Array.from(counts).sort(([, one], [, other]) => other - one);
  return most === undefined ? null : most[0];
}

function valuesIn(numbers: ComparedNumbers, order: ComparisonOrder, currency: string | null): number[] {
  const {visits, conversions, values} = numbers;
  if (order !== 'value') return [numbers[order], conversions, visits];
  const found = values.find((each) => each.recordedBy === 'site' && each.currency === currency);
  return [found === undefined ? 0 : found.value - found.refunded, conversions, visits];
}
