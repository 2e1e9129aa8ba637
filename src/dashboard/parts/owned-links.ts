import type {AdminLinkQuery, OwnedLink} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {beginning, html, type Html} from '../html.ts';
import {type OrderedPage, readInOrder} from '../list/order.ts';
import type {DashboardRequest} from '../request.ts';
import {accountLink, table} from './pieces.ts';
import {statusOf} from './status.ts';

export async function readOwnedLinks(
  request: DashboardRequest,
  length: number,
  conditions: AdminLinkQuery,
): Promise<OrderedPage<OwnedLink>> {
  return readInOrder<OwnedLink>(request, length, async (part) => {
    const {links: items, nextCursor} = await request.shortener.admin.pageLinks({...conditions, ...part});
    return {items, nextCursor};
  });
}

/** Links of any accounts, for the operator. */
export async function ownedLinks(
  request: DashboardRequest,
  title: string,
  {items: links, isTooLong}: OrderedPage<OwnedLink>,
): Promise<Html | undefined> {
  const {texts, formats, root} = request;
  if (links.length === 0) return undefined;
  const {list, operator} = texts;
  const names = [list.link, operator.account, list.status, list.visits];
  const rows = links.map(
    async ({account, link}) =>
      html`<tr role="row">
        <td role="cell" class="links-addresses">
          <a class="links-short" href="${withQuery(`${root}operator`, {short_url: link.shortUrl})}"
            >${withoutScheme(link.shortUrl)}</a
          >
          <span class="links-long"><bdi>${beginning(link.originalUrl, 300)}</bdi></span>
        </td>
        <td role="cell" class="links-owner" data-label="${operator.account}">
          <div>${await accountLink(request, account)}</div>
        </td>
        <td role="cell" data-label="${list.status}"><div class="links-facts">${statusOf(request, link)}</div></td>
        <td role="cell" data-label="${list.visits}">${formats.number(link.totalVisits)}</td>
      </tr>`,
  );
  return html`<section class="links-list" aria-labelledby="links-owned-title">
    <h2 id="links-owned-title">${title}</h2>
    ${isTooLong && html`<p>${list.tooMany}</p>`}
    ${table({'aria-labelledby': 'links-owned-title'}, names, await Promise.all(rows))}
  </section>`;
}
