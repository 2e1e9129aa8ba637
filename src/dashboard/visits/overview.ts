import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {sparkline} from './chart.ts';
import {hasSpan, periodOf} from './span.ts';
import {type Statistics, statistics} from './statistics.ts';

/** The statistics of all links of an account or the site: one line with a small chart, which opens. */
export function overview(request: DashboardRequest, read: Statistics, shown: Parameters<typeof statistics>[2]): Html {
  const {texts, formats, query} = request;
  const {visits} = texts;
  const {byDay, span} = read;
  return html`<section class="links-card links-overview" id="links-visits" aria-labelledby="links-visits-title">
    <details ${attributes({class: 'links-more', open: hasSpan(query)})}>
      <summary>
        ${formats.count(byDay.visits, visits.count)} · ${formats.count(byDay.days.length, visits.days)}
        ${sparkline(request, byDay, periodOf(request, span))}
      </summary>
      ${statistics(request, read, shown)}
    </details>
  </section>`;
}
