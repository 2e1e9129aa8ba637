import {linkAddress, withoutScheme} from '../addresses.ts';
import {enteredBeforeLogin, type Failure, noFailure} from '../forms/failures.ts';
import {html, type Html} from '../html.ts';
import {type FoundLinks, findLinks} from '../list/search.ts';
import {apiKeyPanel} from '../parts/api-key.ts';
import {createForm} from '../forms/create-form.ts';
import {linkList} from '../list/list.ts';
import type {FailedLink} from '../list/table.ts';
import {overview} from '../visits/overview.ts';
import {copyButton, notice} from '../parts/pieces.ts';
import {confirmedIn} from '../forms/protection.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';

/** The error of a form, if the page is shown again because of one. */
export interface HomeOutcome {
  readonly create?: Failure;
  readonly failed?: FailedLink;
}

/** The home page: a form for new links, the visits of all links, and the list of links. */
export const homePage: Handler = (request) => showHome(request);

export async function showHome(request: DashboardRequest, outcome: HomeOutcome = {}): Promise<PageReply> {
  const {texts, form, shortener, account} = request;
  const [stats, found] = await Promise.all([shortener.accounts.stats(account), findLinks(request)]);
  const isAgain = outcome.create !== undefined || outcome.failed !== undefined;
  const create = outcome.create ?? (form.size > 0 ? noFailure : enteredBeforeLogin(request));
  return {
    status: outcome.create?.status ?? outcome.failed?.status,
    title: texts.home.title,
    content: html`<h1>${texts.home.title}</h1>
      ${isAgain ? undefined : confirmation(request, found)}
      <div class="links-columns">
        <div>${createForm(request, create)}${apiKeyPanel(request, {more: true})}</div>
        ${overview(request, stats)}
      </div>
      ${linkList(request, {found, failed: outcome.failed}, stats)}`,
  };
}

/** The confirmation of an action; the query names it. A new link is shown only if it is in the list. */
function confirmation(request: DashboardRequest, {links}: FoundLinks): Html | undefined {
  const {texts, query, root} = request;
  switch (confirmedIn(request)) {
    case 'removed':
      return notice(html`<p>${texts.notices.removed}</p>`);
    case 'created': {
      const link = links.find(({shortUrl}) => shortUrl === query.get('short_url'));
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
