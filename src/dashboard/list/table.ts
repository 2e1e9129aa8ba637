import type {Link, ListedLink} from '../../index.ts';
import {withoutScheme, linkAddress, withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import {barDays, type FoundLinks} from './search.ts';
import type {DashboardRequest} from '../request.ts';
import {visitsByDay} from '../visits/days.ts';
import {sparkline} from '../visits/chart.ts';
import {alert, copyButton} from '../parts/pieces.ts';
import {statusOf} from '../parts/status.ts';
import {switchOf} from '../parts/switch.ts';

/** The error of a button beside a link. */
export interface FailedLink {
  readonly shortUrl: string;
  readonly text: string;
  readonly status: number;
}

/** The links that the list shows. */
export interface Listed {
  readonly found: FoundLinks;
  readonly failed?: FailedLink | undefined;
}

/** Where there is little room, CSS turns each row into a card, which removes the roles of a table, so they are set explicitly. */
export function linkTable(request: DashboardRequest, listed: Listed, view: string): Html {
  const {list} = request.texts;
  const heading = (text: string): Html => html`<th role="columnheader" scope="col">${text}</th>`;
  return html`<table class="links-table" role="table" aria-labelledby="links-list-title">
    <thead role="rowgroup">
      <tr role="row">
        ${heading(list.link)}${heading(list.status)}${heading(list.visits)}${heading(list.lastVisit)}
        <th role="columnheader" scope="col"><span class="links-unseen">${list.actions}</span></th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${listed.found.links.map((link) => row(request, link, listed, view))}
    </tbody>
  </table>`;
}

function row(request: DashboardRequest, link: ListedLink, {failed}: Listed, view: string): Html {
  const {texts, formats, root, now} = request;
  const {shortUrl, totalVisits, lastAccessed, days = []} = link;
  return html`<tr role="row">
    <td role="cell" class="links-addresses">
      ${failed?.shortUrl === shortUrl && alert(html`<bdi>${withoutScheme(shortUrl)}</bdi>: ${failed.text}`)}
      ${addresses(request, link)}
    </td>
    <td role="cell" data-label="${texts.list.status}"><div class="links-facts">${statusOf(request, link)}</div></td>
    <td role="cell" data-label="${texts.list.visits}">
      <div class="links-visits">
        ${formats.number(totalVisits)}${sparkline(request, visitsByDay(days, barDays, now))}
      </div>
    </td>
    <td role="cell" data-label="${texts.list.lastVisit}" class="links-when">
      ${lastAccessed === null ? html`<span class="links-quiet">${formats.lastVisit(link, texts.visits.never)}</span>` : html`<time datetime="${lastAccessed.replace(' ', 'T')}Z">${formats.date(lastAccessed)}</time>`}
    </td>
    <td role="cell" class="links-actions">
      <div class="links-row">
        ${copyButton(request, shortUrl, shortUrl)}
        <a
          class="links-button links-small"
          href="${linkAddress(root, shortUrl)}"
          aria-label="${texts.link.details}: ${shortUrl}"
          >${texts.link.details}</a
        >
        ${switchOf(request, link, {view})}
      </div>
    </td>
  </tr>`;
}

function addresses({root}: DashboardRequest, {title, shortUrl, originalUrl, tags}: Link): Html {
  const tagLinks = tags.map(
    (tag) =>
      html`<li>
        <a class="links-tag" href="${withQuery(root, {tag})}#links-list"><bdi>${tag}</bdi></a>
      </li>`,
  );
  return html`${title !== null && html`<p class="links-name"><bdi>${title}</bdi></p>`}
    <a class="links-short" href="${shortUrl}">${withoutScheme(shortUrl)}</a>
    <a class="links-long" href="${originalUrl}" title="${shortened(originalUrl)}" rel="noreferrer"
      ><bdi>${shortened(withoutScheme(originalUrl))}</bdi></a
    >
    ${
      tagLinks.length > 0 &&
      html`<ul class="links-tags">
        ${tagLinks}
      </ul>`
    }`;
}

/** Keeps pages small: a long URL may have 8,192 characters. */
function shortened(url: string): string {
  return url.length > 300 ? `${url.slice(0, 300)}…` : url;
}
