import type {AccountStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {visitsByDay} from './days.ts';
import {visitsChart, visitsTitle} from './chart.ts';
import {visitDetails} from './details.ts';

/** The visits of all links of the account. */
export function overview(request: DashboardRequest, stats: AccountStats): Html {
  const {texts, formats, today} = request;
  const {visits} = texts;
  const figure = (name: string, value: string): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  return html`<section class="links-card links-overview" id="links-visits" aria-labelledby="links-visits-title">
    ${visitsTitle(request, `${request.root}visits.csv`)}
    <dl class="links-counts">
      ${figure(texts.home.links, formats.number(stats.links))}
      ${figure(visits.inAll, formats.number(stats.totalVisits))}
      ${figure(visits.last(formats.timeZone), formats.lastVisit(stats, visits.never))}
    </dl>
    ${visitsChart(request, visitsByDay(stats.days, 30, today), visitDetails(request, stats))}
  </section>`;
}
