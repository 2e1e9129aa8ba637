import {reader, readOptions} from '../../values/input.ts';
import {choice} from '../../values/shape.ts';
import type {AccountCompareQuery, AccountStatsQuery} from '../account-info.ts';
import {conditionReaders, type Filter, isFilter, pageReaders, readPlace, usualLimit} from '../read/query.ts';
import {type ComparedPart, currencyIn, rankingOf} from '../rank/comparison.ts';
import type {AskedRows} from '../rank/link-rows.ts';
import type {CompareQuery, ComparisonOrder} from '../read/listed-links.ts';
import {readConversionName, readCurrency} from './conversion-names.ts';
import {allStats, type AskedStats, type Span, spanReaders, statsReaders, toSpan} from './visit-stats.ts';

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readSumQuery(query: AccountStatsQuery): AskedStats & {readonly filter: Filter | undefined} {
  const {from, until, include, ...filter} = readOptions(query, 'Statistics are read with', {
    ...sumReaders,
    ...statsReaders,
  });
  return {
    filter: isFilter(filter) ? filter : undefined,
    span: toSpan({from, until}),
    include: include ?? allStats.include,
  };
}

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readCompareQuery<By extends ComparedPart['by']>(
  query: CompareQuery,
  by: By,
): {readonly asked: Pick<AskedRows, 'filter' | 'span'>; readonly part: ComparedPart & {readonly by: By}} {
  const {
    order = 'visits',
    name,
    currency: given,
    limit = usualLimit,
    cursor,
    from,
    until,
    ...filter
  } = readOptions(query, 'Links are compared by', compareReaders);
  // The currency with the most conversions may be another one since the page before.
  const currency = given === undefined ? currencyIn(cursor) : given;
  const after = readPlace(cursor, rankingOf({by, order, name, currency: currency ?? null}));
  return {
    asked: {filter, span: toSpan({from, until})},
    part: {by, order, name, currency, limit, after},
  };
}

/** @throws ShortUrlError `malformed_parameter` or `unknown_parameter` */
export function readAccountComparison(query: AccountCompareQuery): {
  readonly span: Span | undefined;
  readonly part: ComparedPart;
} {
  readOptions(query, 'Accounts are compared by', accountReaders);
  const {asked, part} = readCompareQuery(query, 'account');
  return {span: asked.span, part};
}

const sumReaders = {...spanReaders, ...conditionReaders};

export const comparisonOrder = choice<ComparisonOrder>(['visits', 'conversions', 'value']);

const accountReaders = {
  ...spanReaders,
  order: reader(comparisonOrder, 'order'),
  name: readConversionName,
  currency: (value: unknown, name: string) => (value === null ? null : readCurrency(value, name)),
  ...pageReaders,
};

const compareReaders = {...sumReaders, ...accountReaders};
