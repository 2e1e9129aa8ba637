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
  const details = visitDetails(request, stats);
  return html`<section class="links-card" id="links-visits" aria-labelledby="links-visits-title">
    ${visitsTitle(request, `${request.root}visits.csv`)}
    <dl class="links-counts">
      <div>
        <dt>${texts.home.links}</dt>
        <dd>${formats.number(stats.links)}</dd>
      </div>
      <div>
        <dt>${visits.inAll}</dt>
        <dd>${formats.number(stats.totalVisits)}</dd>
      </div>
      <div>
        <dt>${visits.last(formats.timeZone)}</dt>
        <dd>${formats.lastVisit(stats, visits.never)}</dd>
      </div>
    </dl>
    ${visitsChart(request, visitsByDay(stats.days, 30, today))}
    ${
      details &&
      html`<details class="links-more">
        <summary>${texts.details.title}</summary>
        ${details}
      </details>`
    }
  </section>`;
}
