import {limits} from '../generated/limits.ts';
import type {AccountInfo, ListedAccount} from '../../index.ts';
import {beginning, html, type Html} from '../html.ts';
import {field, plainText} from '../forms/field.ts';
import {accountLink, alert, blockedMark, doneNotice, emptyState} from '../parts/pieces.ts';
import {listTable} from '../parts/tables.ts';
import {orderField, type OrderedPage, readInOrder} from '../list/order.ts';
import {firstPage, type FoundPage, pager} from '../list/pager.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {maxFound} from '../settings.ts';

const pageLength = 50;

const orders = ['newest', 'oldest', 'links', 'visits', 'last_visit'] as const;
type Order = (typeof orders)[number];

interface AccountRow extends ListedAccount {
  /** Undefined for an account that was removed while the list was read. */
  readonly info: AccountInfo | undefined;
}

/** The operator's page with all accounts, by default the newest first, and the links and visits of each. */
export const accountsPage: Handler = async (request) => {
  const {texts, shortener, query, root, findAccounts} = request;
  const search = beginning((query.get('search') ?? '').trim(), limits.search);
  const isHosts = search !== '' && findAccounts !== undefined;
  const named = isHosts ? await findAccounts(search) : [];
  const found = isHosts
    ? await existing(request, [...(named ?? []), search])
    : await readInOrder<ListedAccount, Order>(request, {orders, length: pageLength}, async (part) => {
        const {accounts: items, nextCursor} = await shortener.admin.pageAccounts({
          search: search || undefined,
          ...part,
        });
        return {items, nextCursor};
      });
  const rows = await Promise.all(
    found.items.map(async (each) => ({...each, info: await shortener.admin.account(each.account, {include: []})})),
  );
  const {accounts, list, notices, tabs} = texts;
  return {
    title: tabs.accounts,
    content: html`<h1>${tabs.accounts}</h1>
      ${doneNotice(request, {'account-removed': notices.accountRemoved})}
      <form role="search" class="links-find" action="${root}accounts">
        ${field({
          name: 'search',
          label: findAccounts ? list.search : accounts.id,
          attributes: {...plainText, type: 'search', maxlength: limits.search, value: search},
        })}
        ${
          !isHosts &&
          orderField(
            request,
            orders.map((each) => [each, accounts.orders[each]] as const),
            found.order,
          )
        }
        <button class="links-button">${list.apply}</button>
      </form>
      <p><a href="${root}compare-accounts">${accounts.compare}</a></p>
      ${found.isTooLong && html`<p>${list.tooMany}</p>`} ${named === undefined && alert(accounts.searchFailed)}
      ${rows.length > 0 ? html`<div class="links-list">${await accountTable(request, rows)}</div>` : named && nothing(request, search, found)}
      ${pager(texts, found, {address: `${root}accounts`, parameters: {search, order: found.order}, label: list.pages})}`,
  };
};

/** The accounts that exist among those that a search names: by the host, or by the id. */
async function existing(
  {shortener}: DashboardRequest,
  names: readonly string[],
): Promise<OrderedPage<ListedAccount, Order>> {
  const accounts = await Promise.all(
    Array.from(new Set(names), (name) => shortener.admin.account(name, {include: []})),
  );
  const items = accounts.filter((account) => account !== undefined).slice(0, maxFound);
  return {items, place: firstPage, nextCursor: undefined, order: 'newest', isTooLong: false};
}

function nothing({texts, root}: DashboardRequest, search: string, {place, nextCursor}: FoundPage<ListedAccount>): Html {
  const {accounts, list} = texts;
  const all = html`<a href="${root}accounts">${list.showAll}</a>`;
  if (nextCursor !== undefined) return emptyState(list.noneYet, all);
  if (search !== '') return emptyState(list.noMatch, all);
  return place.cursor === undefined ? emptyState(accounts.none) : emptyState(list.end, all);
}

async function accountTable(request: DashboardRequest, rows: readonly AccountRow[]): Promise<Html> {
  const {texts, formats} = request;
  const {accounts, visits, list, operator, tabs} = texts;
  const owned = await Promise.all(rows.map(async (row) => ({...row, owner: await accountLink(request, row.account)})));
  const number = (value: number | undefined): string => (value === undefined ? '–' : formats.number(value));
  return listTable(
    {'aria-label': tabs.accounts},
    [
      {
        name: html`${operator.account}`,
        cell: ({owner, info}) => html`${owner} ${info?.isBlocked && blockedMark(texts)}`,
      },
      {name: accounts.created, cell: ({created}) => formats.date(created)},
      {name: tabs.links, cell: ({info}) => number(info?.links)},
      {name: visits.title, cell: ({info}) => number(info?.totalVisits)},
      {name: list.lastVisit, cell: ({info}) => (info ? formats.lastVisit(info, visits.never) : '–')},
    ],
    owned,
  );
}
