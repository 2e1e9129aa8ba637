import type {AccountStats} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {attributes, html, type Html} from '../html.ts';
import {type Filter, filterStatuses, type FoundLinks, viewOf} from './search.ts';
import type {DashboardRequest} from '../request.ts';
import {maxLength} from '../forms/field.ts';
import {type Listed, linkTable} from './table.ts';
import {alert, emptyState} from '../parts/pieces.ts';

/** The links of the account, with a form to filter them. The script replaces the part with the id `links-found`. */
export function linkList(request: DashboardRequest, listed: Listed, stats: AccountStats): Html {
  const {texts, formats, root, query} = request;
  const {found, failed} = listed;
  const isInTable = failed !== undefined && found.links.some(({shortUrl}) => shortUrl === failed.shortUrl);
  const hasLinks = found.links.length > 0 || stats.links > 0 || found.isFiltered;
  return html`<section class="links-list" id="links-list" aria-labelledby="links-list-title">
    <div class="links-title">
      <h2 id="links-list-title">${texts.list.title}</h2>
      ${hasLinks && html`<p class="links-hint">${formats.count(stats.links, texts.list.count)}</p>`}
    </div>
    ${hasLinks && filterForm(request, found.filter)}
    <div id="links-found" aria-live="polite">
      ${failed !== undefined && !isInTable && alert(html`<bdi>${failed.shortUrl}</bdi>: ${failed.text}`)}
      ${found.isFiltered && found.links.length > 0 && html`<p><a href="${root}#links-list">${texts.list.showAll}</a></p>`}
      ${found.links.length > 0 ? linkTable(request, listed, viewOf(query)) : nothingFound(request, found, hasLinks)}
      ${pager(request, found)}
    </div>
  </section>`;
}

function nothingFound(
  {texts, root}: DashboardRequest,
  {isFiltered, isFirst, nextCursor}: FoundLinks,
  hasLinks: boolean,
): Html {
  const {list} = texts;
  if (!hasLinks) return emptyState(list.none, list.noneHint);
  if (nextCursor !== undefined) return emptyState(list.noneYet, list.noneYetHint);
  if (!isFiltered && !isFirst) return emptyState(list.end, html`<a href="${root}#links-list">${list.newest}</a>`);
  return emptyState(list.noMatch, html`<a href="${root}#links-list">${list.showAll}</a>`);
}

function filterForm({texts, root}: DashboardRequest, {search, status, tag}: Filter): Html {
  const {list, statuses} = texts;
  const options = [['', list.anyStatus] as const, ...filterStatuses.map((each) => [each, statuses[each]] as const)];
  return html`<form role="search" class="links-filter" action="${root}#links-list" aria-label="${list.filter}">
    <div class="links-field">
      <label for="links-search">${list.search}</label>
      <input
        id="links-search"
        type="search"
        name="search"
        value="${search}"
        placeholder="${list.searchHint}"
        autocomplete="off"
        spellcheck="false"
        maxlength="${maxLength(200)}"
      />
    </div>
    <div class="links-field">
      <label for="links-status">${list.status}</label>
      <select id="links-status" name="status">
        ${options.map(([value, name]) => html`<option ${attributes({value, selected: value === status})}>${name}</option>`)}
      </select>
    </div>
    <div class="links-field">
      <label for="links-tag">${list.tag}</label>
      <input
        id="links-tag"
        name="tag"
        value="${tag}"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        maxlength="${maxLength(50)}"
      />
    </div>
    <button class="links-button links-small">${list.apply}</button>
  </form>`;
}

function pager({texts, root}: DashboardRequest, {filter, isFirst, links, nextCursor}: FoundLinks): Html | undefined {
  if (isFirst && nextCursor === undefined) return undefined;
  const {list} = texts;
  const address = (cursor?: string): string => `${withQuery(root, {...filter, cursor})}#links-list`;
  return html`<nav class="links-pages" aria-label="${list.pages}">
    ${!isFirst && html`<a class="links-button links-small" href="${address()}">${list.newest}</a>`}
    ${nextCursor !== undefined && html`<a class="links-button links-small" rel="next" href="${address(nextCursor)}">${links.length > 0 ? list.older : list.searchOn}</a>`}
  </nav>`;
}
