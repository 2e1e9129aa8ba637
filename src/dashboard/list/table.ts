import type {Link, ListedLink} from '../../index.ts';
import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {attributes, beginning, html, type Html} from '../html.ts';
import {alert, copyIcon} from '../parts/pieces.ts';
import {statusOf} from '../parts/status.ts';
import {switchOf} from '../parts/switch.ts';
import {listTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {sparkline} from '../visits/chart.ts';
import {conversionLine} from '../visits/conversions.ts';
import {statsByDay} from '../visits/days.ts';
import {recentDates} from '../visits/span.ts';
import {barDays} from './search.ts';
import {checkbox, type FailedLink} from './selection.ts';

/** How many tags of a link are shown outside the closed `<details>`. */
const shownTags = 3;

interface Rows {
  readonly links: readonly ListedLink[];
  readonly failed: FailedLink | undefined;
  /** Whether there is a column of conversions. */
  readonly hasConversions: boolean;
  /** The short URLs of the links whose boxes are checked. */
  readonly selected: readonly string[];
  /** The query of the list. */
  readonly view: string;
}

export function linkTable(request: DashboardRequest, {links, failed, hasConversions, selected, view}: Rows): Html {
  const {texts, formats, root, today} = request;
  const {list, visits, conversions} = texts;
  const unseen = (text: string): Html => html`<span class="links-unseen">${text}</span>`;
  const period = visits.lastDays(formats.number(barDays));
  return listTable(
    {'aria-labelledby': 'links-list-title'},
    [
      {
        name: unseen(list.select),
        className: 'links-select',
        cell: ({shortUrl}, index) => checkbox(request, shortUrl, index, selected.includes(shortUrl)),
      },
      {
        name: html`${list.link}`,
        className: 'links-addresses',
        cell: (link) =>
          html`${failed?.shortUrl === link.shortUrl && alert(html`<bdi>${withoutScheme(link.shortUrl)}</bdi>: ${failed.text}`)}
          ${addresses(request, link)}`,
      },
      {name: list.status, cell: (link) => html`<div class="links-facts">${statusOf(request, link)}</div>`},
      {
        name: visits.title,
        cell: ({totalVisits, days = []}) =>
          html`<div class="links-visits">
            ${formats.number(totalVisits)}${sparkline(request, statsByDay(days, recentDates(today, barDays)), period)}
          </div>`,
      },
      hasConversions && {
        name: conversions.title,
        cell: (link) => conversionLine(request, link.conversions, link.totalVisits),
      },
      {
        name: list.lastVisit,
        className: 'links-when',
        cell: (link) => formats.lastVisit(link, visits.never),
      },
      {
        name: unseen(list.actions),
        className: 'links-actions',
        cell: (link) =>
          html`<div class="links-row">
            <a
              class="links-button links-small"
              href="${linkAddress(root, link.shortUrl)}"
              aria-label="${texts.link.details}: ${link.shortUrl}"
              >${texts.link.details}</a
            >
            ${switchOf(request, link, {view})}
          </div>`,
      },
    ],
    links,
  );
}

function addresses(request: DashboardRequest, {title, shortUrl, originalUrl, tags}: Link): Html {
  return html`<div class="links-row links-first-line">
      ${title !== null && html`<p class="links-name"><bdi>${title}</bdi></p>`}
      <p class="links-short-line">
        <a class="links-short" href="${shortUrl}">${withoutScheme(shortUrl)}</a>${copyIcon(request, shortUrl)}
      </p>
    </div>
    <div class="links-second-line">
      <a class="links-long" href="${originalUrl}" title="${shortened(originalUrl)}" rel="noreferrer"
        ><bdi>${shortened(withoutScheme(originalUrl))}</bdi></a
      >
      ${tags.length > 0 && tagList(request, tags)}
    </div>`;
}

/** The tags of a link as links to the list of links that have the tag too. */
function tagList({texts, formats, root}: DashboardRequest, tags: readonly string[]): Html {
  const list = (some: readonly string[]): Html =>
    html`<ul class="links-tags">
      ${some.map(
        (tag) =>
          html`<li>
            <a class="links-tag" href="${withQuery(root, {tag})}#links-list"><bdi>${tag}</bdi></a>
          </li>`,
      )}
    </ul>`;
  const rest = tags.slice(shownTags);
  return html`<div class="links-tag-line">
    ${list(tags.slice(0, shownTags))}
    ${
      rest.length > 0 &&
      html`<details class="links-more-tags">
        <summary ${attributes({class: 'links-tag', 'aria-label': formats.count(rest.length, texts.details.more)})}>
          +${formats.number(rest.length)}
        </summary>
        ${list(rest)}
      </details>`
    }
  </div>`;
}

/** Keeps pages small: a long URL may have thousands of characters. */
function shortened(url: string): string {
  const start = beginning(url, 300);
  return start === url ? url : `${start}…`;
}
