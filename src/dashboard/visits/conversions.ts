import type {ConversionStats, ConversionValue, SharedFigure} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {csvLink} from '../files/csv-file.ts';
import {type Columns, numberTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';

/**
 * The name that people read. Those of API calls of the account are its own, whatever the site calls its conversions of that
 * name.
 */
export function nameOf(
  {conversionName}: DashboardRequest,
  {name, recordedBy}: Pick<ConversionStats, 'name' | 'recordedBy'>,
  count?: number,
): string {
  return recordedBy === 'site' ? conversionName(name, count) : `${name}${ofApi}`;
}

export const ofApi = ' (API)';

/** The entries of each name, in all currencies. */
function byName(request: DashboardRequest, conversions: readonly ConversionStats[]): Map<string, ConversionStats[]> {
  const names = new Map<string, ConversionStats[]>();
  for (const each of conversions) {
    const name = nameOf(request, each);
    names.set(name, [...(names.get(name) ?? []), each]);
  }
  return names;
}

type Amount = Pick<ConversionValue, 'currency' | 'value' | 'refunded'>;

export function hasAmount({value, refunded}: Amount): boolean {
  return value > 0 || refunded > 0;
}

/** The currencies of amounts, in alphabetical order. */
export function currenciesOf(conversions: readonly ConversionStats[]): string[] {
  return [...new Set(conversions.flatMap((each) => (hasAmount(each) ? (each.currency ?? []) : [])))].toSorted();
}

/** What conversions were worth, without what was refunded. */
export function netAmount({formats}: DashboardRequest, {currency, value, refunded}: Amount): string {
  return formats.money(value - refunded, currency);
}

/** What was refunded of these amounts, in a closed `<details>`; undefined if nothing was. */
export function refundsOf(
  request: DashboardRequest,
  amounts: ReadonlyArray<readonly [name: string, amount: Amount]>,
): Html | undefined {
  const {texts, formats} = request;
  const {conversions: words} = texts;
  const refunded = amounts.filter(([, amount]) => amount.refunded > 0);
  if (refunded.length === 0) return undefined;
  const line = ([name, amount]: (typeof refunded)[number]): Html => {
    const before = words.beforeRefunds(formats.money(amount.value, amount.currency));
    return html`<p>${name}: ${netAmount(request, amount)} <span class="links-quiet">(${before})</span></p>`;
  };
  return html`<details class="links-more">
    <summary>${words.refunds}</summary>
    ${refunded.map(line)}
  </details>`;
}

/** Whether two amounts may be compared. */
export function isSame(one: Kind, other: Kind): boolean {
  return one.currency === other.currency && one.recordedBy === other.recordedBy;
}

type Kind = Pick<ConversionValue, 'currency' | 'recordedBy'>;

/** Those that the site has recorded, without those of API calls of the account. */
export function ofSite<Each extends Pick<ConversionStats, 'recordedBy'>>(all: readonly Each[]): Each[] {
  return all.filter(({recordedBy}) => recordedBy === 'site');
}

/** How many conversions the site has recorded, whatever their name. */
export function countOf(conversions: readonly ConversionStats[]): number {
  return ofSite(conversions).reduce((sum, each) => sum + each.conversions, 0);
}

/** Adds up what was worth something, by currency and recorder: values of two are never added. */
export function addValues(values: readonly ConversionValue[]): ConversionValue[] {
  const sums = new Map<string, ConversionValue>();
  for (const {currency, recordedBy, value, refunded} of values) {
    const key = `${currency} ${recordedBy}`;
    const sum = sums.get(key) ?? {currency, recordedBy, value: 0, refunded: 0};
    sums.set(key, {currency, recordedBy, value: sum.value + value, refunded: sum.refunded + refunded});
  }
  return Array.from(sums.values());
}

/** All that can be shown. */
export const sharedFigures: readonly SharedFigure[] = ['visits', 'conversions', 'amounts'];

interface ShownConversions {
  readonly visits: number;
  /** The address of the file with the conversions; undefined if there is none. */
  readonly csv?: string | undefined;
  readonly show?: readonly SharedFigure[];
  /** The currency of the amounts that the site has recorded; all of them by default. */
  readonly currency?: string | null | undefined;
}

/** Conversions by name, with their share of the visits and their values; undefined if there are none. */
export function conversionTable(
  request: DashboardRequest,
  conversions: readonly ConversionStats[],
  {visits, csv, show = sharedFigures, currency}: ShownConversions,
): Html | undefined {
  if (conversions.length === 0) return undefined;
  const {formats} = request;
  const {conversions: words} = request.texts;
  const isShown = (each: ConversionStats): boolean =>
    show.includes('amounts') &&
    hasAmount(each) &&
    (currency === undefined || each.currency === currency || each.recordedBy === 'account');
  const names = Array.from(byName(request, conversions));
  const countOfAll = (all: readonly ConversionStats[]): number => all.reduce((sum, each) => sum + each.conversions, 0);
  const columns: Columns<(typeof names)[number]> = [
    {name: words.title, cell: ([name]) => name},
    {name: words.number, cell: ([, all]) => formats.number(countOfAll(all))},
    show.includes('visits') && {name: words.rate, cell: ([, all]) => formats.rate(countOfAll(all), visits)},
    show.includes('amounts') && {
      name: words.value,
      cell: ([, all]) => all.filter(isShown).map((each) => html`<div>${netAmount(request, each)}</div>`),
    },
  ];
  const worth = names.flatMap(([name, all]) => all.filter(isShown).map((each) => [name, each] as const));
  return html`<div class="links-fitted">${numberTable('links-plain links-sums links-by-name', columns, names)}</div>
    ${refundsOf(request, worth)} ${csv !== undefined && html`<p>${csvLink(request, csv)}</p>`}`;
}

/** Conversions by name with their share of the visits, in a line. */
export function conversionLine(
  request: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
): Html {
  const {formats} = request;
  const items = Array.from(byName(request, conversions).values(), (all) => {
    const count = all.reduce((sum, each) => sum + each.conversions, 0);
    const name = all[0] === undefined ? '' : nameOf(request, all[0], count);
    return html`<span>
      ${`${formats.number(count)}\u00a0${name}`}
      <span class="links-quiet">(${formats.rate(count, visits)})</span>
    </span>`;
  });
  return html`<div class="links-conversions">${items.length === 0 ? formats.number(0) : items}</div>`;
}
