import type {ComparedNumbers, ComparisonOrder} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {numberTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {shareBar} from './chart.ts';
import {comparisonOrders} from './comparison.ts';
import {ofSite} from './conversions.ts';

/** A row of a comparison: a link, an account, or a group of links. */
export interface Ranked extends ComparedNumbers {
  readonly name: Html;
  /** How many links it has. */
  readonly links?: number;
}

interface Ranking {
  /** What the rows are. */
  readonly title: string;
  /** The name of the conversions that are counted. */
  readonly conversions?: string | undefined;
  readonly order: ComparisonOrder;
  readonly currency: string | null;
  readonly addressOf: (order: ComparisonOrder) => string;
}

/** Rows with bars for what they are ordered by. The headings lead to the other orders. */
export function rankedTable(request: DashboardRequest, ranking: Ranking, rows: readonly Ranked[]): Html {
  const {texts, formats, hasConversions} = request;
  const {title, order, currency, addressOf} = ranking;
  const {title: conversions, rate, value} = texts.conversions;
  const names = {visits: texts.visits.title, conversions: ranking.conversions ?? conversions, value};
  const [visitsHead, conversionsHead, valueHead] = comparisonOrders.map((each) => ({
    name: hasConversions ? html`<a href="${addressOf(each)}">${names[each]}</a>` : names[each],
    label: names[each],
    isSorted: hasConversions && each === order,
  })) as [Head, Head, Head];
  const net = (row: Ranked): number => {
    const found = ofSite(row.values).find((each) => each.currency === currency);
    return found === undefined ? 0 : found.value - found.refunded;
  };
  const measure = (row: Ranked): number => (order === 'value' ? Math.max(0, net(row)) : row[order]);
  const most = Math.max(1, ...rows.map(measure));
  const table = numberTable(
    'links-values links-compared',
    [
      {name: title, cell: (row: Ranked) => html`${row.name} ${shareBar(measure(row) / most)}`},
      rows.some(({links}) => links !== undefined) && {
        name: texts.tabs.links,
        cell: ({links = 0}) => formats.number(links),
      },
      {...visitsHead, cell: ({visits}) => formats.number(visits)},
      hasConversions && {...conversionsHead, cell: (row) => formats.number(row.conversions)},
      hasConversions && {name: rate, cell: (row) => formats.rate(row.conversions, row.visits)},
      hasConversions && {
        ...valueHead,
        cell: (row) => (row.values.length > 0 ? formats.money(net(row), currency) : ''),
      },
    ],
    rows,
  );
  return html`<div class="links-fitted">${table}</div>`;
}

interface Head {
  readonly name: Html | string;
  readonly label: string;
  readonly isSorted: boolean;
}
