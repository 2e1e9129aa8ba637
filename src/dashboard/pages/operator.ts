import {withoutScheme} from '../addresses.ts';
import {type Failure, failureOf} from '../forms/failures.ts';
import {html, type Html} from '../html.ts';
import type {OwnedLink} from '../../index.ts';
import {field, plainText} from '../forms/field.ts';
import {accountLink, describeAccounts} from '../parts/account-link.ts';
import {ownedLinks} from '../parts/owned-links.ts';
import {reasonField} from './account.ts';
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
  const others = found === undefined && error === undefined ? await search(request, wanted) : undefined;
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
      ${wanted !== '' && error === undefined && found === undefined && others === undefined && emptyState(texts.operator.nothing, texts.operator.nothingHint)}
      ${found !== undefined && (await card(request, found))} ${others} ${await siteTotals(request, wanted)}`,
  };
}

/** A bound on the reads of one search. */
const maxReads = 5;

/** The links that a text finds, or the newest ones. */
async function search(request: DashboardRequest, text: string): Promise<Html | undefined> {
  const {shortener, texts} = request;
  const wanted = Array.from(text).slice(0, 200).join('');
  const links: OwnedLink[] = [];
  let cursor: string | undefined;
  for (let reads = 0; reads < maxReads && links.length < 20; reads += 1) {
    const page = await shortener.admin.pageLinks({search: wanted || undefined, limit: 20 - links.length, cursor});
    links.push(...page.links);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return ownedLinks(request, text === '' ? texts.account.newest : texts.account.found, links);
}

/** The totals of the site, on the page without a search. */
async function siteTotals({shortener, texts, formats}: DashboardRequest, text: string): Promise<Html | undefined> {
  if (text !== '') return undefined;
  const {accounts, links, totalVisits} = await shortener.admin.stats();
  const values = [accounts, links, totalVisits];
  return html`<dl class="links-counts">
    ${texts.account.totals.map(
      (name, index) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${formats.number(values[index] ?? 0)}</dd>
        </div>`,
    )}
  </dl>`;
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

async function card(request: DashboardRequest, {account, link}: OwnedLink): Promise<Html> {
  const descriptions = await describeAccounts(request, [account]);
  const {texts, formats} = request;
  const {shortUrl, originalUrl, title, dateCreated, totalVisits, isBlocked, blockReason} = link;
  const {operator} = texts;
  const button = (action: 'block' | 'unblock', className: string): Html =>
    actionForm(
      request,
      action,
      {short_url: shortUrl},
      html`${action === 'block' && reasonField(request)}<button class="links-button ${className}">
          ${operator[action]}
        </button>`,
    );
  return html`<section class="links-card" aria-labelledby="links-found-title">
    <h2 id="links-found-title"><a href="${shortUrl}">${withoutScheme(shortUrl)}</a></h2>
    <dl class="links-properties">
      <div>
        <dt>${operator.account}</dt>
        <dd>${accountLink(request, account, descriptions)}</dd>
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
      ${
        blockReason !== undefined &&
        html`<div>
          <dt>${texts.account.reason}</dt>
          <dd><bdi>${blockReason}</bdi></dd>
        </div>`
      }
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
