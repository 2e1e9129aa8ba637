import {withQuery} from '../addresses.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardUser} from '../options.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {chosenSpan} from '../visits/span.ts';

/** The tabs of the dashboard, and the logged-in user. */
export function navigation(request: DashboardRequest, user: DashboardUser | undefined): Html {
  return html`${tabs(request, pagesOf(request))} ${user && userLine(request.texts, user)}`;
}

interface Page {
  readonly path: string;
  readonly name: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  /**
   * The paths of pages below this one, and of the forms that are shown on them again if they have an error. The first page
   * has those that are below no other.
   */
  readonly below?: readonly string[];
}

const accountPaths = ['account', 'compare-accounts', 'block-account', 'unblock-account', 'remove-account'];

function pagesOf(request: DashboardRequest): Page[] {
  const {texts, hasApi, isAdmin} = request;
  const {links, api, operator, accounts} = texts.tabs;
  const forPrograms = [{path: 'api', name: api, below: ['key', 'create-key', 'revoke-key']}];
  const forAdmins = [
    {path: 'today', name: texts.today.title},
    {path: 'operator', name: operator, below: ['block', 'unblock', 'block-links']},
    {path: 'accounts', name: accounts, below: accountPaths},
  ];
  return [
    {path: '', name: links},
    {path: 'compare', name: texts.compare.title, parameters: chosenSpan(request)},
    ...(hasApi ? forPrograms : []),
    ...(isAdmin ? forAdmins : []),
  ];
}

function tabs(request: DashboardRequest, pages: readonly Page[]): Html {
  const {texts, path: here, root} = request;
  const current = pages.find(({path, below}) => path === here || below?.includes(here)) ?? pages[0];
  return html`<nav class="links-tabs" aria-label="${texts.tabs.label}">
    <ul>
      ${pages.map((page) => html`<li><a ${attributes({href: withQuery(root + page.path, page.parameters ?? {}), 'aria-current': page === current && (page.path === here ? 'page' : 'true')})}>${page.name}</a></li>`)}
    </ul>
  </nav>`;
}

export function userLine(texts: Texts, {name, logout}: DashboardUser): Html {
  return html`<p class="links-user">
    <span class="links-unseen">${texts.user.loggedInAs}</span>
    <bdi class="links-user-name">${name}</bdi>
    ${logout !== undefined && html`<a href="${logout}">${texts.user.logOut}</a>`}
  </p>`;
}
