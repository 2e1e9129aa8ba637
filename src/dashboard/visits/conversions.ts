import type {ConversionStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** Conversions with their share of the visits and the sum of their values; undefined if there are none. */
export function conversionTable(
  {texts: {conversions: words}, formats}: DashboardRequest,
  conversions: readonly ConversionStats[],
  visits: number,
): Html | undefined {
  if (conversions.length === 0) return undefined;
  return html`<table class="links-plain">
    <thead>
      <tr>
        <th scope="col">${words.title}</th>
        ${[words.number, words.rate, words.value].map((name) => html`<th scope="col" class="links-number">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${conversions.map(
        ({name, conversions: count, value}) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td class="links-number">${formats.number(count)}</td>
            <td class="links-number">${formats.rate(count, visits)}</td>
            <td class="links-number">${formats.number(value)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
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
