import type {ComparisonOrder, ConversionStats} from '../../index.ts';
import {currencyCode} from '../../values/shape.ts';
import {withQuery} from '../addresses.ts';
import {limits} from '../generated/limits.ts';
import {conditionsIn, type Filter, filterIn} from '../list/search.ts';
import type {DashboardRequest} from '../request.ts';
import {ofSite} from './conversions.ts';
import {type Span, spanIn, spanParameters} from './span.ts';

export const comparisonOrders: readonly ComparisonOrder[] = ['visits', 'conversions', 'value'];

/** What a query asks to compare. */
export interface AskedComparison {
  readonly span: Span;
  readonly filter: Filter;
  /** Undefined if the query has none. */
  readonly order: ComparisonOrder | undefined;
  /** The name of the conversions to count, or `allNames`; undefined if the query has none. */
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** What is compared instead of links: groups of them. */
  readonly by: Grouping | undefined;
}

/** What links are grouped by. */
export const groupings = ['tag', 'source', 'medium', 'campaign'] as const;
export type Grouping = (typeof groupings)[number];

/** Conversions of all names. No name has the character. */
export const allNames = '*';

const isName = new RegExp(`^(?:[a-z0-9_]{1,${limits.name}}|\\*)$`);

export function comparisonIn({query, today, hasConversions}: DashboardRequest): AskedComparison {
  const currency = query.get('currency');
  return {
    span: spanIn(query, today),
    filter: filterIn(query),
    order: hasConversions ? comparisonOrders.find((each) => each === query.get('order')) : 'visits',
    name: isName.exec(query.get('name') ?? '')?.[0],
    currency: currencyCode.holds(currency) ? currency : undefined,
    by: groupings.find((each) => each === query.get('by')),
  };
}

/** The part of a comparison that the shortener reads. */
export function comparisonQuery({span, filter, order, name, currency}: AskedComparison) {
  return {...span.query, ...conditionsIn(filter), order, name: name === allNames ? undefined : name, currency};
}

/** The parameters of a comparison but for the days. */
export function comparisonParameters({filter, order, name, currency, by}: AskedComparison) {
  const conditions = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  return {...conditions, order, name, currency, by};
}

/** The address of a comparison, or of its file. */
export function comparisonAddress(
  path: string,
  asked: AskedComparison,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  return withQuery(path, {...spanParameters(asked.span), ...comparisonParameters(asked), ...changes});
}

/** The most telling order for what the site has recorded. */
export function usualOrder(all: readonly ConversionStats[]): ComparisonOrder {
  const conversions = ofSite(all);
  if (conversions.some(({value}) => value > 0)) return 'value';
  return conversions.length > 0 ? 'conversions' : 'visits';
}
