import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** The navigation within the dashboard. */
export function tabs({texts, path: here, root, isAdmin}: DashboardRequest): Html {
  const {links, api, reference, operator, accounts} = texts.tabs;
  const forUsers = [
    {path: '', name: links},
    {path: 'api', name: api},
    {path: 'reference/', name: reference},
  ];
  const forAdmins = [
    {path: 'operator', name: operator},
    {path: 'accounts', name: accounts},
  ];
  const shown = isAdmin ? [...forUsers, ...forAdmins] : forUsers;
  return html`<nav class="links-tabs" aria-label="${texts.tabs.label}">
    <ul>
      ${shown.map(({path, name}) => html`<li><a ${attributes({href: root + path, 'aria-current': path === here && 'page'})}>${name}</a></li>`)}
    </ul>
  </nav>`;
}
