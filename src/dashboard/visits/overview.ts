import type {AccountStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {visitsByDay} from './days.ts';
import {sparkline, visitsChart, visitsTitle} from './chart.ts';
import {visitDetails} from './details.ts';

/** The visits of all links of the account: one line with a small chart, which opens. */
export function overview(request: DashboardRequest, stats: AccountStats): Html {
  const {texts, formats, today} = request;
  const {visits} = texts;
  const figure = (name: string, value: string): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const byDay = visitsByDay(stats.days, 30, today);
  return html`<section class="links-card links-overview" id="links-visits" aria-labelledby="links-visits-title">
    <details class="links-more">
      <summary>
        ${formats.count(byDay.total, visits.count)} · ${formats.count(byDay.days.length, visits.days)}
        ${sparkline(request, byDay)}
      </summary>
      ${visitsTitle(request, `${request.root}visits.csv`)}
      <dl class="links-counts">
        ${figure(texts.home.links, formats.number(stats.links))}
        ${figure(visits.inAll, formats.number(stats.totalVisits))}
        ${figure(visits.last(formats.timeZone), formats.lastVisit(stats, visits.never))}
      </dl>
      ${visitsChart(request, byDay, visitDetails(request, stats))}
    </details>
  </section>`;
}
