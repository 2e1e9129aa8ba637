import type {Link, LinkStats} from '../../index.ts';
import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {editForm} from '../forms/edit-form.ts';
import {
  checkForm,
  checkLimit,
  checkPassword,
  type Failure,
  noFailure,
  rearrangedForm,
  submit,
} from '../forms/failures.ts';
import {enteredIn, fieldsOf, loadedIn, toUpdate} from '../forms/link-fields.ts';
import {confirmation} from '../forms/protection.ts';
import {placesOf} from '../forms/rules.ts';
import {html, type Html} from '../html.ts';
import {viewOf} from '../list/search.ts';
import type {FailedLink} from '../list/selection.ts';
import {showHome} from './home.ts';
import {alert, backLink, card, confirmed, copyIcon, doneNotice} from '../parts/pieces.ts';
import {qrPanel} from '../parts/qr-panel.ts';
import {statusOf} from '../parts/status.ts';
import {switchOf} from '../parts/switch.ts';
import {type DashboardRequest, ofOwnLink, ownLink, type PageReply, type Reply} from '../request.ts';
import {variantTable} from '../visits/variants.ts';
import {readStatistics, type Statistics, statistics} from '../visits/statistics.ts';

interface LinkOutcome {
  readonly edit?: Failure;
  readonly failed?: FailedLink;
}

/** The page of one link: its visits, its QR code, and forms to change and remove it. */
export async function showLink(
  request: DashboardRequest,
  shortUrl = request.query.get('short_url') ?? '',
  {edit, failed}: LinkOutcome = {},
): Promise<PageReply> {
  const {texts, shortener, account} = request;
  const [link, stats] = await ofOwnLink(
    Promise.all([
      shortener.links.info(account, shortUrl),
      readStatistics(request, (query) => shortener.links.stats(account, shortUrl, query)),
    ]),
  );
  const {updated, found} = texts.notices;
  return {
    status: edit?.status ?? failed?.status ?? (stats.span.isRefused ? 400 : undefined),
    title: link.title ?? withoutScheme(link.shortUrl),
    content: html`${heading(request, link)}
      ${edit === undefined && failed === undefined && doneNotice(request, {updated, found})}
      ${failed !== undefined && alert(html`<bdi>${withoutScheme(link.shortUrl)}</bdi>: ${failed.text}`)}
      ${link.isBlocked && failed === undefined && html`<p class="links-error links-alert">${texts.errors.codes.link_blocked}</p>`}
      ${visits(request, link, stats)} ${variantTable(request, link, stats)}
      ${!link.isBlocked && editForm(request, link, edit ?? {...noFailure, entered: fieldsOf(link, request.formats, placesOf(request.language))})}
      <div class="links-columns">${qrPanel(request, link)}${removal(request, link)}</div>
      ${request.hasApi && html`<p class="links-to-api"><a href="${withQuery(`${request.root}api`, {short_url: link.shortUrl})}">${texts.api.callsForLink}</a></p>`}`,
  };
}

function heading(request: DashboardRequest, link: Link): Html {
  const {texts, formats} = request;
  const {title, shortUrl, originalUrl, dateCreated} = link;
  const address = html`<a class="links-short" href="${shortUrl}">${withoutScheme(shortUrl)}</a>`;
  return html`${backLink(request)}
    <div class="links-heading">
      <h1>${title === null ? address : html`<bdi>${title}</bdi>`}</h1>
      <div class="links-row">
        ${title !== null && address} ${copyIcon(request, shortUrl)} ${switchOf(request, link, {from: 'link'})}
        <a class="links-button links-small" href="${withQuery(request.root, {like: shortUrl})}#links-create"
          >${texts.link.duplicate}</a
        >
      </div>
      <p class="links-target">
        <a href="${originalUrl}" rel="noreferrer"><bdi>${originalUrl}</bdi></a>
      </p>
      <div class="links-facts links-row">
        ${statusOf(request, link)} <span class="links-fact">${texts.link.created(formats.date(dateCreated))}</span>
      </div>
    </div>`;
}

function visits(request: DashboardRequest, {shortUrl, confirm, hasPassword}: Link, read: Statistics<LinkStats>): Html {
  const {texts, formats} = request;
  const totals = [
    [texts.visits.inAll, formats.number(read.all.totalVisits)],
    [texts.visits.last(formats.timeZone), formats.lastVisit(read.all, texts.visits.never)],
  ] as const;
  return html`<section class="links-card" id="links-visits" aria-labelledby="links-visits-title">
    ${statistics(request, read, {
      page: {path: 'link', parameters: {short_url: shortUrl}},
      totals,
      files: {short_url: shortUrl},
      subject: {short_url: shortUrl},
      note: confirm && !hasPassword ? texts.visits.people : undefined,
    })}
  </section>`;
}

function removal(request: DashboardRequest, {shortUrl}: Link): Html {
  const {texts} = request;
  const hidden = {short_url: shortUrl, from: 'link'};
  const {question, text, confirm} = texts.removal;
  const content = html`<p><strong>${question(withoutScheme(shortUrl))}</strong> ${text}</p>`;
  return card(
    'removal',
    texts.removal.title,
    confirmed(request, texts.removal.open, {action: 'remove', hidden, content, confirm}),
  );
}

export async function updateLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, formats, language, token, root} = request;
  const entered = enteredIn(form);
  const link = await ownLink(request, form.get('short_url') ?? '');
  const loaded = loadedIn(form, link, formats);
  return submit(request, {
    entered,
    check: () =>
      rearrangedForm(request, entered) ??
      checkForm(request, entered) ??
      checkPassword(request, entered) ??
      checkLimit(request, entered, loaded, link),
    work: async () => {
      const changes = toUpdate(entered, loaded, placesOf(language), form.get('clear_password') === 'yes');
      if (Object.keys(changes).length > 0) await shortener.links.update(account, link.shortUrl, changes);
      return withQuery(`${root}link`, confirmation(token, 'updated', link.shortUrl));
    },
    again: (edit) => showLink(request, link.shortUrl, {edit}),
  });
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
    return `${withQuery(root, confirmation(token, 'selection-remove', '', '1'))}#links-list`;
  });
}

/** @param work changes the link and returns the address to redirect to */
function change(request: DashboardRequest, work: (shortUrl: string) => Promise<string>): Promise<Reply> {
  const shortUrl = request.form.get('short_url') ?? '';
  return submit(request, {
    work: () => work(shortUrl),
    // The page of the form, with the error beside the link. An unknown link has no page.
    again: ({status, errors}) => {
      const failed = {shortUrl, text: errors.form ?? '', status};
      const isOnLinkPage = request.form.get('from') === 'link' && status !== 404;
      return isOnLinkPage ? showLink(request, shortUrl, {failed}) : showHome(request, {failed});
    },
  });
}
