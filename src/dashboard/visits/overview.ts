import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {sparkline, visitsTitle} from './chart.ts';
import {type Statistics, statistics} from './statistics.ts';

/** How many days an overview shows. */
export const overviewDays = 30;

/**
 * The statistics of all links of an account or the site: one line with a small chart, which opens.
 *
 * @param csv the address of the file with the visits
 */
export function overview(
  request: DashboardRequest,
  read: Statistics,
  totals: ReadonlyArray<readonly [name: string, value: string]>,
  csv?: string,
): Html {
  const {texts, formats} = request;
  const {visits} = texts;
  const {byDay} = read;
  return html`<section class="links-card links-overview" id="links-visits" aria-labelledby="links-visits-title">
    <details class="links-more">
      <summary>
        ${formats.count(byDay.visits, visits.count)} · ${formats.count(byDay.days.length, visits.days)}
        ${sparkline(request, byDay)}
      </summary>
      ${visitsTitle(request, csv)} ${statistics(request, read, totals)}
    </details>
  </section>`;
}
