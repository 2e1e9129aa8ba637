import type {Bases} from '../../link/bases.ts';
import {readFields} from '../../values/input.ts';
import {malformed, reader} from '../../values/shape.ts';
import {choice} from '../../values/shapes.ts';
import type {AccountStatsQuery} from '../account-info.ts';
import {
  type Filter,
  filterReaders,
  isFilter,
  type Matches,
  namesIn,
  pageReaders,
  placeIn,
  readLimit,
  toMatches,
  usualLimit,
  wordOf,
} from '../list/query.ts';
import type {CompareQuery, ComparisonOrder} from './compared.ts';
import {readConversionName, readCurrency} from './conversion-names.ts';
import {type Span, spanReaders, toSpan} from './visit-stats.ts';

/** The order of a comparison, and the part to read. */
export interface ComparedPart {
  readonly order: ComparisonOrder;
  readonly name: string | undefined;
  /** Undefined for the one with the most conversions. */
  readonly currency: string | null | undefined;
  readonly limit: number;
  /** How many rows are before the part. */
  readonly after: number;
}

/** Conditions that the links must meet whose numbers are added up or compared. */
export interface SummedLinks {
  readonly matches: Matches;
  /** A word of the search or of the tag, as in `Store.getMany`. */
  readonly word: string | undefined;
  /** Whether there are any conditions. */
  readonly isFiltered: boolean;
  readonly span: Span | undefined;
}

/**
 * Reads the days and the conditions of the statistics of an account.
 *
 * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
 */
export function readSumQuery(query: AccountStatsQuery, bases: Bases): SummedLinks {
  return toSum(readFields(query, 'Statistics are read with', sumReaders), bases);
}

/**
 * Reads the days, the conditions, the order and the part of a comparison.
 *
 * @throws ShortUrlError `malformed_parameter` or `unknown_parameter`
 */
export function readCompareQuery(
  query: CompareQuery,
  bases: Bases,
): SummedLinks & {readonly part: ComparedPart; readonly id: string} {
  const {
    order = 'visits',
    name,
    currency,
    limit,
    cursor,
    ...conditions
  } = readFields(query, 'Links are compared by', compareReaders);
  const after = cursor === undefined ? 0 : placeIn(cursor, 'row')?.[0];
  if (after === undefined) throw malformed('The cursor must be the `next_cursor` of the page before.');
  const {from, until, status, tag, search} = conditions;
  return {
    ...toSum(conditions, bases),
    part: {order, name, currency, limit: readLimit(limit, usualLimit), after},
    id: JSON.stringify([from, until, status, tag, search]),
  };
}

function toSum({from, until, ...filter}: Filter & Partial<Span>, bases: Bases): SummedLinks {
  const names = namesIn(filter.search, bases);
  return {
    matches: toMatches(filter, names),
    word: names.length > 0 ? undefined : wordOf(filter),
    isFiltered: isFilter(filter),
    span: toSpan({...(from !== undefined && {from}), ...(until !== undefined && {until})}),
  };
}

const {status, tag, search} = filterReaders;
const sumReaders = {...spanReaders, status, tag, search};

export const comparisonOrder = choice<ComparisonOrder>(['visits', 'conversions', 'value']);

const compareReaders = {
  ...sumReaders,
  order: reader(comparisonOrder, 'order'),
  name: readConversionName,
  currency: (value: unknown) => (value === null ? null : readCurrency(value)),
  ...pageReaders,
};
