import type {AdminLinkQuery, OwnedLink} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {beginning, html, type Html} from '../html.ts';
import {pager, placeParameters} from '../list/pager.ts';
import {type LinkOrder, linkOrdersOf, type OrderedPage, readInOrder} from '../list/order.ts';
import {filterStatuses, statusCondition, statusField} from '../list/search.ts';
import {bar, checkbox, selectAll} from '../list/selection.ts';
import type {DashboardRequest} from '../request.ts';
import {accountLink, emptyState} from './pieces.ts';
import {listTable} from './tables.ts';
import {reasonInput} from './reasons.ts';
import {statusOf} from './status.ts';

/** The links of a list of the operator, with the status of the query. */
export async function readOwnedLinks(
  request: DashboardRequest,
  length: number,
  others: Pick<AdminLinkQuery, 'account' | 'search' | 'baseDomain'>,
): Promise<OrderedPage<OwnedLink>> {
  const orders = linkOrdersOf(request);
  const conditions = {...others, ...statusCondition(statusIn(request))};
  return readInOrder<OwnedLink, LinkOrder>(request, {orders, length}, async (part) => {
    const {links: items, nextCursor} = await request.shortener.admin.pageLinks({...conditions, ...part});
    return {items, nextCursor};
  });
}

const statuses = [...filterStatuses, 'blocked'] as const;

/** The status that the list is filtered by. */
export function statusIn({query}: DashboardRequest): (typeof statuses)[number] | undefined {
  return statuses.find((status) => status === query.get('status'));
}

export function ownedStatusField(request: DashboardRequest): Html {
  return statusField(request, statuses, statusIn(request));
}

/** The parameters of a list of the operator: its conditions and its order. */
type View = Readonly<Record<string, string | undefined>>;

interface OwnedPage {
  /** The path of the page below that of the dashboard. */
  readonly path: string;
  readonly view: View;
  readonly title: string;
  /** What the last page shows without links. By default nothing. */
  readonly nothing?: Html | undefined;
}

/** A page of links of any accounts, for the operator, and the way to the other pages. */
export async function ownedLinks(
  request: DashboardRequest,
  found: OrderedPage<OwnedLink>,
  {path, view, title, nothing}: OwnedPage,
): Promise<Html> {
  const {texts, root} = request;
  const {list} = texts;
  const isEmpty = found.items.length === 0;
  const shown = isEmpty
    ? nothing && (found.nextCursor === undefined ? nothing : emptyState(list.noneYet))
    : await linkTable(request, title, found, {...view, ...placeParameters(found.place)});
  return html`${shown}
  ${pager(texts, found, {
    address: root + path,
    parameters: view,
    label: list.pages,
    next: isEmpty ? list.searchOn : undefined,
  })}`;
}

/** @param view what the buttons for the selected links lead back to */
async function linkTable(
  request: DashboardRequest,
  title: string,
  {items: links, isTooLong}: OrderedPage<OwnedLink>,
  view: View,
): Promise<Html> {
  const {texts, formats, root} = request;
  const {list, operator, visits} = texts;
  // The page of one account says whose links they are.
  const isOfOne = view['account'] !== undefined;
  const rows = await Promise.all(
    links.map(async ({account, link}) => ({...link, owner: !isOfOne && (await accountLink(request, account))})),
  );
  const rowTable = listTable(
    {'aria-labelledby': 'links-owned-title'},
    [
      {
        name: html`<span class="links-unseen">${list.select}</span>`,
        className: 'links-select',
        cell: ({shortUrl}, index) => checkbox(request, shortUrl, index, false),
      },
      {
        name: html`${list.link}`,
        className: 'links-addresses',
        cell: ({title: name, shortUrl, originalUrl}) =>
          html`${name !== null && html`<p class="links-name"><bdi>${name}</bdi></p>`}
            <a class="links-short" href="${withQuery(`${root}operator`, {short_url: shortUrl})}"
              >${withoutScheme(shortUrl)}</a
            >
            <span class="links-long"><bdi>${beginning(originalUrl, 300)}</bdi></span>`,
      },
      !isOfOne && {
        name: operator.account,
        className: 'links-owner',
        cell: ({owner}) => html`<div>${owner}</div>`,
      },
      {name: list.status, cell: (link) => html`<div class="links-facts">${statusOf(request, link)}</div>`},
      {name: visits.title, cell: ({totalVisits}) => formats.number(totalVisits)},
      {name: texts.accounts.created, className: 'links-date', cell: ({dateCreated}) => formats.date(dateCreated)},
    ],
    rows,
  );
  return html`<section class="links-list" aria-labelledby="links-owned-title">
    <h2 id="links-owned-title">${title}</h2>
    ${isTooLong && html`<p>${list.tooMany}</p>`}
    <div id="links-found">
      ${links.length > 1 && html`<div class="links-row links-count">${selectAll(request)}</div>`} ${rowTable}
      ${blockBar(request, view)}
    </div>
  </section>`;
}

/** The buttons for the selected links. */
function blockBar(request: DashboardRequest, view: View): Html {
  const {operator} = request.texts;
  const button = (operation: string, className: string, text: string): Html =>
    html`<button class="links-button links-small ${className}" name="do" value="${operation}">${text}</button>`;
  const buttons = html`<span class="links-row">
    ${button('block', 'links-danger', operator.block)} ${button('unblock', 'links-secondary', operator.unblock)}
  </span>`;
  return bar(request, 'block-links', view, html`${reasonInput(request)} ${buttons}`);
}
