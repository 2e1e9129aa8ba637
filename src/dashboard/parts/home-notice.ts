import {bare, linkAddress} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {Home} from '../pages/home.ts';
import type {DashboardRequest} from '../request.ts';
import {copyButton, notice} from './pieces.ts';

/**
 * What the query says has been done. Nothing of it is shown as it stands there: a link is named only if the account has
 * it, so that no site can put its own words here.
 */
export function homeNotice(request: DashboardRequest, {found}: Home): Html | undefined {
  const {texts, query, root} = request;
  switch (query.get('done')) {
    case 'removed':
      return notice(html`<p>${texts.notices.removed}</p>`);
    case 'created': {
      const link = found.links.find(({shortUrl}) => shortUrl === query.get('short_url'));
      if (link === undefined) return undefined;
      const {shortUrl} = link;
      return notice(
        html`<p>${texts.notices.created} <a class="links-strong" href="${shortUrl}">${bare(shortUrl)}</a></p>
          <p class="links-row">
            ${copyButton(request, shortUrl, shortUrl)}
            <a class="links-button links-small" href="${linkAddress(root, shortUrl)}">${texts.link.details}</a>
          </p>`,
      );
    }
    default:
      return undefined;
  }
}
