import type {ConversionStats, SiteStats, StatsQuery, VisitStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {visitsChart} from './chart.ts';
import {conversionTable} from './conversions.ts';
import {type StatsByDay, statsByDay} from './days.ts';
import {visitDetails} from './details.ts';

type Stats = VisitStats | SiteStats;

/** The statistics of a link, an account or the site. */
export interface Statistics<Read extends Stats = Stats> {
  readonly all: Read;
  readonly byDay: StatsByDay;
  /** Those of the days in `byDay`. */
  readonly conversions: readonly ConversionStats[];
}

/** @param span how many days are shown; today is the last */
export async function readStatistics<Read extends Stats>(
  {hasConversions, today}: DashboardRequest,
  span: number,
  read: (query?: StatsQuery) => Promise<Read>,
): Promise<Statistics<Read>> {
  const all = await read();
  const byDay = statsByDay(hasConversions ? all.days : all.days.map(withoutConversions), span, today);
  const shown = byDay.conversions === 0 ? undefined : await read({from: byDay.days[0]?.date});
  return {all, byDay, conversions: shown?.conversions ?? []};
}

/** The totals, the chart, the conversions and the details. */
export function statistics(
  request: DashboardRequest,
  {all, byDay, conversions}: Statistics,
  totals: ReadonlyArray<readonly [name: string, value: string]>,
): Html {
  const {texts, formats, hasConversions} = request;
  const inSpan = [[texts.conversions.title, formats.number(byDay.conversions)]] as const;
  return html`<dl class="links-counts">
      ${[...totals, ...(hasConversions ? inSpan : [])].map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${visitsChart(request, byDay)} ${conversionTable(request, conversions, byDay.visits)}
    ${'details' in all && visitDetails(request, all)}`;
}

/** Of a site that had the option `attribution` once. */
function withoutConversions({date, visits}: Stats['days'][number]): Stats['days'][number] {
  return {date, visits, conversions: 0};
}
