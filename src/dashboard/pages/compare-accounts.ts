import type {AccountComparison, ComparedAccount, ComparisonOrder} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {csvFile, csvFormOf, csvLines, csvLink} from '../files/csv-file.ts';
import {attributes, html, type Html} from '../html.ts';
import {isTooMany} from '../list/order.ts';
import {type FoundPage, pager, placeIn, readPage} from '../list/pager.ts';
import {accountLink, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest, FileReply, Handler, RedirectReply} from '../request.ts';
import {shareBar} from '../visits/chart.ts';
import {comparisonIn, comparisonOrders} from '../visits/comparison.ts';
import {conversionTable, hasAmount} from '../visits/conversions.ts';
import {FigureColumns} from '../visits/csv.ts';
import {spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';

const pageLength = 50;

/** How many accounts of a file are read at once. */
const fileLength = 1000;

const path = 'compare-accounts';

/** The operator's page with the accounts in the order of what their links had in a span. */
export const compareAccounts: Handler = async (request) => {
  const {texts, shortener, query, root, hasConversions} = request;
  const {span, order = hasConversions ? 'value' : 'visits', currency} = comparisonIn(request);
  const parameters = {order, currency};
  const asked = {...span.query, order, currency};
  const parts: AccountComparison[] = [];
  const found = await readPage<ComparedAccount>(placeIn(query), pageLength, async (part) => {
    const read = await shortener.admin.compareAccounts({...asked, ...part});
    parts.push(read);
    return {items: read.accounts, nextCursor: read.nextCursor};
  }).catch((error: unknown) => {
    if (!isTooMany(error)) throw error;
    return undefined;
  });
  const [first] = parts;
  const addressOf = (changes: Readonly<Record<string, string | undefined>>): string =>
    withQuery(root + path, {...spanParameters(span), ...parameters, ...changes});
  const address = withQuery(`${root}accounts.csv`, {...spanParameters(span), order, currency});
  return {
    status: span.isRefused ? 400 : undefined,
    title: texts.accounts.compare,
    content: html`<p class="links-back"><a href="${root}accounts">← ${texts.tabs.accounts}</a></p>
      <h1>${texts.accounts.compare}</h1>
      <section class="links-card" id="links-visits" aria-label="${texts.accounts.compare}">
        ${spanChooser(request, span, {path, parameters})}
        ${
          first && found
            ? html`${currencies(request, first, addressOf)}
                ${conversionTable(request, hasConversions ? first.conversions : [], {visits: first.visits, currency: first.currency})}
                <p>${csvLink(request, address)}</p>
                ${await rows(request, found, {order, currency: first.currency, addressOf})}`
            : html`<p>${texts.list.tooMany}</p>`
        }
      </section>
      ${found && pager(texts, found, {address: root + path, parameters: {...parameters, ...spanParameters(span)}, label: texts.list.pages})}`,
  };
};

type AddressOf = (changes: Readonly<Record<string, string | undefined>>) => string;

interface Shown {
  readonly order: ComparisonOrder;
  readonly currency: string | null;
  readonly addressOf: AddressOf;
}

function currencies(
  {texts, hasConversions}: DashboardRequest,
  {conversions, currency}: AccountComparison,
  addressOf: AddressOf,
): Html | undefined {
  const all = [...new Set(conversions.flatMap((each) => (hasAmount(each) ? (each.currency ?? []) : [])))].toSorted();
  if (!hasConversions || all.length < 2) return undefined;
  return html`<nav class="links-spans" aria-label="${texts.compare.currency}">
    <ul>
      ${all.map((each) => html`<li><a ${attributes({href: addressOf({currency: each}), 'aria-current': each === currency && 'true'})}>${each}</a></li>`)}
    </ul>
  </nav>`;
}

async function rows(
  request: DashboardRequest,
  {items}: FoundPage<ComparedAccount>,
  {order, currency, addressOf}: Shown,
): Promise<Html> {
  const {texts, formats, hasConversions} = request;
  const names = {
    visits: texts.visits.title,
    conversions: texts.conversions.title,
    value: texts.conversions.value,
  };
  const heads = comparisonOrders.map((each) => ({
    label: names[each],
    content: html`<a href="${addressOf({order: each})}">${names[each]}</a>`,
    isSorted: each === order,
  }));
  const net = ({values}: ComparedAccount): number => {
    const found = values.find((each) => each.currency === currency);
    return found === undefined ? 0 : found.value - found.refunded;
  };
  const measure = (row: ComparedAccount): number => (order === 'value' ? Math.max(0, net(row)) : row[order]);
  const most = Math.max(1, ...items.map(measure));
  const cells = items.map(async (row) => [
    html`${await accountLink(request, row.account)} ${shareBar(measure(row) / most)}`,
    formats.number(row.links),
    formats.number(row.visits),
    ...(hasConversions
      ? [formats.number(row.conversions), row.values.length > 0 ? formats.money(net(row), currency) : '']
      : []),
  ]);
  const columns = [texts.operator.account, texts.tabs.links, ...(hasConversions ? heads : heads.slice(0, 1))];
  return html`<div class="links-fitted">
    ${numberTable('links-values links-compared', columns, await Promise.all(cells))}
  </div>`;
}

/** All accounts with what their links had in a span, in one file. */
export const accountsCsv: Handler = async (request): Promise<FileReply | RedirectReply> => {
  const {shortener, texts, root} = request;
  const {span, order, currency} = comparisonIn(request);
  const {from, until} = span.query;
  const accounts: ComparedAccount[] = [];
  let cursor: string | undefined;
  do {
    const part = {...span.query, order, currency, limit: fileLength, cursor};
    const read = await shortener.admin.compareAccounts(part).catch((error: unknown) => {
      if (!isTooMany(error)) throw error;
      return undefined;
    });
    // The page says so.
    if (read === undefined) return {location: withQuery(root + path, spanParameters(span))};
    accounts.push(...read.accounts);
    cursor = read.nextCursor;
  } while (cursor !== undefined);
  const figures = new FigureColumns(
    request,
    accounts.flatMap(({values}) => values),
  );
  const header = [
    texts.operator.account,
    texts.accounts.created,
    texts.tabs.links,
    texts.visits.from,
    texts.visits.until,
    ...figures.headings,
  ];
  const lines = accounts.map((each) => [each.account, each.created, each.links, from, until, ...figures.cells(each)]);
  return csvFile([csvLines(csvFormOf(request), [header, ...lines])], `accounts-${from}-${until}.csv`);
};
