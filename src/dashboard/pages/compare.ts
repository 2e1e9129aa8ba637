import type {Comparison, ComparisonOrder, ConversionStats} from '../../index.ts';
import {linkAddress, withoutScheme} from '../addresses.ts';
import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {attributes, html, type Html} from '../html.ts';
import {unlessTooMany} from '../list/order.ts';
import {type FoundPage, pager, placeIn, type ReadPart, readPage} from '../list/pager.ts';
import {conditionsIn, isFiltered} from '../list/search.ts';
import {csvLink} from '../files/csv-file.ts';
import {card, chooser, emptyState, hiddenInputs} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {
  allNames,
  type AskedComparison,
  comparisonAddress,
  comparisonIn,
  comparisonParameters,
  comparisonQuery,
  groupings,
  usualOrder,
} from '../visits/comparison.ts';
import {conversionTable, currenciesOf, ofSite} from '../visits/conversions.ts';
import {visitDetails} from '../visits/details.ts';
import {type Ranked, rankedTable} from '../visits/ranked.ts';
import {periodOf, spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';
import {sums} from '../visits/sums.ts';
import {readStatistics, type Statistics} from '../visits/statistics.ts';

const pageLength = 20;

/** How many tags are shown below the links. Beyond them, a link leads to all. */
const shownTags = 10;

interface RowsRead extends Comparison {
  readonly items: readonly Ranked[];
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
  const compared = await unlessTooMany(readCompared(request, shown));
  const {currency} = compared?.page.first ?? {currency: asked.currency ?? null};
  const name = nameIn(shown);
  const details = visitDetails(request, read);
  const others = read.conversions.filter(({recordedBy}) => recordedBy === 'account' || name === undefined);
  return {
    status: span.isRefused ? 400 : undefined,
    title: words.title,
    content: html`<h1>${words.title}</h1>
      <section class="links-card" id="links-visits" aria-labelledby="links-most-title">
        ${spanChooser(request, span, {path: 'compare', parameters: comparisonParameters(shown)})}
        ${tagForm(request, shown)} ${conditionLine(request, shown)}
        ${choosers(request, shown, currency, read.conversions)} ${sums(request, read, {name, currency})}
        ${conversionTable(request, others, {visits: read.byDay.visits, currency})}
        ${compared === undefined ? html`<p>${words.tooMany}</p>` : rowsOf(request, shown, read, compared.page)}
      </section>
      ${compared?.tags && tagCard(request, shown, compared.tags)}
      ${details && html`<div class="links-card">${details}</div>`}`,
  };
};

/** The name of the conversions that are counted; undefined for all. */
function nameIn({name}: Shown): string | undefined {
  return name === allNames ? undefined : name;
}

type Page = FoundPage<Ranked> & {readonly first: RowsRead};

/** The rows, and the first tags below them, unless the rows are groups themselves. */
async function readCompared(request: DashboardRequest, shown: Shown): Promise<{page: Page; tags?: RowsRead}> {
  const place = placeIn(request.query);
  if (shown.by) return {page: await readPage(place, pageLength, (part) => readGroups(request, shown, part))};
  const [page, tags] = await Promise.all([
    readPage(place, pageLength, (part) => readLinks(request, shown, part)),
    readGroups(request, shown, {limit: shownTags, cursor: undefined}),
  ]);
  return {page, tags};
}

function rowsOf(request: DashboardRequest, shown: Shown, {byDay}: Statistics, page: Page): Html {
  const {texts, root} = request;
  const {compare: words, tabs} = texts;
  const {by, span} = shown;
  const {conversions, currency} = page.first;
  return html`<div class="links-title">
      <h2 id="links-most-title">${by === undefined ? tabs.links : words.groups[by]}</h2>
      ${csvLink(request, comparisonAddress(`${root}links.csv`, shown))}
    </div>
    ${chooser(
      words.by,
      [undefined, ...groupings].map((each) => ({
        text: each === undefined ? tabs.links : words.groups[each],
        href: addressOf(request, shown, {by: each}),
        isCurrent: each === by,
      })),
    )}
    ${
      byDay.visits === 0 && conversions.length === 0
        ? emptyState(texts.visits.none(periodOf(request, span)))
        : html`${by === 'tag' && html`<p class="links-hint">${words.several}</p>`}
          ${numbers(request, shown, page.items, currency)}
          ${pager(texts, page, {
            address: `${root}compare`,
            parameters: {...comparisonParameters(shown), ...spanParameters(span)},
            anchor: '#links-most-title',
            label: texts.list.pages,
          })}`
    }`;
}

/** The first tags below the links. */
function tagCard(request: DashboardRequest, shown: Shown, tags: RowsRead): Html | undefined {
  if (tags.items.length === 0) return undefined;
  const {compare: words, list} = request.texts;
  return card(
    'tags',
    words.groups.tag,
    html`<p class="links-hint">${words.several}</p>
      ${numbers(request, {...shown, by: 'tag'}, tags.items, tags.currency)}
      ${tags.nextCursor !== undefined && html`<p><a href="${addressOf(request, shown, {by: 'tag'})}">${list.allTags}</a></p>`}`,
  );
}

async function readLinks(
  {shortener, account, root}: DashboardRequest,
  shown: Shown,
  part: ReadPart,
): Promise<RowsRead> {
  const {most, ...comparison} = await shortener.links.compare(account, {...comparisonQuery(shown), ...part});
  const items = most.map(({link, ...each}): Ranked => {
    const address = linkAddress(root, link.shortUrl, spanParameters(shown.span));
    const name = html`<a href="${address}"><bdi>${link.title ?? withoutScheme(link.shortUrl)}</bdi></a>
      ${link.title !== null && html`<span class="links-quiet">${withoutScheme(link.shortUrl)}</span>`}`;
    return {...each, name};
  });
  return {...comparison, items};
}

async function readGroups(request: DashboardRequest, shown: Shown, part: ReadPart): Promise<RowsRead> {
  const {shortener, account} = request;
  const {by = 'tag'} = shown;
  const {tags, ...comparison} = await shortener.links.compareTags(account, {...comparisonQuery(shown), by, ...part});
  const items = tags.map(({tag, ...each}): Ranked => {
    const address = by === 'tag' ? addressOf(request, shown, {tag, by: undefined}) : undefined;
    return {...each, name: html`<a ${attributes({href: address})}><bdi>${tag}</bdi></a>`};
  });
  return {...comparison, items};
}

function addressOf(
  {root}: DashboardRequest,
  shown: AskedComparison,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  return `${comparisonAddress(`${root}compare`, shown, changes)}#links-visits`;
}

/** Restricts the comparison to a tag. The script offers all tags of the account. */
function tagForm({texts, root}: DashboardRequest, shown: Shown): Html {
  const {filter, span} = shown;
  const parameters = {...comparisonParameters(shown), ...spanParameters(span), tag: undefined, by: undefined};
  return html`<form class="links-tag-form" action="${root}compare#links-visits">
    ${hiddenInputs(parameters)}
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
  const {filter} = shown;
  if (!isFiltered(filter)) return undefined;
  const {list, fields, statuses} = request.texts;
  const {search, status, tag, base_domain} = filter;
  const parts = [
    [list.search, search],
    [list.status, status && statuses[status]],
    [list.tag, tag],
    [fields.domain, base_domain],
  ].filter(([, value]) => value !== '');
  const all = {search: undefined, status: undefined, tag: undefined, base_domain: undefined};
  return html`<p class="links-row links-conditions">
    ${parts.map(([name, value]) => html`<span class="links-strong">${name}: <bdi>${value}</bdi></span>`)}
    <a href="${addressOf(request, shown, all)}">${list.showAll}</a>
  </p>`;
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
  const currencies = currenciesOf(conversions.filter((each) => shown.name === allNames || each.name === shown.name));
  return html`${
    (names.length > 1 || (names.length === 1 && names[0] !== shown.name)) &&
    chooser(
      words.names,
      [...names, allNames].map((name) => ({
        text: name === allNames ? words.all : request.conversionName(name),
        href: addressOf(request, shown, {name}),
        isCurrent: name === shown.name,
      })),
    )
  }
  ${
    currencies.length > 1 &&
    chooser(
      words.currency,
      currencies.map((each) => ({
        text: each,
        href: addressOf(request, shown, {currency: each}),
        isCurrent: each === currency,
      })),
    )
  }`;
}

function numbers(request: DashboardRequest, shown: Shown, rows: readonly Ranked[], currency: string | null): Html {
  const {texts, query} = request;
  const {order, by} = shown;
  const name = nameIn(shown);
  const ranking = {
    title: by === undefined ? texts.list.link : texts.compare.groups[by],
    conversions: name === undefined ? undefined : request.conversionName(name),
    order,
    currency,
    addressOf: (each: ComparisonOrder) =>
      addressOf(request, shown, {order: each, by: query.get('by') === by ? by : undefined}),
  };
  return rankedTable(request, ranking, rows);
}
