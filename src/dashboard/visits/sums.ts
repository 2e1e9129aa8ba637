import type {ConversionStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {type Columns, numberTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {addValues, countOf, hasAmount, ofSite, refundsOf} from './conversions.ts';
import type {StatsByDay} from './days.ts';
import type {Statistics} from './statistics.ts';

/** What is added up. */
export interface AskedSums {
  /** The name of the conversions; undefined for all. */
  readonly name: string | undefined;
  readonly currency: string | null;
}

interface Row {
  readonly name: string;
  readonly now: string;
  readonly then: string;
  readonly change?: string | undefined;
}

/** The sums of a span, those of the days before, and the change. Amounts are those of one currency. */
export function sums(
  request: DashboardRequest,
  {byDay, before, conversions, all}: Pick<Statistics, 'byDay' | 'before' | 'conversions' | 'all'>,
  {name, currency}: AskedSums,
): Html {
  const {texts, formats, hasConversions, conversionName} = request;
  const {compare: words, conversions: names} = texts;
  const partOf = (stats: readonly ConversionStats[]): ConversionStats[] =>
    ofSite(stats).filter((each) => name === undefined || each.name === name);
  const [now, then] = [partOf(conversions), partOf(before?.sums ?? [])];
  const row = (name: string, count: number, earlier: number, show = (value: number) => formats.number(value)): Row => {
    return {name, now: show(count), then: show(earlier), change: formats.change(earlier, count)};
  };
  const [worth, was] = [now, then].map((stats) => addValues(stats).find((each) => each.currency === currency));
  const net = ({value = 0, refunded = 0} = {}): number => value - refunded;
  const rows: Row[] = [row(texts.visits.title, byDay.visits, before?.visits ?? 0)];
  if (hasConversions) {
    rows.push(row(name === undefined ? names.title : conversionName(name), countOf(now), countOf(then)), {
      name: names.rate,
      now: formats.rate(countOf(now), byDay.visits),
      then: formats.rate(countOf(then), before?.visits ?? 0),
    });
  }
  if ([worth, was].some((each) => each && hasAmount(each))) {
    rows.push(row(names.value, net(worth), net(was), (value) => formats.money(value, currency)));
  }
  const range = ({days}: StatsByDay): string => formats.range(days[0]?.date ?? '', days.at(-1)?.date ?? '');
  const ranges = [byDay, ...(before === undefined ? [] : [before])].map(range);
  const [nowRange = '', thenRange = ''] = ranges;
  const columns: Columns<Row> = [
    {name: '', cell: (each) => each.name},
    {name: nowRange, cell: (each) => each.now},
    before !== undefined && {name: thenRange, cell: ({then}) => then},
    before !== undefined && {name: words.change, cell: ({change = ''}) => change},
  ];
  const isPartial = 'isPartial' in all && all.isPartial === true;
  return html`${isPartial && html`<p class="links-hint">${words.partial}</p>`}
    <div class="links-fitted">${numberTable('links-plain links-sums', columns, rows)}</div>
    ${refundsOf(
      request,
      [worth, was].flatMap((each, index) => (each === undefined ? [] : [[ranges[index] ?? '', each] as const])),
    )}`;
}
