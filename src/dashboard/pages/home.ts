import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {instantOf} from '../formats.ts';
import {createForm} from '../forms/create-form.ts';
import {
  checkForm,
  enteredBeforeLogin,
  type Failure,
  failureOf,
  noFailure,
  rearrangedForm,
  staleForm,
} from '../forms/failures.ts';
import {enteredIn, toCreate} from '../forms/link-fields.ts';
import {confirmation, confirmedIn, hasToken} from '../forms/protection.ts';
import {placesOf} from '../forms/rules.ts';
import {html, type Html} from '../html.ts';
import {linkList, type Listed} from '../list/list.ts';
import {findLinks, type FoundLinks, viewIn} from '../list/search.ts';
import {copyButton, notice} from '../parts/pieces.ts';
import {qrDownloads, qrImage} from '../parts/qr-panel.ts';
import type {DashboardRequest, Handler, PageReply, Reply} from '../request.ts';
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
      ${isAgain ? undefined : confirmed(request, found)} ${createForm(request, entered)}
      ${hasFigures && overview(request, read, {page: {path: '', parameters: viewIn(request.query)}, totals, csv: `${root}visits.csv`, more: {path: 'compare', text: texts.compare.title}})}
      ${linkList(request, {found, failed, selection}, stats)}`,
  };
}

/** The confirmation of an action; the query names it. A new link is shown only if it is in the list. */
function confirmed(request: DashboardRequest, {items}: FoundLinks): Html | undefined {
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

/** Creates a link from the form on the home page. */
export async function createLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, token, root, language} = request;
  const entered = enteredIn(form);
  // The form gets all its values back. Without the password a second attempt would create an open link.
  const again = (create: Failure): Promise<Reply> => showHome(request, {create});
  const wrong = hasToken(request)
    ? (rearrangedForm(request, entered) ?? checkForm(request, entered))
    : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    const {shortUrl, dateCreated} = await shortener.links.create(account, toCreate(entered, placesOf(language)));
    // A link of an earlier call with `reuse` need not be in the list.
    if (instantOf(dateCreated).getTime() < Math.floor(request.now / 1000) * 1000) {
      return {location: linkAddress(root, shortUrl, confirmation(token, 'found', shortUrl))};
    }
    return {location: withQuery(root, confirmation(token, 'created', shortUrl))};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}
