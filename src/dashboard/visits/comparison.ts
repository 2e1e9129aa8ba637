import type {ComparisonOrder, ConversionStats} from '../../index.ts';
import {currencyCode} from '../../values/shapes.ts';
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
  /** Undefined for conversions of all names. */
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** Whether tags are compared instead of links. */
  readonly isByTag: boolean;
}

const isName = new RegExp(`^[a-z0-9_]{1,${limits.name}}$`);

export function comparisonIn({query, today, hasConversions}: DashboardRequest): AskedComparison {
  const currency = query.get('currency');
  return {
    span: spanIn(query, today),
    filter: filterIn(query),
    order: hasConversions ? comparisonOrders.find((each) => each === query.get('order')) : 'visits',
    name: isName.exec(query.get('name') ?? '')?.[0],
    currency: currencyCode.holds(currency) ? currency : undefined,
    isByTag: query.get('by') === 'tag',
  };
}

/** The part of a comparison that the shortener reads. */
export function comparisonQuery({span, filter, order, name, currency}: AskedComparison) {
  return {...span.query, ...conditionsIn(filter), order, name, currency};
}

/** The address of a comparison, or of its file. */
export function comparisonAddress(
  path: string,
  {span, filter, order, name, currency, isByTag}: AskedComparison,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const by = isByTag ? 'tag' : undefined;
  return withQuery(path, {...spanParameters(span), ...filter, order, name, currency, by, ...changes});
}

/** The most telling order for what the site has recorded. */
export function usualOrder(all: readonly ConversionStats[]): ComparisonOrder {
  const conversions = ofSite(all);
  if (conversions.some(({value}) => value > 0)) return 'value';
  return conversions.length > 0 ? 'conversions' : 'visits';
}
