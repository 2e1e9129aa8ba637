import type {ComparedNumbers, Comparison, ComparisonOrder, ConversionStats} from '../../index.ts';
import {linkAddress, withoutScheme} from '../addresses.ts';
import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {attributes, html, type Html} from '../html.ts';
import {isTooMany} from '../list/order.ts';
import {type FoundPage, type Pager, pager, placeIn, readPage} from '../list/pager.ts';
import {conditionsIn, isFiltered} from '../list/search.ts';
import {csvLink} from '../files/csv-file.ts';
import {card, emptyState, hiddenInputs, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {shareBar} from '../visits/chart.ts';
import {
  allNames,
  type AskedComparison,
  comparisonAddress,
  comparisonIn,
  comparisonOrders,
  comparisonQuery,
  groupings,
  usualOrder,
} from '../visits/comparison.ts';
import {conversionTable, hasAmount, ofSite} from '../visits/conversions.ts';
import {visitDetails} from '../visits/details.ts';
import {periodOf, spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';
import {sums} from '../visits/sums.ts';
import {readStatistics, type Statistics} from '../visits/statistics.ts';

const pageLength = 20;

/** How many tags are shown below the links. Beyond them, a link leads to all. */
const shownTags = 10;

/** A row of a comparison. */
interface Row extends ComparedNumbers {
  readonly name: Html;
  /** Of a tag. */
  readonly links?: number;
}

type ReadPart = (part: {readonly limit: number; readonly cursor: string | undefined}) => Promise<RowsRead>;

interface RowsRead extends Comparison {
  readonly rows: readonly Row[];
}

/** What is compared, in the order in which it is shown. */
type Shown = AskedComparison & {readonly order: ComparisonOrder};

/** The links and the tags of a span, the most valuable first, with the sums of the span and where its visits come from. */
export const comparePage: Handler = async (request) => {
  const {texts, shortener, account, hasConversions} = request;
  const {compare: words} = texts;
  const asked = comparisonIn(request);
  const {span, filter} = asked;
  const conditions = conditionsIn(filter);
  const [read, first] = await Promise.all([
    readStatistics(request, (query) => shortener.accounts.stats(account, {...conditions, ...query})),
    hasConversions ? shortener.forDashboard.firstConversion() : undefined,
  ]);
  const shown = {...asked, order: asked.order ?? usualOrder(read.conversions), name: asked.name ?? first};
  const compared = await readCompared(request, shown);
  const {currency} = compared?.first.comparison ?? {currency: asked.currency ?? null};
  const name = shown.name === allNames ? undefined : shown.name;
  const details = visitDetails(request, read);
  const others = read.conversions.filter(({recordedBy}) => recordedBy === 'account' || name === undefined);
  return {
    status: span.isRefused ? 400 : undefined,
    title: words.title,
    content: html`<h1>${words.title}</h1>
      <section class="links-card" id="links-visits" aria-labelledby="links-most-title">
        ${spanChooser(request, span, {path: 'compare', parameters: parametersOf(shown)})} ${tagForm(request, shown)}
        ${conditionLine(request, shown)} ${choosers(request, shown, currency, read.conversions)}
        ${sums(request, read, {name, currency})}
        ${conversionTable(request, others, {visits: read.byDay.visits, currency})}
        ${compared === undefined ? html`<p>${words.tooMany}</p>` : rowsOf(request, shown, read, compared)}
      </section>
      ${compared && tagsOf(request, shown, compared)} ${details && html`<div class="links-card">${details}</div>`}`,
  };
};

interface Compared {
  readonly first: FoundPage<Row> & {readonly comparison: Comparison};
  /** Undefined where the first rows are tags. */
  readonly tags: RowsRead | undefined;
}

/** Undefined if there are too many links. */
async function readCompared(request: DashboardRequest, shown: Shown): Promise<Compared | undefined> {
  try {
    if (shown.by) return {first: await readRows(request, (part) => readTags(request, shown, part)), tags: undefined};
    const [first, tags] = await Promise.all([
      readRows(request, (part) => readLinks(request, shown, part)),
      readTags(request, shown, {limit: shownTags, cursor: undefined}),
    ]);
    return {first, tags};
  } catch (error) {
    if (!isTooMany(error)) throw error;
    return undefined;
  }
}

function rowsOf(request: DashboardRequest, shown: Shown, read: Statistics, {first}: Compared): Html {
  const {texts} = request;
  const {compare: words} = texts;
  const {by, span} = shown;
  const {conversions, currency} = first.comparison;
  const hasNothing = read.byDay.visits === 0 && conversions.length === 0;
  return html`${title(request, shown, by === undefined ? texts.tabs.links : words.groups[by])}
  ${groupChooser(request, shown)}
  ${
    hasNothing
      ? emptyState(texts.visits.none(periodOf(request, span)))
      : html`${by === 'tag' && html`<p class="links-hint">${words.several}</p>`}
        ${numbers(request, shown, first.items, currency)} ${pager(texts, first, pagerOf(request, shown))}`
  }`;
}

/** The first tags below the links. */
function tagsOf(request: DashboardRequest, shown: Shown, {tags}: Compared): Html | undefined {
  if (tags === undefined || tags.rows.length === 0) return undefined;
  const {compare: words, list} = request.texts;
  return card(
    'tags',
    words.groups.tag,
    html`<p class="links-hint">${words.several}</p>
      ${numbers(request, {...shown, by: 'tag'}, tags.rows, tags.currency)}
      ${tags.nextCursor !== undefined && html`<p><a href="${addressOf(request, shown, {by: 'tag'})}">${list.allTags}</a></p>`}`,
  );
}

async function readRows(
  request: DashboardRequest,
  read: ReadPart,
): Promise<FoundPage<Row> & {readonly comparison: Comparison}> {
  const parts: Comparison[] = [];
  const found = await readPage<Row>(placeIn(request.query), pageLength, async (part) => {
    const {rows, ...comparison} = await read(part);
    parts.push(comparison);
    return {items: rows, nextCursor: comparison.nextCursor};
  });
  const [comparison] = parts;
  if (comparison === undefined) throw new Error('A page was read without a part');
  return {...found, comparison};
}

async function readLinks({shortener, account, root}: DashboardRequest, shown: Shown, part: Part): Promise<RowsRead> {
  const {most, ...comparison} = await shortener.links.compare(account, {...comparisonQuery(shown), ...part});
  const rows = most.map(({link, ...each}): Row => {
    const address = linkAddress(root, link.shortUrl, spanParameters(shown.span));
    const name = html`<a href="${address}"><bdi>${link.title ?? withoutScheme(link.shortUrl)}</bdi></a>
      ${link.title !== null && html`<span class="links-quiet">${withoutScheme(link.shortUrl)}</span>`}`;
    return {...each, name};
  });
  return {...comparison, rows};
}

type Part = Parameters<ReadPart>[0];

async function readTags(request: DashboardRequest, shown: Shown, part: Part): Promise<RowsRead> {
  const {shortener, account} = request;
  const {by = 'tag'} = shown;
  const {tags, ...comparison} = await shortener.links.compareTags(account, {...comparisonQuery(shown), by, ...part});
  const rows = tags.map(({tag, ...each}): Row => {
    const address = by === 'tag' ? addressOf(request, shown, {tag, by: undefined}) : undefined;
    return {...each, name: html`<a ${attributes({href: address})}><bdi>${tag}</bdi></a>`};
  });
  return {...comparison, rows};
}

function addressOf(
  {root}: DashboardRequest,
  shown: AskedComparison,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  return `${comparisonAddress(`${root}compare`, shown, changes)}#links-visits`;
}

/** The parameters of the page but for the days. */
function parametersOf({filter, order, name, currency, by}: Shown): Record<string, string | undefined> {
  return {...filter, order, name, currency, by};
}

function pagerOf({texts, root}: DashboardRequest, shown: Shown): Pager {
  const parameters = {...parametersOf(shown), ...spanParameters(shown.span)};
  return {address: `${root}compare`, parameters, anchor: '#links-most-title', label: texts.list.pages};
}

function title(request: DashboardRequest, shown: Shown, text: string): Html {
  return html`<div class="links-title">
    <h2 id="links-most-title">${text}</h2>
    ${csvLink(request, comparisonAddress(`${request.root}links.csv`, shown))}
  </div>`;
}

/** Restricts the comparison to a tag. The script offers all tags of the account. */
function tagForm({texts, root}: DashboardRequest, shown: Shown): Html {
  const {filter, span} = shown;
  const hidden: Record<string, string | undefined> = {
    ...parametersOf(shown),
    ...spanParameters(span),
    tag: undefined,
    by: undefined,
  };
  return html`<form class="links-tag-form" action="${root}compare#links-visits">
    ${hiddenInputs(Object.entries(hidden).filter(([, value]) => value))}
    ${field({
      name: 'tag',
      label: texts.list.tag,
      beside: html`<button class="links-button links-secondary">${texts.visits.show}</button>`,
      attributes: {...plainText, value: filter.tag, list: 'links-known-tags', maxlength: maxLength(limits.tag)},
    })}
    <datalist id="links-known-tags"></datalist>
  </form>`;
}

/** The conditions that the links meet; undefined if there are none. */
function conditionLine(request: DashboardRequest, shown: Shown): Html | undefined {
  const {texts} = request;
  const {filter} = shown;
  if (!isFiltered(filter)) return undefined;
  const {search, status, tag, base_domain} = filter;
  const {list, fields} = texts;
  const parts = [
    search !== '' && html`${list.search}: <bdi>${search}</bdi>`,
    status !== '' && html`${list.status}: ${texts.statuses[status]}`,
    tag !== '' && html`${list.tag}: <bdi>${tag}</bdi>`,
    base_domain !== '' && html`${fields.domain}: <bdi>${base_domain}</bdi>`,
  ].filter((each) => each !== false);
  const all = {search: undefined, status: undefined, tag: undefined, base_domain: undefined};
  return html`<p class="links-row links-conditions">
    ${parts.map((each) => html`<span class="links-strong">${each}</span>`)}
    <a href="${addressOf(request, shown, all)}">${list.showAll}</a>
  </p>`;
}

type Choice = readonly [text: string, changes: Readonly<Record<string, string | undefined>>, isCurrent: boolean];

function chooser(request: DashboardRequest, shown: Shown, label: string, choices: readonly Choice[]): Html {
  return html`<nav class="links-spans" aria-label="${label}">
    <ul>
      ${choices.map(([text, changes, isCurrent]) => html`<li><a ${attributes({href: addressOf(request, shown, changes), 'aria-current': isCurrent && 'true'})}>${text}</a></li>`)}
    </ul>
  </nav>`;
}

/** What is compared: links, or groups of them. */
function groupChooser(request: DashboardRequest, shown: Shown): Html {
  const {compare: words, tabs} = request.texts;
  return chooser(request, shown, words.by, [
    [tabs.links, {by: undefined}, shown.by === undefined],
    ...groupings.map((by) => [words.groups[by], {by}, by === shown.by] as const),
  ]);
}

/** The names of conversions, and the currencies, where there are several. */
function choosers(
  request: DashboardRequest,
  shown: Shown,
  currency: string | null,
  all: readonly ConversionStats[],
): Html {
  const {compare: words} = request.texts;
  const conversions = ofSite(all);
  const names = [...new Set(conversions.map(({name}) => name))];
  const isOfAll = shown.name === allNames;
  const counted = conversions.filter((each) => hasAmount(each) && (isOfAll || each.name === shown.name));
  const currencies = [...new Set(counted.flatMap((each) => each.currency ?? []))].toSorted();
  return html`${
    (names.length > 1 || (names.length === 1 && names[0] !== shown.name)) &&
    chooser(request, shown, words.names, [
      ...names.map((name) => [request.conversionName(name), {name}, name === shown.name] as const),
      [words.all, {name: allNames}, isOfAll],
    ])
  }
  ${
    currencies.length > 1 &&
    chooser(
      request,
      shown,
      words.currency,
      currencies.map((each) => [each, {currency: each}, each === currency] as const),
    )
  }`;
}

/** Rows with bars for what they are ordered by. The headings lead to the other orders. */
function numbers(request: DashboardRequest, shown: Shown, rows: readonly Row[], currency: string | null): Html {
  const {texts, formats, hasConversions, query} = request;
  const {order, by} = shown;
  const {title: conversions, rate, value} = texts.conversions;
  const isName = shown.name !== undefined && shown.name !== allNames;
  const names: Record<ComparisonOrder, string> = {
    visits: texts.visits.title,
    conversions: isName ? request.conversionName(shown.name) : conversions,
    value,
  };
  const [visitsHead, conversionsHead, valueHead] = comparisonOrders.map((each) => ({
    label: names[each],
    content: html`<a href="${addressOf(request, shown, {order: each, by: query.get('by') === by ? by : undefined})}"
      >${names[each]}</a
    >`,
    isSorted: each === order,
  }));
  const net = (row: Row): number => {
    const found = ofSite(row.values).find((each) => each.currency === currency);
    return found === undefined ? 0 : found.value - found.refunded;
  };
  const measure = (row: Row): number => (order === 'value' ? Math.max(0, net(row)) : row[order]);
  const most = Math.max(1, ...rows.map(measure));
  return html`<div class="links-fitted">
    ${numberTable(
      'links-values links-compared',
      [
        by === undefined ? texts.list.link : texts.compare.groups[by],
        ...(by === undefined ? [] : [texts.tabs.links]),
        ...(hasConversions ? [visitsHead, conversionsHead, rate, valueHead] : [texts.visits.title]),
      ],
      rows.map((row) => [
        html`${row.name} ${shareBar(measure(row) / most)}`,
        ...(by === undefined ? [] : [formats.number(row.links ?? 0)]),
        formats.number(row.visits),
        ...(hasConversions
          ? [
              formats.number(row.conversions),
              formats.rate(row.conversions, row.visits),
              row.values.length > 0 ? formats.money(net(row), currency) : '',
            ]
          : []),
      ]),
    )}
  </div>`;
}
