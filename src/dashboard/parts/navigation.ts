import {attributes, html, type Html} from '../html.ts';
import type {DashboardUser} from '../options.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';

/** The tabs of the dashboard, if there is more than one, and the logged-in user. */
export function navigation(request: DashboardRequest, user: DashboardUser | undefined): Html | undefined {
  const pages = pagesOf(request);
  if (pages.length < 2 && user === undefined) return undefined;
  return html`${pages.length > 1 && tabs(request, pages)} ${user && userLine(request.texts, user)}`;
}

interface Page {
  readonly path: string;
  readonly name: string;
}

function pagesOf({texts, hasApi, isAdmin}: DashboardRequest): Page[] {
  const {links, api, reference, operator, accounts} = texts.tabs;
  const forPrograms = [
    {path: 'api', name: api},
    {path: 'reference/', name: reference},
  ];
  const forAdmins = [
    {path: 'operator', name: operator},
    {path: 'accounts', name: accounts},
  ];
  return [{path: '', name: links}, ...(hasApi ? forPrograms : []), ...(isAdmin ? forAdmins : [])];
}

function tabs({texts, path: here, root}: DashboardRequest, pages: readonly Page[]): Html {
  return html`<nav class="links-tabs" aria-label="${texts.tabs.label}">
    <ul>
      ${pages.map(({path, name}) => html`<li><a ${attributes({href: root + path, 'aria-current': path === here && 'page'})}>${name}</a></li>`)}
    </ul>
  </nav>`;
}

/** The name of the user and the link to log out. */
export function userLine(texts: Texts, {name, logout}: DashboardUser): Html {
  return html`<p class="links-user">
    <span class="links-unseen">${texts.user.loggedInAs}</span>
    <bdi class="links-user-name">${name}</bdi>
    ${logout !== undefined && html`<a href="${logout}">${texts.user.logOut}</a>`}
  </p>`;
}
