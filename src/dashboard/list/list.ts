import {limits} from '../generated/limits.ts';
import type {AccountStats} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {csvLink} from '../files/csv-file.ts';
import {html, type Html} from '../html.ts';
import {field, maxLength, plainText} from '../forms/field.ts';
import {alert, emptyState, hiddenInputs} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';
import {chosenSpan, spanIn, spanParameters} from '../visits/span.ts';
import {linkOrderField} from './order.ts';
import {pager} from './pager.ts';
import {filterStatuses, type FoundLinks, listDomainField, statusField, viewOf} from './search.ts';
import {
  type FailedLink,
  selectAll,
  selectMatching,
  type SelectionOutcome,
  selectionBar,
  selectionOutcome,
} from './selection.ts';
import {linkTable} from './table.ts';

/** The links that the list shows, and the errors of its buttons. */
export interface Listed {
  readonly found: FoundLinks;
  /** Where the account may have links. */
  readonly baseUrls: readonly string[];
  readonly failed?: FailedLink | undefined;
  readonly selection?: SelectionOutcome | undefined;
}

/** The links of the account, with a form to filter them. The script replaces the part with the id `links-found`. */
export function linkList(request: DashboardRequest, listed: Listed, stats: AccountStats): Html {
  const {texts, query} = request;
  const {found, baseUrls, failed, selection} = listed;
  const {items: links, isFiltered} = found;
  const isInTable = failed !== undefined && links.some(({shortUrl}) => shortUrl === failed.shortUrl);
  const hasLinks = links.length > 0 || stats.links > 0 || isFiltered;
  const hasConversions = request.hasConversions && stats.conversions.length > 0;
  const view = viewOf(query);
  return html`<section class="links-list" id="links-list" aria-labelledby="links-list-title">
    <h2 id="links-list-title" class="links-unseen">${texts.tabs.links}</h2>
    ${hasLinks && filterForm(request, found, baseUrls)}
    <div id="links-found">
      ${selectionOutcome(request, selection)}
      ${failed !== undefined && !isInTable && alert(html`<bdi>${failed.shortUrl}</bdi>: ${failed.text}`)}
      ${hasLinks && countLine(request, found, stats)} ${found.isTooLong && html`<p>${texts.list.tooMany}</p>`}
      ${
        links.length > 0
          ? html`${linkTable(request, {links, failed, hasConversions, selected: selection?.shortUrls ?? [], view})}
            ${selectionBar(request, {view, tag: selection?.tag ?? '', campaign: selection?.campaign ?? ''})}`
          : nothingFound(request, found, hasLinks)
      }
      ${pageLinks(request, found)}
    </div>
  </section>`;
}

/** How many links there are, or match. The script announces it when it replaces the list. */
function countLine(request: DashboardRequest, found: FoundLinks, stats: AccountStats): Html {
  const {texts, formats, root} = request;
  const {list} = texts;
  const {isFiltered} = found;
  const words = !isFiltered ? list.count : stats.isPartial ? list.atLeast : list.matching;
  const text = formats.count(stats.links, words);
  const isNothing = isFiltered && found.items.length === 0;
  return html`<div class="links-row links-count">
    ${found.items.length > 1 && selectAll(request)}
    ${stats.links > found.items.length && found.items.length > 0 && stats.isPartial !== true && selectMatching(request, stats.links)}
    ${!isNothing && html`<span>${text}</span>`}
    ${isFiltered && found.items.length > 0 && html`<a href="${root}#links-list">${list.showAll}</a>`}
    ${!isNothing && csvLink(request, csvAddress(request, found.filter))}
    ${found.items.some(({tags}) => tags.length > 0) && html`<a class="links-to-tags" href="${root}tags">${list.allTags}</a>`}
    ${found.filter.tag !== '' && found.items.length > 0 && html`<a class="links-to-tags" href="${withQuery(`${root}qr-codes`, {tag: found.filter.tag})}">${texts.selection.qrCodes}</a>`}
  </div>`;
}

/** The file of the links that match, with their visits and conversions of the days that the page shows. */
function csvAddress({root, query, today}: DashboardRequest, filter: FoundLinks['filter']): string {
  return withQuery(`${root}links.csv`, {...filter, ...spanParameters(spanIn(query, today))});
}

function nothingFound({texts, root}: DashboardRequest, found: FoundLinks, hasLinks: boolean): Html {
  const {list} = texts;
  const {isFiltered, place, nextCursor} = found;
  if (!hasLinks) return emptyState(list.none, list.noneHint);
  if (nextCursor !== undefined) return emptyState(list.noneYet);
  if (!isFiltered && place.cursor !== undefined) {
    return emptyState(list.end, html`<a href="${root}#links-list">${list.orders.newest}</a>`);
  }
  return emptyState(list.noMatch, html`<a href="${root}#links-list">${list.showAll}</a>`);
}

function filterForm(request: DashboardRequest, {filter, order, items}: FoundLinks, baseUrls: readonly string[]): Html {
  const {texts, root} = request;
  const {search, status, tag, base_domain} = filter;
  const {list} = texts;
  const days = chosenSpan(request);
  const tags = [...new Set(items.flatMap((link) => link.tags))].toSorted();
  return html`<form role="search" class="links-filter" action="${root}#links-list" aria-label="${list.search}">
    ${hiddenInputs(days)}
    ${field({
      name: 'search',
      label: list.search,
      beside: html`<button class="links-button links-small">${list.apply}</button>`,
      attributes: {
        ...plainText,
        type: 'search',
        value: search,
        placeholder: list.searchHint,
        maxlength: maxLength(limits.search),
      },
    })}
    ${statusField(request, filterStatuses, status)}
    ${field({
      name: 'tag',
      label: list.tag,
      attributes: {...plainText, value: tag, list: 'links-known-tags', maxlength: maxLength(50)},
    })}
    ${linkOrderField(request, order)} ${listDomainField(request, baseUrls, base_domain)}
    <datalist id="links-known-tags">${tags.map((each) => html`<option value="${each}"></option>`)}</datalist>
  </form>`;
}

function pageLinks({texts, root}: DashboardRequest, found: FoundLinks): Html | undefined {
  const {list} = texts;
  const {filter, order, items} = found;
  return pager(texts, found, {
    address: root,
    parameters: {...filter, order},
    anchor: '#links-list',
    label: list.pages,
    next: items.length > 0 ? undefined : list.searchOn,
  });
}
