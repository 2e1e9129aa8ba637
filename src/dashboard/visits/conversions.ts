import type {ConversionStats, ConversionValue, SharedFigure} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {csvLink, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';

/**
 * The name that people read. Those of API calls of the account are its own, whatever the site calls its conversions of that
 * name.
 */
function nameOf({conversionName}: DashboardRequest, {name, recordedBy}: Pick<ConversionStats, 'name' | 'recordedBy'>) {
  return recordedBy === 'site' ? conversionName(name) : `${name}${ofApi}`;
}

const ofApi = ' (API)';

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
  const byName = new Map<string, ConversionStats[]>();
  for (const each of conversions)
    byName.set(nameOf(request, each), [...(byName.get(nameOf(request, each)) ?? []), each]);
  const rows = Array.from(byName, ([name, all]) => {
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
  const counts = new Map<string, number>();
  for (const each of conversions) {
    const name = nameOf(request, each);
    counts.set(name, (counts.get(name) ?? 0) + each.conversions);
  }
  const items = Array.from(
    counts,
    ([name, count]) =>
      html`<span>
        ${formats.number(count)} ${name}
        <span class="links-quiet">(${formats.rate(count, visits)})</span>
      </span>`,
  );
  return html`<div class="links-conversions">${items.length === 0 ? formats.number(0) : items}</div>`;
}
