import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {spans, type VisitsByDay} from './days.ts';
import {emptyState} from '../parts/pieces.ts';

const width = 300;
const height = 100;

/** The heading of the visits, with a link to them as a file. */
export function visitsTitle({texts}: DashboardRequest, csv: string, spans?: Html): Html {
  return html`<div class="links-title">
    <h2 id="links-visits-title">${texts.visits.title}</h2>
    ${spans}
    <a class="links-small-link" href="${csv}" download>${texts.visits.csv}</a>
  </div>`;
}

/** The visits by day as a chart, with a table in a closed `<details>`; a sentence if there are no visits. */
export function visitsChart(
  {texts, formats}: DashboardRequest,
  {days, total, busiest, top}: VisitsByDay,
  details?: Html,
): Html {
  if (total === 0) {
    return html`${emptyState(texts.visits.none(formats.number(days.length)), texts.visits.noneHint)} ${details}`;
  }
  const {visits} = texts;
  const period = visits.inDays(formats.count(total, visits.count), formats.number(days.length));
  const most = visits.busiest(formats.date(busiest.date), formats.number(busiest.visits));
  const [first, middle] = [days[0], days[Math.floor(days.length / 2)]];
  return html`<figure class="links-chart">
    <figcaption>${period} ${most}</figcaption>
    <div class="links-plot" aria-hidden="true">
      <div class="links-scale">
        <span>${formats.number(top)}</span>${top > 1 && html`<span>${formats.number(top / 2)}</span>`}<span>0</span>
      </div>
      <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" focusable="false">
        <path class="links-grid" d="M0 .5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}" />
        ${days.map(({date, visits: count}, index) => bar(`${formats.date(date)}: ${formats.count(count, visits.count)}`, count / top, index, days.length))}
      </svg>
      <div class="links-dates">
        <span>${first && formats.day(first.date)}</span><span>${middle && formats.day(middle.date)}</span
        ><span>${visits.today}</span>
      </div>
    </div>
    ${dayTable({texts, formats}, days)} ${details}
  </figure>`;
}

function bar(title: string, share: number, index: number, count: number): Html {
  const step = width / count;
  const high = share * height;
  const reach = {class: 'links-reach', x: round(index * step), y: 0, width: round(step), height};
  const drawn = {class: 'links-bar', x: round(index * step + step * 0.15), width: round(step * 0.7)};
  return html`<g
    ><title>${title}</title><rect ${attributes(reach)} />${
      share > 0 && html`<rect ${attributes({...drawn, y: round(height - high), height: round(high)})} />`
    }</g
  >`;
}

/** Leaves out the days without visits if the span is long. */
function dayTable({texts, formats}: Pick<DashboardRequest, 'texts' | 'formats'>, days: VisitsByDay['days']): Html {
  const shown = days.length > 30 ? days.filter(({visits}) => visits > 0) : days;
  return html`<details class="links-more">
    <summary>${texts.visits.asTable}</summary>
    <table class="links-plain">
      <thead>
        <tr>
          <th scope="col">${texts.visits.day(formats.timeZone)}</th>
          <th scope="col" class="links-number">${texts.visits.title}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.toReversed().map(
          ({date, visits}) =>
            html`<tr>
              <th scope="row"><time datetime="${date}">${formats.date(date)}</time></th>
              <td class="links-number">${formats.number(visits)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;
}

/** Links to the other spans of the same page. */
export function spanLinks(
  {texts, formats}: DashboardRequest,
  chosen: number,
  addressOf: (days: string) => string,
): Html {
  const links = spans.map((span) => {
    const current = attributes({
      href: `${addressOf(String(span))}#links-visits`,
      'aria-current': span === chosen && 'true',
    });
    return html`<li><a ${current}>${formats.count(span, texts.visits.days)}</a></li>`;
  });
  return html`<nav class="links-spans" aria-label="${texts.visits.span}">
    <ul>
      ${links}
    </ul>
  </nav>`;
}

/** A small chart of the visits by day; undefined if there are no visits. */
export function sparkline({texts, formats}: DashboardRequest, {days, total, busiest}: VisitsByDay): Html | undefined {
  if (total === 0) return undefined;
  const label = texts.visits.inDays(formats.count(total, texts.visits.count), formats.number(days.length));
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

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
