import type {ConversionStats, ConversionValue} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {csvLink, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';

/** What conversions were worth, without what was refunded, and before refunds beside it if there are some. */
export function amount(
  {texts: {conversions: words}, formats}: DashboardRequest,
  {currency, value, refunded}: ConversionValue,
): Html {
  const net = formats.money(value - refunded, currency);
  const before = words.beforeRefunds(formats.money(value, currency));
  return html`${net}${refunded > 0 && html` <span class="links-quiet">(${before})</span>`}`;
}

/** Amounts in several currencies. */
export function amounts(request: DashboardRequest, values: readonly ConversionValue[]): Html {
  return html`${values.map((value, index) => html`${index > 0 && html`<br />`}${amount(request, value)}`)}`;
}

/** How many conversions there are, whatever their name. */
export function countOf(conversions: readonly ConversionStats[]): number {
  return conversions.reduce((sum, each) => sum + each.conversions, 0);
}

/** Adds up what was worth something, by currency: values of two currencies are never added. */
export function addValues(values: readonly ConversionValue[]): ConversionValue[] {
  const sums = new Map<string | null, ConversionValue>();
  for (const {currency, value, refunded} of values) {
    const sum = sums.get(currency) ?? {currency, value: 0, refunded: 0};
    sums.set(currency, {currency, value: sum.value + value, refunded: sum.refunded + refunded});
  }
  return Array.from(sums.values());
}

/**
 * Conversions with their share of the visits and the sum of their values; undefined if there are none.
 *
 * @param csv the address of the file with them
 */
export function conversionTable(
  request: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
  csv?: string,
): Html | undefined {
  if (conversions.length === 0) return undefined;
  const {conversionName, formats} = request;
  const {conversions: words} = request.texts;
  const rows = conversions.map((each) => [
    conversionName(each.name),
    formats.number(each.conversions),
    formats.rate(each.conversions, visits),
    amount(request, each),
  ]);
  return html`${numberTable('links-plain', [words.title, words.number, words.rate, words.value], rows)}
  ${csv !== undefined && html`<p>${csvLink(request, csv)}</p>`}`;
}

/** Conversions by name with their share of the visits, in a line. */
export function conversionLine(
  {conversionName, formats}: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
): Html {
  const counts = new Map<string, number>();
  for (const {name, conversions: count} of conversions) counts.set(name, (counts.get(name) ?? 0) + count);
  const items = Array.from(
    counts,
    ([name, count]) =>
      html`<span>
        ${formats.number(count)} ${conversionName(name)}
        <span class="links-quiet">(${formats.rate(count, visits)})</span>
      </span>`,
  );
  return html`<div class="links-conversions">${items.length === 0 ? formats.number(0) : items}</div>`;
}
