import {withoutScheme} from '../addresses.ts';
import {type Failure, failureOf} from '../forms/failures.ts';
import {html, type Html} from '../html.ts';
import type {OwnedLink} from '../../index.ts';
import {field, plainText} from '../forms/field.ts';
import {actionForm, alert, emptyState, notice} from '../parts/pieces.ts';
import {statusOf} from '../parts/status.ts';
import {confirmedIn} from '../forms/protection.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';

/** The operator's page: finds any link by its short URL, shows its account, and blocks or unblocks it. */
export const operatorPage: Handler = (request) => showOperator(request, request.query.get('short_url') ?? '');

export async function showOperator(request: DashboardRequest, text: string, failure?: Failure): Promise<PageReply> {
  const {texts, root} = request;
  const wanted = text.trim();
  const {found, error} = wanted === '' ? {} : await find(request, wanted);
  const done = failure === undefined && found !== undefined ? confirmedIn(request) : undefined;
  return {
    status: failure?.status,
    title: texts.operator.title,
    content: html`<h1>${texts.operator.title}</h1>
      <p>${texts.operator.text}</p>
      <form class="links-find" action="${root}operator">
        ${field({
          name: 'short_url',
          label: texts.fields.shortUrl,
          error,
          attributes: {...plainText, inputmode: 'url', required: true, placeholder: 'https://', value: wanted},
        })}
        <button class="links-button">${texts.operator.find}</button>
      </form>
      ${done === 'blocked' && notice(html`<p>${texts.notices.blocked}</p>`)}
      ${done === 'unblocked' && notice(html`<p>${texts.notices.unblocked}</p>`)}
      ${failure?.errors.form !== undefined && failure.status !== 404 && alert(html`<bdi>${withoutScheme(wanted)}</bdi>: ${failure.errors.form}`)}
      ${wanted !== '' && error === undefined && (found === undefined ? emptyState(texts.operator.nothing, texts.operator.nothingHint) : card(request, found))}`,
  };
}

/** The scheme of the short URL is optional. */
async function find(
  request: DashboardRequest,
  text: string,
): Promise<{found?: OwnedLink | undefined; error?: string | undefined}> {
  const shortUrl = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  try {
    return {found: await request.shortener.admin.find(shortUrl)};
  } catch (error) {
    const {errors} = failureOf(request, error);
    return {error: errors.url ?? errors.form};
  }
}

function card(request: DashboardRequest, {account, link}: OwnedLink): Html {
  const {texts, formats} = request;
  const {shortUrl, originalUrl, title, dateCreated, totalVisits, isBlocked} = link;
  const {operator} = texts;
  const button = (action: 'block' | 'unblock', className: string): Html =>
    actionForm(
      request,
      action,
      {short_url: shortUrl},
      html`<button class="links-button ${className}">${operator[action]}</button>`,
    );
  return html`<section class="links-card" aria-labelledby="links-found-title">
    <h2 id="links-found-title"><a href="${shortUrl}">${withoutScheme(shortUrl)}</a></h2>
    <dl class="links-properties">
      <div>
        <dt>${operator.account}</dt>
        <dd><bdi>${account}</bdi></dd>
      </div>
      ${
        title !== null &&
        html`<div>
          <dt>${texts.fields.title}</dt>
          <dd><bdi>${title}</bdi></dd>
        </div>`
      }
      <div>
        <dt>${texts.fields.url}</dt>
        <dd><bdi>${originalUrl}</bdi></dd>
      </div>
      <div>
        <dt>${texts.list.status}</dt>
        <dd class="links-row">${statusOf(request, link)}</dd>
      </div>
      <div>
        <dt>${operator.created}</dt>
        <dd>${formats.moment(dateCreated)}</dd>
      </div>
      <div>
        <dt>${texts.visits.title}</dt>
        <dd>${formats.number(totalVisits)}</dd>
      </div>
    </dl>
    <div class="links-row">${isBlocked ? button('unblock', 'links-secondary') : button('block', 'links-danger')}</div>
    <p class="links-hint">${operator.blockHint}</p>
  </section>`;
}
