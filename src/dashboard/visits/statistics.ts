import type {ConversionStats, SiteStats, StatsQuery, VisitStats} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {attributes, html, type Html} from '../html.ts';
import {property} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';
import {sparkline, visitsChart} from './chart.ts';
import {conversionTable} from './conversions.ts';
import {type StatsByDay, statsByDay} from './days.ts';
import {visitDetails} from './details.ts';
import {datesBefore, hasSpan, periodBefore, periodOf, type Span, spanIn, spanParameters} from './span.ts';
import {type SpanPage, spanChooser} from './span-chooser.ts';

type Stats = VisitStats | SiteStats;

export interface Statistics<Read extends Stats = Stats> {
  readonly all: Read;
  readonly span: Span;
  readonly byDay: StatsByDay;
  /** The days before, as many; undefined if statistics do not reach so far back. */
  readonly before: (StatsByDay & {readonly period: string}) | undefined;
  /** Those of the span. */
  readonly conversions: readonly ConversionStats[];
}

/** Names and values that are not of the span. */
type Totals = ReadonlyArray<readonly [name: string, value: string]>;

interface Shown {
  readonly page: SpanPage;
  readonly totals: Totals;
  /** The address of the file with the visits. */
  readonly csv?: string;
  /** A link to another page with the same span. */
  readonly more?: {readonly path: string; readonly text: string};
}

export async function readStatistics<Read extends Stats>(
  request: DashboardRequest,
  read: (query?: StatsQuery) => Promise<Read>,
): Promise<Statistics<Read>> {
  const {hasConversions, query, today} = request;
  const span = spanIn(query, today);
  const all = await read();
  // The site may have had the option `attribution` once.
  const days = hasConversions ? all.days : all.days.map((day) => ({...day, conversions: 0, values: []}));
  const byDay = statsByDay(days, span.dates);
  const before = datesBefore(span, today);
  const shown = byDay.conversions === 0 ? undefined : await read(span.query);
  return {
    all,
    span,
    byDay,
    before: before && {...statsByDay(days, before), period: periodBefore(request, span, before)},
    conversions: shown?.conversions ?? [],
  };
}

/** First the statistics of the span, then those of all time. */
export function statistics(
  request: DashboardRequest,
  {all, span, byDay, before, conversions}: Statistics,
  {page, totals, csv, more}: Shown,
): Html {
  const {texts, formats, hasConversions} = request;
  const {visits, conversions: words} = texts;
  const ofSpan = (name: string, count: number, earlier: number | undefined): Html => {
    if (earlier === undefined || before === undefined) return property(name, formats.number(count));
    const change = formats.change(earlier, count);
    const number = `${formats.number(earlier)}${change === undefined ? '' : ` (${change})`}`;
    return property(name, formats.number(count), `${before.period}: ${number}`);
  };
  const total = all.conversions.reduce((sum, each) => sum + each.conversions, 0);
  return html`<div class="links-title">
      <h2 id="links-visits-title">${visits.title}</h2>
      ${csv !== undefined && html`<a class="links-small-link" href="${csv}" download>${visits.csv}</a>`}
    </div>
    ${spanChooser(request, span, page)}
    <dl class="links-counts">
      ${ofSpan(visits.title, byDay.visits, before?.visits)}
      ${hasConversions && ofSpan(words.title, byDay.conversions, before?.conversions)}
    </dl>
    ${visitsChart(request, byDay, periodOf(request, span))} ${conversionTable(request, conversions, byDay.visits)}
    ${more && html`<p><a href="${withQuery(request.root + more.path, spanParameters(span))}">${more.text}</a></p>`}
    <h3>${visits.allTime}</h3>
    <dl class="links-counts">
      ${totals.map(([name, value]) => property(name, value))}
      ${hasConversions && property(words.title, formats.number(total))}
    </dl>
    ${'details' in all && visitDetails(request, all)}`;
}

/** The statistics of all links of an account or the site: one line with a small chart, which opens. */
export function overview(request: DashboardRequest, read: Statistics, shown: Shown): Html {
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
