import type {Link, LinkStats} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {type Failure, noFailure} from '../forms/failures.ts';
import {html, type Html} from '../html.ts';
import {fieldsOf} from '../forms/link-fields.ts';
import {placesOf} from '../forms/rules.ts';
import {editForm} from '../forms/edit-form.ts';
import type {FailedLink} from '../list/table.ts';
import {actionForm, alert, copyIcon, notice} from '../parts/pieces.ts';
import {qrPanel} from '../parts/qr-panel.ts';
import {statusOf} from '../parts/status.ts';
import {switchOf} from '../parts/switch.ts';
import {confirmedIn} from '../forms/protection.ts';
import {type DashboardRequest, type Handler, type PageReply, ownLink} from '../request.ts';
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

/** Asks for confirmation without a script: the button is inside a closed `<details>`. */
function removal(request: DashboardRequest, {shortUrl}: Link): Html {
  const {texts} = request;
  const question = html`<p><strong>${texts.removal.question(withoutScheme(shortUrl))}</strong> ${texts.removal.text}</p>
    <button class="links-button links-danger">${texts.removal.confirm}</button>`;
  return html`<section class="links-card" aria-labelledby="links-removal-title">
    <h2 id="links-removal-title">${texts.removal.title}</h2>
    <details class="links-more">
      <summary>${texts.removal.open}</summary>
      <div class="links-warning">${actionForm(request, 'remove', {short_url: shortUrl, from: 'link'}, question)}</div>
    </details>
  </section>`;
}
