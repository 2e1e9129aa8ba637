import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {momentIn} from '../../values/calendar.ts';
import {campaignSuggestions} from '../forms/campaign.ts';
import {createForm} from '../forms/create-form.ts';
import {checkForm, enteredBeforeLogin, type Failure, noFailure, rearrangedForm, submit} from '../forms/failures.ts';
import {enteredIn, toCreate, valuesLike} from '../forms/link-fields.ts';
import {confirmation, confirmedIn} from '../forms/protection.ts';
import {placesOf} from '../forms/rules.ts';
import {html, type Html} from '../html.ts';
import {linkList, type Listed} from '../list/list.ts';
import {conditionsIn, filterIn, findLinks, type FoundLinks, viewIn} from '../list/search.ts';
import {copyButton, notice} from '../parts/pieces.ts';
import {qrDownloads, qrImage} from '../parts/qr-panel.ts';
import {brokenCount} from '../parts/status.ts';
import {type DashboardRequest, ownLink, type PageReply, type Reply} from '../request.ts';
import {hasSpan} from '../visits/span.ts';
import {overview, readStatistics} from '../visits/statistics.ts';

interface HomeOutcome extends Omit<Listed, 'found' | 'baseUrls'> {
  readonly create?: Failure;
}

/** The home page: a form for new links, the list of links, and the visits of all of them. */
export async function showHome(request: DashboardRequest, outcome: HomeOutcome = {}): Promise<PageReply> {
  const {texts, formats, form, shortener, account} = request;
  const {create, failed, selection} = outcome;
  const filter = filterIn(request.query);
  const conditions = conditionsIn(filter);
  const [read, found, baseUrls] = await Promise.all([
    readStatistics(
      request,
      (query) => shortener.accounts.stats(account, {...conditions, ...query}),
      !hasSpan(request.query),
    ),
    findLinks(request),
    request.baseUrls(),
  ]);
  const {all: stats} = read;
  const isAgain = create !== undefined || failed !== undefined || selection !== undefined;
  const entered = create ?? (form.size > 0 ? noFailure : await entryOf(request));
  const hasFigures = stats.links > 0 || stats.totalVisits > 0;
  const totals = [
    [texts.tabs.links, formats.number(stats.links)],
    ...brokenCount(request, stats.brokenLinks, request.root),
    [texts.visits.inAll, formats.number(stats.totalVisits)],
    [texts.visits.last(formats.timeZone), formats.lastVisit(stats, texts.visits.never)],
  ] as const;
  return {
    status: create?.status ?? failed?.status ?? selection?.status ?? (read.span.isRefused ? 400 : undefined),
    title: texts.home.title,
    content: html`<h1>${texts.home.title}</h1>
      ${isAgain ? undefined : confirmed(request, found)} ${createForm(request, entered, baseUrls)}
      <div id="links-overview">
        ${hasFigures && overview(request, read, {page: {path: '', parameters: viewIn(request.query)}, totals, filter, links: found.isFiltered ? stats.links : undefined})}
      </div>
      ${linkList(request, {found, baseUrls, failed, selection}, stats)} ${campaignSuggestions(found.items)}`,
  };
}

/** What the form for a new link has: the values of another one, if the query names it, or of a form before a login. */
async function entryOf(request: DashboardRequest): Promise<Failure> {
  const like = request.query.get('like');
  if (like === null) return enteredBeforeLogin(request);
  const entered = valuesLike(await ownLink(request, like), request.formats, placesOf(request.language));
  return {...noFailure, entered};
}

/** The confirmation that a link was created. It is shown only if it is in the list. */
function confirmed(request: DashboardRequest, {items}: FoundLinks): Html | undefined {
  const {texts, query, root} = request;
  if (confirmedIn(request) !== 'created') return undefined;
  const link = items.find(({shortUrl}) => shortUrl === query.get('short_url'));
  if (link === undefined) return undefined;
  const {shortUrl} = link;
  return notice(
    html`${qrImage(request, shortUrl)}
      <p>${texts.notices.created} <a class="links-strong" href="${shortUrl}">${withoutScheme(shortUrl)}</a></p>
      <p class="links-row">
        ${copyButton(request, {'data-copy': shortUrl, 'aria-label': `${texts.copy}: ${shortUrl}`})}
        <a class="links-button links-small" href="${linkAddress(root, shortUrl)}">${texts.link.details}</a>
        ${qrDownloads(request, link)}
      </p>`,
  );
}

export async function createLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, token, root, language} = request;
  const entered = enteredIn(form);
  return submit(request, {
    entered,
    check: () => rearrangedForm(request, entered) ?? checkForm(request, entered),
    work: async () => {
      const {shortUrl, dateCreated} = await shortener.links.create(account, toCreate(entered, placesOf(language)));
      // A link of an earlier call with `reuse` need not be in the list.
      const isOld = momentIn(dateCreated) < Math.floor(request.now / 1000) * 1000;
      if (isOld) return linkAddress(root, shortUrl, confirmation(token, 'found', shortUrl));
      return withQuery(root, confirmation(token, 'created', shortUrl));
    },
    // The form gets all its values back. Without the password a second attempt would create an open link.
    again: (create) => showHome(request, {create}),
  });
}
