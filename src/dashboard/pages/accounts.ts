import type {AccountStats, ListedAccount} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import {field, plainText} from '../forms/field.ts';
import {accountLink, describeAccounts} from '../parts/account-link.ts';
import {emptyState} from '../parts/pieces.ts';
import {firstPage, pager, type Place, placeIn, placeParameters} from '../list/pager.ts';
import type {DashboardRequest, Handler} from '../request.ts';

/** How many accounts a page shows. */
const pageLength = 50;
/** A bound on the reads of one page. If the search finds little, a link lets the operator continue it. */
const maxReads = 5;
/** In UTF-16 units, as the shortener counts. */
const maxSearch = 200;
/** What the query of the page asks for. */
interface View {
  readonly search: string;
  readonly place: Place;
}

interface FoundAccounts {
  readonly accounts: readonly ListedAccount[];
  readonly nextCursor: string | undefined;
}

interface AccountRow extends ListedAccount {
  /** Undefined for an account that was removed while the list was read. */
  readonly stats: AccountStats | undefined;
}

/** The operator's page with all accounts, the newest first, and the links and visits of each. */
export const accountsPage: Handler = async (request) => {
  const {texts, shortener, root} = request;
  const {view, found} = await findAccounts(request);
  const rows = await Promise.all(
    found.accounts.map(async (each) => ({...each, stats: await statsOf(shortener, each.account)})),
  );
  const {accounts, list} = texts;
  return {
    title: accounts.title,
    content: html`<h1>${accounts.title}</h1>
      <form role="search" class="links-find" action="${root}accounts">
        ${field({
          name: 'search',
          label: list.search,
          attributes: {...plainText, type: 'search', maxlength: maxSearch, value: view.search},
        })}
        <button class="links-button">${list.apply}</button>
      </form>
      ${rows.length > 0 ? html`<div class="links-list">${await table(request, rows)}</div>` : nothing(request, view, found)}
      ${pageLinks(request, view, found)}`,
  };
};

function viewIn(query: URLSearchParams): View {
  return {search: (query.get('search') ?? '').trim().slice(0, maxSearch), place: placeIn(query)};
}

/** Reads the page that the query asks for. The work is bounded, however many accounts there are. */
async function findAccounts({shortener, query}: DashboardRequest): Promise<{view: View; found: FoundAccounts}> {
  const view = viewIn(query);
  try {
    return {view, found: await readAccounts(shortener, view)};
  } catch (error) {
    // Somebody has changed the cursor in the address: show the first page.
    if (view.place.cursor === undefined || codeOf(error) !== 'malformed_parameter') throw error;
    const first = {search: view.search, place: firstPage};
    return {view: first, found: await readAccounts(shortener, first)};
  }
}

async function readAccounts({admin}: DashboardRequest['shortener'], {search, place}: View): Promise<FoundAccounts> {
  const accounts: ListedAccount[] = [];
  let {cursor} = place;
  for (let reads = 0; reads < maxReads && accounts.length < pageLength; reads++) {
    const page = await admin.pageAccounts({search: search || undefined, limit: pageLength - accounts.length, cursor});
    accounts.push(...page.accounts);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return {accounts, nextCursor: cursor};
}

async function statsOf({accounts}: DashboardRequest['shortener'], account: string): Promise<AccountStats | undefined> {
  try {
    return await accounts.stats(account);
  } catch (error) {
    if (codeOf(error) === 'invalid_api_key') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return (error as {code?: unknown} | undefined)?.code;
}

function nothing({texts, root}: DashboardRequest, {search, place}: View, {nextCursor}: FoundAccounts): Html {
  const {accounts} = texts;
  const all = html`<a href="${root}accounts">${accounts.showAll}</a>`;
  if (nextCursor !== undefined) return emptyState(accounts.noneYet, all);
  if (search !== '') return emptyState(accounts.noMatch, all);
  return place.cursor === undefined ? emptyState(accounts.none, accounts.noneHint) : emptyState(accounts.end, all);
}

function pageLinks(
  {texts, root}: DashboardRequest,
  {search, place}: View,
  {nextCursor}: FoundAccounts,
): Html | undefined {
  const {pages, newer, older} = texts.accounts;
  return pager({
    place,
    nextCursor,
    addressOf: (to) => withQuery(`${root}accounts`, {search, ...placeParameters(to)}),
    ...{label: pages, newer, older},
  });
}

/** Where there is little room, CSS turns each row into a card, which removes the roles of a table, so they are set explicitly. */
async function table(request: DashboardRequest, rows: readonly AccountRow[]): Promise<Html> {
  const {texts, formats} = request;
  const descriptions = await describeAccounts(
    request,
    rows.map(({account}) => account),
  );
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
      ${rows.map(
        ({account, created, stats}) =>
          html`<tr role="row">
            <td role="cell">${accountLink(request, account, descriptions)}</td>
            ${cell(accounts.created, formats.date(created))} ${cell(accounts.links, number(stats?.links))}
            ${cell(visits.title, number(stats?.totalVisits))}
            ${cell(list.lastVisit, stats ? formats.lastVisit(stats, visits.never) : '–')}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
