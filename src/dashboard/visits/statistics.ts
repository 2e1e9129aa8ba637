import type {
  ConversionStats,
  ConversionValue,
  DayStats,
  LinkStats,
  SharedFigure,
  SiteStats,
  StatsQuery,
  VisitStats,
} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {attributes, type Content, html, type Html} from '../html.ts';
import type {Filter} from '../list/search.ts';
import {csvLink} from '../files/csv-file.ts';
import {property} from '../parts/pieces.ts';
import {shareForm, type Subject} from '../parts/share.ts';
import type {DashboardRequest} from '../request.ts';
import {sparkline, visitsChart} from './chart.ts';
import {
  addValues,
  conversionTable,
  countOf,
  isSame,
  netAmount,
  ofApi,
  refundsOf,
  sharedFigures,
} from './conversions.ts';
import {type StatsByDay, statsByDay} from './days.ts';
import {visitDetails} from './details.ts';
import {chosenSpan, datesBefore, hasSpan, periodBefore, periodOf, type Span, spanIn, spanParameters} from './span.ts';
import {type SpanPage, spanChooser} from './span-chooser.ts';

type Stats = VisitStats | SiteStats;

export interface Statistics<Read extends Stats = Stats> {
  readonly all: Read;
  readonly span: Span;
  readonly byDay: StatsByDay;
  /** The days before, as many; undefined if statistics do not reach so far back. */
  readonly before: (StatsByDay & {readonly period: string; readonly sums: readonly ConversionStats[]}) | undefined;
  /** Those of the span. */
  readonly conversions: readonly ConversionStats[];
  /** Those of the months of the span; undefined if they were not read. */
  readonly details: VisitStats['details'] | undefined;
  /** The variants of a link in these months. */
  readonly variants: LinkStats['variants'];
}

/** Names and values that are not of the span. */
type Totals = ReadonlyArray<readonly [name: string, value: Content]>;

interface Shown {
  readonly page: SpanPage;
  readonly totals: Totals;
  /** The parameters of the files with the numbers; undefined if there are none. */
  readonly files?: Readonly<Record<string, string | undefined>>;
  /** What a visit is, where that is not usual. */
  readonly note?: string | undefined;
  /** Whose numbers the user may share. */
  readonly subject?: Subject | undefined;
}

interface Overview extends Omit<Shown, 'files'> {
  /** The filter of the links; undefined if the statistics are not of an account. */
  readonly filter?: Filter;
  /** How many links match the filter; undefined without one. */
  readonly links?: number | undefined;
}

/** @param isFolded whether the details are not shown until the reader asks for them: then they are not read */
export async function readStatistics<Read extends Stats>(
  request: DashboardRequest,
  read: (query: StatsQuery) => Promise<Read>,
  isFolded = false,
): Promise<Statistics<Read>> {
  const {hasConversions, query, today} = request;
  const span = spanIn(query, today);
  const before = datesBefore(span, today);
  const [all, shown, earlier] = await Promise.all([
    read({include: []}),
    read({...span.query, include: isFolded ? ['days'] : ['days', 'details']}),
    before && read({from: before[0], until: before.at(-1), include: ['days']}),
  ]);
  // The site may have had the option `attribution` once.
  const daysOf = ({days}: Read): readonly DayStats[] =>
    hasConversions ? days : days.map((day) => ({...day, conversions: 0, values: []}));
  return {
    all,
    span,
    byDay: statsByDay(daysOf(shown), span.dates),
    before: before &&
      earlier && {
        ...statsByDay(daysOf(earlier), before),
        period: periodBefore(request, span, before),
        sums: hasConversions ? earlier.conversions : [],
      },
    conversions: hasConversions ? shown.conversions : [],
    details: isFolded ? undefined : 'details' in shown ? shown.details : {},
    variants: 'variants' in shown ? (shown as LinkStats).variants : undefined,
  };
}

/**
 * The sums of the span, beside those of the days before.
 *
 * @param csv the address of the file with the conversions
 */
export function spanCounts(
  request: DashboardRequest,
  {byDay, before, conversions}: Statistics,
  {csv, show = sharedFigures}: {readonly csv?: string | undefined; readonly show?: readonly SharedFigure[]} = {},
): Html {
  const {texts, formats, hasConversions} = request;
  const {visits, conversions: words} = texts;
  const beside = (name: string, now: string, then: string, change: string | undefined): Html =>
    property(name, now, before && `${before.period}: ${then}${change === undefined ? '' : ` (${change})`}`);
  const ofSpan = (name: string, count: number, earlier = 0): Html =>
    beside(name, formats.number(count), formats.number(earlier), formats.change(earlier, count));
  const net = (each: ConversionValue): number => each.value - each.refunded;
  const earlier = addValues(before?.days.flatMap(({values}) => values) ?? []);
  const worth = addValues(byDay.days.flatMap(({values}) => values));
  return html`<dl class="links-counts">
      ${show.includes('visits') && ofSpan(visits.title, byDay.visits, before?.visits)}
      ${hasConversions && show.includes('conversions') && ofSpan(words.title, byDay.conversions, before?.conversions)}
      ${worth.map((value) => {
        const other = earlier.find((each) => isSame(each, value)) ?? {...value, value: 0, refunded: 0};
        const name = `${words.value}${value.recordedBy === 'account' ? ofApi : ''}`;
        const change = formats.change(net(other), net(value));
        return beside(name, netAmount(request, value), netAmount(request, other), change);
      })}
    </dl>
    ${
      conversions.length > 0
        ? conversionTable(request, conversions, {visits: byDay.visits, csv, show})
        : refundsOf(
            request,
            worth.map((each) => [words.value, each]),
          )
    }`;
}

/** First the statistics of the span, then those of all time. */
export function statistics(
  request: DashboardRequest,
  read: Statistics,
  {page, totals, files, note, subject}: Shown,
): Html {
  const {texts, formats, hasConversions, root} = request;
  const {all, span, byDay} = read;
  const {visits, conversions: words} = texts;
  const file = (path: string): string | undefined =>
    files && withQuery(root + path, {...files, ...spanParameters(span)});
  return html`<div class="links-title">
      <h2 id="links-visits-title">${visits.title}</h2>
      ${csvLink(request, file('visits.csv'))}
    </div>
    ${note !== undefined && html`<p class="links-hint">${note}</p>`} ${spanChooser(request, span, page)}
    ${spanCounts(request, read, {csv: file('conversions.csv')})} ${visitsChart(request, byDay, periodOf(request, span))}
    ${detailsOf(request, read, page, file('details.csv'))}
    <h3>${visits.allTime}</h3>
    <dl class="links-counts">
      ${totals.map(([name, value]) => property(name, value))}
      ${hasConversions && property(words.title, formats.number(countOf(all.conversions)))}
    </dl>
    ${subject && request.hasShares && shareForm(request, subject)}`;
}

/** The details, or a link to the page with them. */
function detailsOf(
  request: DashboardRequest,
  {details, span}: Statistics,
  page: SpanPage,
  csv?: string,
): Html | undefined {
  if (details !== undefined) return visitDetails(request, {details, span}, csv);
  const {texts, root} = request;
  const address = withQuery(`${root}${page.path}`, {...page.parameters, ...spanParameters(span)});
  return html`<p><a href="${address}#links-visits">${texts.details.title}</a></p>`;
}

/** The tag, if it is the only condition. */
function tagAlone({tag, ...others}: Filter): Subject | undefined {
  return tag !== '' && Object.values(others).every((each) => each === '') ? {tag} : undefined;
}

/**
 * The statistics of all links of an account or the site, or of those that match: one line with a small chart, which opens,
 * and a link that compares the links.
 */
export function overview(request: DashboardRequest, read: Statistics, {filter, links, ...shown}: Overview): Html {
  const {texts, formats, query, root} = request;
  const {visits, list, compare} = texts;
  const {byDay, span} = read;
  const parts = [
    ...(links === undefined ? [] : [formats.count(links, list.matching)]),
    formats.count(byDay.visits, visits.count),
    ...(byDay.conversions > 0 ? [formats.count(byDay.conversions, texts.conversions.count)] : []),
    formats.count(byDay.days.length, visits.days),
  ];
  return html`<section class="links-card links-overview" id="links-visits" aria-labelledby="links-visits-title">
    <details ${attributes({class: 'links-more', open: hasSpan(query)})}>
      <summary>${parts.join(' · ')} ${sparkline(request, byDay, periodOf(request, span))}</summary>
      ${statistics(request, read, {...shown, ...(filter && {files: {...filter}, subject: tagAlone(filter)})})}
    </details>
    ${filter && html`<a class="links-to-compare" href="${withQuery(`${root}compare`, {...filter, ...chosenSpan(request)})}">${compare.title}</a>`}
  </section>`;
}
