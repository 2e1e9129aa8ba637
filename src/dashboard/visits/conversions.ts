import type {ConversionStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {numberTable} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';

/** Conversions with their share of the visits and the sum of their values; undefined if there are none. */
export function conversionTable(
  {texts: {conversions: words}, formats}: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
): Html | undefined {
  if (conversions.length === 0) return undefined;
  const rows = conversions.map(({name, conversions: count, value}) => [
    name,
    formats.number(count),
    formats.rate(count, visits),
    formats.number(value),
  ]);
  return numberTable('links-plain', [words.title, words.number, words.rate, words.value], rows);
}

/** The same in a line. */
export function conversionLine(
  {formats}: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
): Html {
  const items = conversions.map(
    ({name, conversions: count}) =>
      html`<span>
        ${formats.number(count)} ${name} <span class="links-quiet">(${formats.rate(count, visits)})</span>
      </span>`,
  );
  return html`<div class="links-conversions">${items.length === 0 ? formats.number(0) : items}</div>`;
}
