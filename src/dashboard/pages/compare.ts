import type {ComparedNumbers, Comparison, ComparisonOrder} from '../../index.ts';
import {linkAddress, withoutScheme} from '../addresses.ts';
import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {attributes, html, type Html} from '../html.ts';
import {isTooMany} from '../list/order.ts';
import {type FoundPage, type Pager, pager, placeIn, readPage} from '../list/pager.ts';
import {conditionsIn, isFiltered} from '../list/search.ts';
import {card, csvLink, emptyState, hiddenInputs, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {shareBar} from '../visits/chart.ts';
import {
  type AskedComparison,
  comparisonAddress,
  comparisonIn,
  comparisonOrders,
  comparisonQuery,
  usualOrder,
} from '../visits/comparison.ts';
import {amounts, ofSite} from '../visits/conversions.ts';
import {visitDetails} from '../visits/details.ts';
import {periodOf, spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';
import {readStatistics, spanCounts, type Statistics} from '../visits/statistics.ts';

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
  const {texts, shortener, account} = request;
  const {compare: words} = texts;
  const asked = comparisonIn(request);
  const {span, filter} = asked;
  const conditions = conditionsIn(filter);
  const read = await readStatistics(request, (query) => shortener.accounts.stats(account, {...conditions, ...query}));
  const order = asked.order ?? usualOrder(read.conversions);
  const shown = {...asked, order};
  const compared = await readCompared(request, shown);
  return {
    status: span.isRefused ? 400 : undefined,
    title: words.title,
    content: html`<h1>${words.title}</h1>
      <section class="links-card" id="links-visits" aria-labelledby="links-most-title">
        ${spanChooser(request, span, {path: 'compare', parameters: parametersOf(shown)})} ${tagForm(request, shown)}
        ${conditionLine(request, shown)} ${spanCounts(request, read)}
        ${compared === undefined ? html`<p>${words.tooMany}</p>` : rowsOf(request, shown, read, compared)}
      </section>
      ${compared && tagsOf(request, shown, compared)} ${visitDetails(request, read)}`,
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
    if (shown.isByTag)
      return {first: await readRows(request, (part) => readTags(request, shown, part)), tags: undefined};
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
  const {isByTag, order, span} = shown;
  const {conversions, currency} = first.comparison;
  const hasNothing = read.byDay.visits === 0 && conversions.length === 0;
  return html`${title(request, shown, isByTag ? words.tags : words.most[order])}
  ${choosers(request, shown, first.comparison)}
  ${
    hasNothing
      ? emptyState(texts.visits.none(periodOf(request, span)), texts.visits.noneHint)
      : html`${isByTag && html`<p class="links-hint">${words.several}</p>`}
        ${numbers(request, shown, first.items, currency)} ${pager(texts, first, pagerOf(request, shown))}`
  }`;
}

/** The first tags below the links. */
function tagsOf(request: DashboardRequest, shown: Shown, {tags}: Compared): Html | undefined {
  if (tags === undefined || tags.rows.length === 0) return undefined;
  const {compare: words, list} = request.texts;
  return card(
    'tags',
    words.tags,
    html`<p class="links-hint">${words.several}</p>
      ${numbers(request, {...shown, isByTag: true}, tags.rows, tags.currency)}
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
  const {tags, ...comparison} = await shortener.links.compareTags(account, {...comparisonQuery(shown), ...part});
  const rows = tags.map(({tag, ...each}): Row => {
    const name = html`<a href="${addressOf(request, shown, {tag, by: undefined})}"><bdi>${tag}</bdi></a>`;
    return {...each, name};
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
function parametersOf({filter, order, name, currency, isByTag}: Shown): Record<string, string | undefined> {
  return {...filter, order, name, currency, by: isByTag ? 'tag' : undefined};
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
  const {search, status, tag} = filter;
  const {list} = texts;
  const parts = [
    search !== '' && html`${list.search}: <bdi>${search}</bdi>`,
    status !== '' && html`${list.status}: ${texts.statuses[status]}`,
    tag !== '' && html`${list.tag}: <bdi>${tag}</bdi>`,
  ].filter((each) => each !== false);
  const all = {search: undefined, status: undefined, tag: undefined};
  return html`<p class="links-row links-conditions">
    ${parts.map((each) => html`<span class="links-strong">${each}</span>`)}
    <a href="${addressOf(request, shown, all)}">${list.showAll}</a>
  </p>`;
}

/** Links to the names of conversions, and to the currencies, where there are several. */
function choosers(request: DashboardRequest, shown: Shown, comparison: Comparison): Html | undefined {
  if (!request.hasConversions) return undefined;
  const {currency} = comparison;
  const conversions = ofSite(comparison.conversions);
  const {compare: words} = request.texts;
  const names = [...new Set(conversions.map(({name}) => name))];
  const counted = conversions.filter(({name, value}) => value > 0 && (shown.name ?? name) === name);
  const currencies = [...new Set(counted.flatMap((each) => each.currency ?? []))].toSorted();
  const choices = (label: string, links: ReadonlyArray<readonly [text: string, href: string, isCurrent: boolean]>) =>
    html`<nav class="links-spans" aria-label="${label}">
      <ul>
        ${links.map(([text, href, isCurrent]) => html`<li><a ${attributes({href, 'aria-current': isCurrent && 'true'})}>${text}</a></li>`)}
      </ul>
    </nav>`;
  return html`${
    (names.length > 1 || shown.name !== undefined) &&
    choices(words.names, [
      [words.all, addressOf(request, shown, {name: undefined}), shown.name === undefined],
      ...names.map(
        (name) => [request.conversionName(name), addressOf(request, shown, {name}), name === shown.name] as const,
      ),
    ])
  }
  ${
    shown.order === 'value' &&
    currencies.length > 1 &&
    choices(
      words.currency,
      currencies.map((each) => [each, addressOf(request, shown, {currency: each}), each === currency] as const),
    )
  }`;
}

/** Rows with bars for what they are ordered by. The headings lead to the other orders. */
function numbers(request: DashboardRequest, shown: Shown, rows: readonly Row[], currency: string | null): Html {
  const {texts, formats, hasConversions} = request;
  const {order, isByTag} = shown;
  const {title: conversions, rate, value} = texts.conversions;
  const names: Record<ComparisonOrder, string> = {visits: texts.visits.title, conversions, value};
  const [visitsHead, conversionsHead, valueHead] = comparisonOrders.map((each) => ({
    content: html`<a
      href="${addressOf(request, shown, {order: each, by: isByTag && request.query.get('by') === 'tag' ? 'tag' : undefined})}"
      >${names[each]}</a
    >`,
    isSorted: each === order,
  }));
  const measure = (row: Row): number => {
    if (order !== 'value') return row[order];
    const found = ofSite(row.values).find((each) => each.currency === currency);
    return found === undefined ? 0 : Math.max(0, found.value - found.refunded);
  };
  const most = Math.max(1, ...rows.map(measure));
  return numberTable(
    'links-values links-compared',
    [
      isByTag ? texts.compare.tags : texts.list.link,
      ...(isByTag ? [texts.home.links] : []),
      ...(hasConversions ? [visitsHead, conversionsHead, rate, valueHead] : [texts.visits.title]),
    ],
    rows.map((row) => [
      html`${row.name} ${shareBar(measure(row) / most)}`,
      ...(isByTag ? [formats.number(row.links ?? 0)] : []),
      formats.number(row.visits),
      ...(hasConversions
        ? [formats.number(row.conversions), formats.rate(row.conversions, row.visits), amounts(request, row.values)]
        : []),
    ]),
  );
}
