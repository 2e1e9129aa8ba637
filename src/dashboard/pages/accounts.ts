import type {AccountStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {emptyState} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';

/** How many accounts a page shows. */
const pageLength = 50;

interface ListedAccount {
  readonly account: string;
  readonly created: string;
  /** Undefined for an account that was removed while the list was read. */
  readonly stats: AccountStats | undefined;
}

/** The operator's page with all accounts, and the links and visits of each. */
export const accountsPage: Handler = async (request) => {
  const {texts, root, query} = request;
  const page = pageIn(query);
  const {listed, hasMore} = await readAccounts(request, page);
  const {accounts} = texts;
  return {
    title: accounts.title,
    content: html`<h1>${accounts.title}</h1>
      ${listed.length > 0 ? html`<div class="links-list">${table(request, listed)}</div>` : nothing(request, page)}
      <nav class="links-pages" aria-label="${accounts.pages}">
        ${page > 1 && html`<a class="links-button links-small" rel="prev" href="${root}accounts?page=${page - 1}">${accounts.previous}</a>`}
        ${hasMore && html`<a class="links-button links-small" rel="next" href="${root}accounts?page=${page + 1}">${accounts.next}</a>`}
      </nav>`,
  };
};

function pageIn(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? 1);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

/** Reads the accounts of one page. Of the pages before it only the names are read. */
async function readAccounts(
  {shortener}: DashboardRequest,
  page: number,
): Promise<{listed: ListedAccount[]; hasMore: boolean}> {
  const first = (page - 1) * pageLength;
  const shown: Array<{account: string; created: string}> = [];
  let position = 0;
  let hasMore = false;
  for await (const each of shortener.admin.accounts()) {
    if (position >= first + pageLength) {
      hasMore = true;
      break;
    }
    if (position >= first) shown.push(each);
    position += 1;
  }
  const listed = shown.map(async (each) => ({...each, stats: await statsOf(shortener, each.account)}));
  return {listed: await Promise.all(listed), hasMore};
}

async function statsOf({accounts}: DashboardRequest['shortener'], account: string): Promise<AccountStats | undefined> {
  try {
    return await accounts.stats(account);
  } catch (error) {
    if ((error as {code?: unknown} | undefined)?.code === 'invalid_api_key') return undefined;
    throw error;
  }
}

function nothing({texts, root}: DashboardRequest, page: number): Html {
  const {accounts} = texts;
  if (page === 1) return emptyState(accounts.none, accounts.noneHint);
  return emptyState(accounts.end, html`<a href="${root}accounts">${accounts.title}</a>`);
}

/** Where there is little room, CSS turns each row into a card, which removes the roles of a table, so they are set explicitly. */
function table({texts, formats}: DashboardRequest, listed: readonly ListedAccount[]): Html {
  const {accounts, visits, list} = texts;
  const number = (value: number | undefined): string => (value === undefined ? '–' : formats.number(value));
  const names = [accounts.account, accounts.created, accounts.links, visits.title, list.lastVisit];
  const cell = (name: string, text: string): Html => html`<td role="cell" data-label="${name}">${text}</td>`;
  return html`<table class="links-table" role="table" aria-label="${accounts.title}">
    <thead role="rowgroup">
      <tr role="row">
        ${names.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${listed.map(
        ({account, created, stats}) =>
          html`<tr role="row">
            <td role="cell" class="links-strong"><bdi>${account}</bdi></td>
            ${cell(accounts.created, formats.date(created))} ${cell(accounts.links, number(stats?.links))}
            ${cell(visits.title, number(stats?.totalVisits))}
            ${cell(list.lastVisit, stats ? formats.lastVisit(stats, visits.never) : '–')}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
