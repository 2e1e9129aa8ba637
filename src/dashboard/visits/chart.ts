import {attributes, html, type Html} from '../html.ts';
import type {Formats} from '../formats.ts';
import type {DashboardRequest} from '../request.ts';
import type {DayStats} from '../../index.ts';
import {roundUp, type StatsByDay} from './days.ts';
import {emptyState} from '../parts/pieces.ts';
import {type Columns, numberTable} from '../parts/tables.ts';

const width = 300;
const height = 100;

/**
 * The visits and conversions by day as a chart, with a table in a closed `<details>`; a sentence if there are none. The
 * style sheet shows the numbers of a day that is pointed at, or touched, which focuses it.
 */
export function visitsChart({texts, formats, today}: DashboardRequest, byDay: StatsByDay, period: string): Html {
  const {days, visits, conversions, busiest} = byDay;
  const words = texts.visits;
  if (visits === 0 && conversions === 0) return emptyState(words.none(period));
  const most = words.busiest(formats.date(busiest.date), formats.number(busiest.visits));
  const dates = days.filter((_, index) => [0, days.length >> 1, days.length - 1].includes(index));
  const titles = days.map((day) =>
    [
      `${formats.date(day.date)}: ${formats.count(day.visits, words.count)}`,
      ...(conversions > 0 ? [formats.count(day.conversions, texts.conversions.count)] : []),
    ].join(', '),
  );
  return html`<figure class="links-chart">
    <figcaption>${words.inPeriod(formats.count(visits, words.count), period)} ${visits > 0 && most}</figcaption>
    <div class="links-plot" aria-hidden="true">
      <div class="links-days">
        ${titles.map((text) => html`<span ${attributes({tabindex: -1, 'data-text': text})}></span>`)}
      </div>
      ${plot(
        formats,
        'links-first',
        days.map((day) => day.visits),
      )}
      ${
        conversions > 0 &&
        html`<p class="links-plot-name">${texts.conversions.title}</p>
          ${plot(
            formats,
            'links-second',
            days.map((day) => day.conversions),
          )}`
      }
      <div class="links-dates">
        ${dates.map(({date}) => html`<span>${date === today ? words.today : formats.day(date)}</span>`)}
      </div>
    </div>
    ${dayTable({texts, formats}, byDay)}
  </figure>`;
}

/** Bars with their scale. */
function plot(formats: Formats, place: string, counts: readonly number[]): Html {
  const top = roundUp(Math.max(...counts));
  const step = width / counts.length;
  return html`<div class="links-scale ${place}">
      <span>${formats.number(top)}</span>${top > 1 && html`<span>${formats.number(top / 2)}</span>`}<span>0</span>
    </div>
    <svg class="${place}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" focusable="false">
      <path class="links-grid" d="M0 .5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}" />
      ${counts.map((count, index) => {
        const high = (count / top) * height;
        const x = {x: round((index + 0.15) * step), width: round(step * 0.7)};
        const y = {y: round(height - high), height: round(high)};
        return count > 0 && html`<rect ${attributes({class: 'links-bar', ...x, ...y})} />`;
      })}
    </svg>`;
}

/** Leaves out the empty days if the span is long. */
function dayTable(
  {texts, formats}: Pick<DashboardRequest, 'texts' | 'formats'>,
  {days, conversions}: StatsByDay,
): Html {
  const shown = days.length > 30 ? days.filter((day) => day.visits + day.conversions > 0) : days;
  const {day: name, title, asTable} = texts.visits;
  const columns: Columns<DayStats> = [
    {
      name: name(formats.timeZone),
      cell: ({date}) => html`<time datetime="${date}">${formats.date(date)}</time>`,
    },
    {name: title, cell: (day) => formats.number(day.visits)},
    conversions > 0 && {name: texts.conversions.title, cell: (day) => formats.number(day.conversions)},
  ];
  return html`<details class="links-more">
    <summary>${asTable}</summary>
    ${numberTable('links-plain', columns, shown.toReversed())}
  </details>`;
}

/** A small chart of the visits by day; undefined if there are no visits. */
export function sparkline(
  {texts, formats}: DashboardRequest,
  {days, visits: total, busiest}: StatsByDay,
  period: string,
): Html | undefined {
  if (total === 0) return undefined;
  const label = texts.visits.inPeriod(formats.count(total, texts.visits.count), period);
  const bars = days.map(({visits}, index) => {
    const high = Math.max(2, (visits / busiest.visits) * 24);
    return (
      visits > 0 && html`<rect ${attributes({x: index * 4, y: round(24 - high), width: 3, height: round(high)})} />`
    );
  });
  return html`<svg class="links-sparkline" viewBox="0 0 ${days.length * 4} 24" role="img" aria-label="${label}">
    <path class="links-grid" d="M0 23.5H${days.length * 4}" />
    <g class="links-bar">${bars}</g>
  </svg>`;
}

/** A bar below a name, beside its number. */
export function shareBar(share: number): Html {
  return html`<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="links-reach" width="100" height="4" />
    <rect class="links-bar" ${attributes({width: Math.round(share * 100), height: 4})} />
  </svg>`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
