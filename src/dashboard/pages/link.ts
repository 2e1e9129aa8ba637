import type {Link, LinkStats} from '../../index.ts';
import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {editForm} from '../forms/edit-form.ts';
import {
  checkForm,
  checkLimit,
  checkPassword,
  type Failure,
  failureOf,
  noFailure,
  rearrangedForm,
  staleForm,
} from '../forms/failures.ts';
import {enteredIn, fieldsOf, loadedIn, toUpdate} from '../forms/link-fields.ts';
import {confirmation, confirmedIn, hasToken} from '../forms/protection.ts';
import {placesOf} from '../forms/rules.ts';
import {html, type Html} from '../html.ts';
import {viewOf} from '../list/search.ts';
import type {FailedLink} from '../list/table.ts';
import {showHome} from './home.ts';
import {actionForm, alert, confirmed, copyIcon, notice} from '../parts/pieces.ts';
import {qrPanel} from '../parts/qr-panel.ts';
import {statusOf} from '../parts/status.ts';
import {switchOf} from '../parts/switch.ts';
import {type DashboardRequest, type Handler, ownLink, type PageReply, type Reply} from '../request.ts';
import {readStatistics, type Statistics, statistics} from '../visits/statistics.ts';

/** The error of a form, if the page is shown again because of one. */
export interface LinkOutcome {
  readonly edit?: Failure;
  readonly failed?: FailedLink;
}

/** The page of one link: its visits, its QR code, and forms to change and remove it. */
export const linkPage: Handler = (request) => showLink(request, request.query.get('short_url') ?? '');

export async function showLink(
  request: DashboardRequest,
  shortUrl: string,
  {edit, failed}: LinkOutcome = {},
): Promise<PageReply> {
  const {texts, shortener, account} = request;
  const link = await ownLink(request, shortUrl);
  const stats = await readStatistics(request, (query) => shortener.links.stats(account, link.shortUrl, query));
  const done = edit === undefined && failed === undefined ? confirmedIn(request) : undefined;
  return {
    status: edit?.status ?? failed?.status ?? (stats.span.isRefused ? 400 : undefined),
    title: link.title ?? withoutScheme(link.shortUrl),
    content: html`${heading(request, link)}
      ${(done === 'updated' || done === 'found') && notice(html`<p>${texts.notices[done]}</p>`)}
      ${failed !== undefined && alert(html`<bdi>${withoutScheme(link.shortUrl)}</bdi>: ${failed.text}`)}
      ${link.isBlocked && failed === undefined && html`<p class="links-error links-alert">${texts.errors.codes.link_blocked}</p>`}
      ${visits(request, link, stats)}
      ${!link.isBlocked && editForm(request, link, edit ?? {...noFailure, entered: fieldsOf(link, request.formats, placesOf(request.language))})}
      <div class="links-columns">${qrPanel(request, link)}${removal(request, link)}</div>
      ${request.hasApi && html`<p><a href="${withQuery(`${request.root}api`, {short_url: link.shortUrl})}">${texts.api.callsForLink}</a></p>`}`,
  };
}

function heading(request: DashboardRequest, link: Link): Html {
  const {texts, formats, root} = request;
  const {title, shortUrl, originalUrl, dateCreated} = link;
  const address = html`<a class="links-short" href="${shortUrl}">${withoutScheme(shortUrl)}</a>`;
  return html`<p class="links-back"><a href="${root}#links-list">← ${texts.link.back}</a></p>
    <div class="links-heading">
      <h1>${title === null ? address : html`<bdi>${title}</bdi>`}</h1>
      <div class="links-row">
        ${title !== null && address} ${copyIcon(request, shortUrl)} ${switchOf(request, link, {from: 'link'})}
      </div>
      <p class="links-target">
        <a href="${originalUrl}" rel="noreferrer"><bdi>${originalUrl}</bdi></a>
      </p>
      <div class="links-facts links-row">
        ${statusOf(request, link)} <span class="links-fact">${texts.link.created(formats.date(dateCreated))}</span>
      </div>
    </div>`;
}

function visits(request: DashboardRequest, {shortUrl}: Link, read: Statistics<LinkStats>): Html {
  const {texts, formats, root} = request;
  const totals = [
    [texts.visits.inAll, formats.number(read.all.totalVisits)],
    [texts.visits.last(formats.timeZone), formats.lastVisit(read.all, texts.visits.never)],
  ] as const;
  return html`<section class="links-card" id="links-visits" aria-labelledby="links-visits-title">
    ${statistics(request, read, {
      page: {path: 'link', parameters: {short_url: shortUrl}},
      totals,
      csv: withQuery(`${root}visits.csv`, {short_url: shortUrl}),
    })}
  </section>`;
}

function removal(request: DashboardRequest, {shortUrl}: Link): Html {
  const {texts} = request;
  const question = html`<p><strong>${texts.removal.question(withoutScheme(shortUrl))}</strong> ${texts.removal.text}</p>
    <button class="links-button links-danger">${texts.removal.confirm}</button>`;
  return html`<section class="links-card" aria-labelledby="links-removal-title">
    <h2 id="links-removal-title">${texts.removal.title}</h2>
    ${confirmed(texts.removal.open, actionForm(request, 'remove', {short_url: shortUrl, from: 'link'}, question))}
  </section>`;
}

/** Changes a link from the form on its page. */
export async function updateLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, formats, token, root} = request;
  const entered = enteredIn(form);
  const link = await ownLink(request, form.get('short_url') ?? '');
  const again = (edit: Failure): Promise<Reply> => showLink(request, link.shortUrl, {edit});
  const wrong = hasToken(request)
    ? (rearrangedForm(request, entered) ??
      checkForm(request, entered) ??
      checkPassword(request, entered) ??
      checkLimit(request, entered, loadedIn(form, link, formats), link))
    : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    const changes = toUpdate(
      entered,
      loadedIn(form, link, formats),
      placesOf(request.language),
      form.get('clear_password') === 'yes',
    );
    if (Object.keys(changes).length > 0) await shortener.links.update(account, link.shortUrl, changes);
    return {location: withQuery(`${root}link`, confirmation(token, 'updated', link.shortUrl))};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}

/** Disables or enables a link; the path names the action. */
export async function switchLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, path, form, root, query} = request;
  const operation = path === 'enable' ? 'enable' : 'disable';
  return change(request, async (shortUrl) => {
    await shortener.links[operation](account, shortUrl);
    return form.get('from') === 'link' ? linkAddress(root, shortUrl) : `${root}${viewOf(query)}#links-list`;
  });
}

/** Removes a link for good. The page of the link has asked for confirmation. */
export async function removeLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, token, root} = request;
  return change(request, async (shortUrl) => {
    await shortener.links.remove(account, shortUrl);
    return withQuery(root, confirmation(token, 'removed'));
  });
}

/** @param work changes the link and returns the address to redirect to */
async function change(request: DashboardRequest, work: (shortUrl: string) => Promise<string>): Promise<Reply> {
  const shortUrl = request.form.get('short_url') ?? '';
  if (!hasToken(request)) return explain(request, shortUrl, staleForm(request));
  let location: string;
  try {
    location = await work(shortUrl);
  } catch (error) {
    return explain(request, shortUrl, failureOf(request, error));
  }
  return {location};
}

/** Shows the page of the form again, with the error beside the link. */
async function explain(request: DashboardRequest, shortUrl: string, {status, errors}: Failure): Promise<Reply> {
  const failed = {shortUrl, text: errors.form ?? '', status};
  // An unknown link has no page.
  const isOnLinkPage = request.form.get('from') === 'link' && status !== 404;
  return isOnLinkPage ? showLink(request, shortUrl, {failed}) : showHome(request, {failed});
}
