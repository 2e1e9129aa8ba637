import {limits} from '../generated/limits.ts';
import {type OwnedLink, ShortUrlError} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {type Failure, noFailure, submit} from '../forms/failures.ts';
import {field, plainText} from '../forms/field.ts';
import {confirmation} from '../forms/protection.ts';
import {beginning, html, type Html} from '../html.ts';
import type {Fields} from '../../http/koa/form-body.ts';
import {showAccount} from './account.ts';
import {linkOrderField, type OrderedPage} from '../list/order.ts';
import {filterIn, listDomainField} from '../list/search.ts';
import {selectedIn} from '../list/selection.ts';
import {ownedLinks, ownedStatusField, readOwnedLinks, statusIn} from '../parts/owned-links.ts';
import {
  accountLink,
  actionForm,
  alert,
  card,
  countNotice,
  createdProperty,
  doneNotice,
  emptyState,
  property,
} from '../parts/pieces.ts';
import {reasonField, reasonIn} from '../parts/reasons.ts';
import {brokenCount, statusOf} from '../parts/status.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';
import {overview, readStatistics} from '../visits/statistics.ts';

const pageLength = 20;

/** The operator's page: finds links of all accounts, shows the account of one, and blocks or unblocks it. */
export async function showOperator(
  request: DashboardRequest,
  text = request.query.get('short_url') ?? '',
  failure?: Failure,
): Promise<PageReply> {
  const {texts, root} = request;
  const wanted = text.trim();
  const {base_domain} = filterIn(request.query);
  const found = wanted === '' ? undefined : await find(request, wanted);
  const [links, figures] = await Promise.all([
    found === undefined
      ? readOwnedLinks(request, pageLength, {
          search: beginning(wanted, limits.search) || undefined,
          baseDomain: base_domain || undefined,
        })
      : undefined,
    wanted === '' && base_domain === '' && statusIn(request) === undefined ? siteOverview(request) : undefined,
  ]);
  const {blocked, unblocked} = texts.notices;
  return {
    status: failure?.status,
    title: texts.tabs.operator,
    content: html`<h1>${texts.tabs.operator}</h1>
      <form role="search" class="links-find" action="${root}operator">
        ${field({
          name: 'short_url',
          label: texts.operator.search,
          attributes: {...plainText, type: 'search', value: wanted},
        })}
        ${links && html`${ownedStatusField(request)} ${linkOrderField(request, links.order)}`}
        ${links && listDomainField(request, request.shortener.baseUrls, base_domain)}
        <button class="links-button">${texts.list.apply}</button>
      </form>
      ${failure === undefined && found !== undefined && doneNotice(request, {blocked, unblocked})}
      ${countNotice(request, {changed: texts.many.changed})}
      ${failure?.errors.form !== undefined && failure.status !== 404 && alert(wanted === '' ? failure.errors.form : html`<bdi>${withoutScheme(wanted)}</bdi>: ${failure.errors.form}`)}
      ${figures} ${found && (await linkCard(request, found))}
      ${links && (await listed(request, {wanted, base_domain}, links))}`,
  };
}

/** The links that a text finds, or all of them, a page at a time. */
function listed(
  request: DashboardRequest,
  {wanted, base_domain}: {wanted: string; base_domain: string},
  found: OrderedPage<OwnedLink>,
): Promise<Html> {
  const {list, tabs} = request.texts;
  const status = statusIn(request);
  const isFiltered = wanted !== '' || base_domain !== '' || status !== undefined;
  return ownedLinks(request, found, {
    path: 'operator',
    view: {short_url: wanted || undefined, status, base_domain: base_domain || undefined, order: found.order},
    title: tabs.links,
    nothing: isFiltered ? emptyState(list.noMatch) : undefined,
  });
}

async function siteOverview(request: DashboardRequest): Promise<Html> {
  const {shortener, texts, formats} = request;
  const read = await readStatistics(request, (query) => shortener.admin.stats(query));
  const {accounts, links, brokenLinks, totalVisits} = read.all;
  const totals = [
    [texts.tabs.accounts, formats.number(accounts)],
    [texts.tabs.links, formats.number(links)],
    ...brokenCount(request, brokenLinks, `${request.root}operator`),
    [texts.visits.inAll, formats.number(totalVisits)],
  ] as const;
  return overview(request, read, {page: {path: 'operator', parameters: {}}, totals});
}

/** The link with this short URL, whose scheme is optional; undefined for a part of one, or another text. */
async function find({shortener}: DashboardRequest, text: string): Promise<OwnedLink | undefined> {
  const shortUrl = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  try {
    return await shortener.admin.find(shortUrl);
  } catch (error) {
    if (error instanceof ShortUrlError && error.status < 500) return undefined;
    throw error;
  }
}

async function linkCard(request: DashboardRequest, {account, link}: OwnedLink): Promise<Html> {
  const {texts, formats} = request;
  const {shortUrl, originalUrl, title, dateCreated, totalVisits, isBlocked} = link;
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
  const content = html`<dl class="links-properties">
      ${property(operator.account, await accountLink(request, account))}
      ${title !== null && property(texts.fields.title, html`<bdi>${title}</bdi>`)}
      ${property(texts.fields.url, html`<bdi>${originalUrl}</bdi>`)}
      ${property(texts.list.status, html`<div class="links-row">${statusOf(request, link)}</div>`)}
      ${createdProperty(request, dateCreated)} ${property(texts.visits.title, formats.number(totalVisits))}
    </dl>
    <div class="links-row">${isBlocked ? button('unblock', 'links-secondary') : button('block', 'links-danger')}</div>
    <p class="links-hint">${operator.blockHint}</p>`;
  return card('block', html`<a href="${shortUrl}">${withoutScheme(shortUrl)}</a>`, content);
}

/** The parameters of the list that a form leads back to. */
function viewIn(form: Fields): Record<string, string | undefined> {
  const names = ['account', 'short_url', 'status', 'base_domain', 'order', 'cursor', 'newer'];
  return Object.fromEntries(names.map((name) => [name, form.get(name)]));
}

/** Blocks or unblocks the selected links. One that was removed meanwhile is left out. */
export async function blockLinks(request: DashboardRequest): Promise<Reply> {
  const {shortener, form, token, root, texts} = request;
  const shortUrls = selectedIn(form);
  const account = form.get('account');
  return submit(request, {
    check: () => (shortUrls.length > 0 ? undefined : {...noFailure, status: 400, errors: {form: texts.selection.none}}),
    work: async () => {
      let changed = 0;
      for (const shortUrl of shortUrls) {
        const change =
          form.get('do') === 'unblock'
            ? shortener.admin.unblock(shortUrl)
            : shortener.admin.block(shortUrl, reasonIn(request));
        try {
          await change;
          changed += 1;
        } catch (error) {
          if ((error as {code?: unknown}).code !== 'unknown_short_url') throw error;
        }
      }
      const view = viewIn(form);
      const done = confirmation(token, 'changed', view['short_url'], String(changed));
      return withQuery(`${root}${account === undefined ? 'operator' : 'account'}`, {...view, ...done});
    },
    again: (failure) =>
      account === undefined ? showOperator(request, '', failure) : showAccount(request, account, failure),
  });
}

/** Blocks or unblocks a link of any account; the path names the action. */
export async function blockLink(request: DashboardRequest): Promise<Reply> {
  const {shortener, path, form, token, root} = request;
  const shortUrl = form.get('short_url') ?? '';
  return submit(request, {
    work: async () => {
      if (path === 'unblock') await shortener.admin.unblock(shortUrl);
      else await shortener.admin.block(shortUrl, reasonIn(request));
      return withQuery(`${root}operator`, confirmation(token, `${path}ed`, shortUrl));
    },
    again: (failure) => showOperator(request, shortUrl, failure),
  });
}
