import type {ConversionValue, Link, VariantStats} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {csvLink} from '../files/csv-file.ts';
import {named} from '../forms/rules.ts';
import {html, type Html} from '../html.ts';
import {card} from '../parts/pieces.ts';
import {numberTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {addValues, countOf, ofSite} from './conversions.ts';
import {spanParameters} from './span.ts';
import type {Statistics} from './statistics.ts';

/** A variant with what the site has recorded. */
interface Measured {
  readonly name: string;
  readonly visits: number;
  readonly conversions: number;
  /** The bounds of its rate. */
  readonly interval: readonly [low: number, high: number];
  readonly values: readonly ConversionValue[];
}

/** Of 95 % of the normal distribution. */
const z = 1.959964;

/** Wilson's 95 % interval of a rate. It needs no large numbers. */
export function wilson(successes: number, trials: number): readonly [low: number, high: number] {
  if (trials === 0) return [0, 1];
  // A visitor may buy twice.
  const rate = Math.min(successes, trials) / trials;
  const squared = z ** 2 / trials;
  const middle = rate + squared / 2;
  const half = z * Math.sqrt((rate * (1 - rate) + squared / 4) / trials);
  return [Math.max(0, (middle - half) / (1 + squared)), Math.min(1, (middle + half) / (1 + squared))];
}

export function measured({name, visits, conversions: all}: VariantStats): Measured {
  const conversions = countOf(all);
  return {name, visits, conversions, interval: wilson(conversions, visits), values: addValues(ofSite(all))};
}

/** The variant with the best rate; undefined while its interval overlaps that of the next. */
export function winner(variants: readonly Measured[]): string | undefined {
  const rate = ({conversions, visits}: Measured): number => conversions / visits;
  const [best, next] = variants
    .filter(({name, visits}) => visits > 0 && name !== 'other')
    .toSorted((one, other) => rate(other) - rate(one));
  return best && next && best.interval[0] > next.interval[1] ? best.name : undefined;
}

/** The variants of a link side by side; undefined if it has none. */
export function variantTable(request: DashboardRequest, link: Link, read: Statistics): Html | undefined {
  if (read.variants === undefined) return undefined;
  const {texts, formats, hasConversions, root} = request;
  const {variants: words} = texts;
  const rows = read.variants.map(measured);
  const urls = new Map([['A', link.originalUrl], ...named(link.rules).map(({name = '', url}) => [name, url] as const)]);
  const best = winner(rows);
  const table = numberTable(
    'links-values links-compared',
    [
      {
        name: words.variant,
        cell: ({name}: Measured) =>
          html`<bdi>${name}</bdi> <span class="links-quiet"><bdi>${urls.get(name) ?? ''}</bdi></span>`,
      },
      {name: texts.visits.title, cell: ({visits}) => formats.number(visits)},
      hasConversions && {name: texts.conversions.title, cell: ({conversions}) => formats.number(conversions)},
      hasConversions && {name: texts.conversions.rate, cell: (row) => formats.rate(row.conversions, row.visits)},
      hasConversions && {
        name: words.interval,
        cell: ({visits, interval}) =>
          visits === 0 ? '–' : interval.map((bound) => formats.rate(bound, 1)).join(' – '),
      },
      hasConversions && {
        name: words.perVisit,
        cell: ({values, visits}) =>
          values.map(({value, refunded, currency}) => {
            return html`<div>${formats.money(Math.round((value - refunded) / Math.max(1, visits)), currency)}</div>`;
          }),
      },
    ],
    rows,
  );
  const csv = withQuery(`${root}variants.csv`, {short_url: link.shortUrl, ...spanParameters(read.span)});
  return card(
    'variants',
    words.title,
    html`${hasConversions && html`<p class="links-strong">${best === undefined ? words.early : words.wins(best)}</p>`}
      <p class="links-hint">${words.hint}</p>
      <div class="links-fitted">${table}</div>
      <p>${csvLink(request, csv)}</p>`,
  );
}
