import {linkAddress, withoutScheme} from '../addresses.ts';
import {createForm} from '../forms/create-form.ts';
import {enteredBeforeLogin, type Failure, noFailure} from '../forms/failures.ts';
import {confirmedIn} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {type Listed, linkList} from '../list/list.ts';
import {type FoundLinks, findLinks, viewIn} from '../list/search.ts';
import {copyButton, notice} from '../parts/pieces.ts';
import {qrDownloads, qrImage} from '../parts/qr-panel.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';
import {overview} from '../visits/overview.ts';
import {readStatistics} from '../visits/statistics.ts';

/** The error of a form, if the page is shown again because of one. */
export interface HomeOutcome extends Omit<Listed, 'found'> {
  readonly create?: Failure;
}

/** The home page: a form for new links, the list of links, and the visits of all of them. */
export const homePage: Handler = (request) => showHome(request);

export async function showHome(request: DashboardRequest, outcome: HomeOutcome = {}): Promise<PageReply> {
  const {texts, formats, form, shortener, account, root} = request;
  const {create, failed, selection} = outcome;
  const [read, found] = await Promise.all([
    readStatistics(request, (query) => shortener.accounts.stats(account, query)),
    findLinks(request),
  ]);
  const {all: stats} = read;
  const isAgain = create !== undefined || failed !== undefined || selection !== undefined;
  const entered = create ?? (form.size > 0 ? noFailure : enteredBeforeLogin(request));
  const hasFigures = stats.links > 0 || stats.totalVisits > 0;
  const totals = [
    [texts.home.links, formats.number(stats.links)],
    [texts.visits.inAll, formats.number(stats.totalVisits)],
    [texts.visits.last(formats.timeZone), formats.lastVisit(stats, texts.visits.never)],
  ] as const;
  return {
    status: create?.status ?? failed?.status ?? selection?.status ?? (read.span.isRefused ? 400 : undefined),
    title: texts.home.title,
    content: html`<h1>${texts.home.title}</h1>
      ${isAgain ? undefined : confirmation(request, found)} ${createForm(request, entered)}
      ${hasFigures && overview(request, read, {page: {path: '', parameters: viewIn(request.query)}, totals, csv: `${root}visits.csv`, more: {path: 'compare', text: texts.compare.title}})}
      ${linkList(request, {found, failed, selection}, stats)}`,
  };
}

/** The confirmation of an action; the query names it. A new link is shown only if it is in the list. */
function confirmation(request: DashboardRequest, {items}: FoundLinks): Html | undefined {
  const {texts, query, root} = request;
  switch (confirmedIn(request)) {
    case 'removed':
      return notice(html`<p>${texts.notices.removed}</p>`);
    case 'created': {
      const link = items.find(({shortUrl}) => shortUrl === query.get('short_url'));
      if (link === undefined) return undefined;
      const {shortUrl} = link;
      return notice(
        html`${qrImage(request, shortUrl)}
          <p>${texts.notices.created} <a class="links-strong" href="${shortUrl}">${withoutScheme(shortUrl)}</a></p>
          <p class="links-row">
            ${copyButton(request, shortUrl, shortUrl)}
            <a class="links-button links-small" href="${linkAddress(root, shortUrl)}">${texts.link.details}</a>
            ${qrDownloads(request, link)}
          </p>`,
      );
    }
    default:
      return undefined;
  }
}
