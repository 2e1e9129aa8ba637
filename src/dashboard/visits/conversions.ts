import type {ConversionStats, ConversionValue, SharedFigure} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {csvLink} from '../files/csv-file.ts';
import {numberTable} from '../parts/pieces.ts';
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

const ofApi = ' (API)';

/** The entries of each name, in all currencies. */
function byName(request: DashboardRequest, conversions: readonly ConversionStats[]): Map<string, ConversionStats[]> {
  const names = new Map<string, ConversionStats[]>();
  for (const each of conversions) {
    const name = nameOf(request, each);
    names.set(name, [...(names.get(name) ?? []), each]);
  }
  return names;
}

/** What conversions were worth, without what was refunded, and before refunds beside it if there are some. */
export function amount(
  {texts: {conversions: words}, formats}: DashboardRequest,
  {currency, value, refunded}: Omit<ConversionValue, 'recordedBy'>,
): Html {
  const net = formats.money(value - refunded, currency);
  const before = words.beforeRefunds(formats.money(value, currency));
  return html`${net}${refunded > 0 && html` <span class="links-quiet">(${before})</span>`}`;
}

/** Amounts in several currencies. */
export function amounts(request: DashboardRequest, values: readonly ConversionValue[]): Html {
  return html`${values.map(
    (value, index) =>
      html`${index > 0 && html`<br />`}${amount(request, value)}${value.recordedBy === 'account' && ofApi}`,
  )}`;
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
  readonly csv: string | undefined;
  readonly show?: readonly SharedFigure[];
}

/**
 * Conversions by name, with their share of the visits and their values, by currency; undefined if there are none.
 *
 * @param shown the visits, the address of the file with the conversions, and what to show
 */
export function conversionTable(
  request: DashboardRequest,
  conversions: readonly ConversionStats[],
  {visits, csv, show = sharedFigures}: ShownConversions,
): Html | undefined {
  if (conversions.length === 0) return undefined;
  const {formats} = request;
  const {conversions: words} = request.texts;
  const rows = Array.from(byName(request, conversions), ([name, all]) => {
    const count = all.reduce((sum, each) => sum + each.conversions, 0);
    return [
      name,
      formats.number(count),
      ...(show.includes('visits') ? [formats.rate(count, visits)] : []),
      ...(show.includes('amounts') ? [html`${all.map((each) => html`<div>${amount(request, each)}</div>`)}`] : []),
    ];
  });
  const columns = [
    words.title,
    words.number,
    ...(show.includes('visits') ? [words.rate] : []),
    ...(show.includes('amounts') ? [words.value] : []),
  ];
  return html`<div class="links-fitted">${numberTable('links-plain links-sums links-by-name', columns, rows)}</div>
    ${csv !== undefined && html`<p>${csvLink(request, csv)}</p>`}`;
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
      ${formats.number(count)} ${name}
      <span class="links-quiet">(${formats.rate(count, visits)})</span>
    </span>`;
  });
  return html`<div class="links-conversions">${items.length === 0 ? formats.number(0) : items}</div>`;
}
