import {withoutScheme, linkAddress} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {Home} from '../pages/home.ts';
import {confirmedIn} from '../protection.ts';
import type {DashboardRequest} from '../request.ts';
import {copyButton, notice} from './pieces.ts';

/** The confirmation of an action; the query names it. A new link is shown only if it is in the list. */
export function homeNotice(request: DashboardRequest, {found}: Home): Html | undefined {
  const {texts, query, root} = request;
  switch (confirmedIn(request)) {
    case 'removed':
      return notice(html`<p>${texts.notices.removed}</p>`);
    case 'created': {
      const link = found.links.find(({shortUrl}) => shortUrl === query.get('short_url'));
      if (link === undefined) return undefined;
      const {shortUrl} = link;
      return notice(
        html`<p>${texts.notices.created} <a class="links-strong" href="${shortUrl}">${withoutScheme(shortUrl)}</a></p>
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
