import {isAccountName} from '../../values/account-name.ts';
import type {AccountInfo} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {type Failure, submit} from '../forms/failures.ts';
import {confirmation} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {linkOrderField} from '../list/order.ts';
import {ownedLinks, ownedStatusField, readOwnedLinks, statusIn} from '../parts/owned-links.ts';
import {
  actionForm,
  alert,
  blockedMark,
  confirmed,
  countNotice,
  createdProperty,
  doneNotice,
  emptyState,
  property,
} from '../parts/pieces.ts';
import {reasonField, reasonIn} from '../parts/reasons.ts';
import {type DashboardRequest, NotFound, type PageReply, type Reply} from '../request.ts';
import {conversionTable, ofSite} from '../visits/conversions.ts';

const pageLength = 50;

/** The operator's page of one account: its totals, its links, and forms that block or remove it. */
export async function showAccount(
  request: DashboardRequest,
  name = request.query.get('account') ?? '',
  failure?: Failure,
): Promise<PageReply> {
  const {shortener, root, texts} = request;
  if (!isAccountName(name)) throw new NotFound();
  const [account, found] = await Promise.all([
    shortener.admin.account(name),
    readOwnedLinks(request, pageLength, {account: name}),
  ]);
  if (account === undefined) throw new NotFound();
  const described = await request.describeAccount(name);
  const status = statusIn(request);
  const {list, statuses} = texts;
  const isPart = status !== undefined || found.place.cursor !== undefined;
  const toAll = html`<a href="${withQuery(`${root}account`, {account: name})}">${list.showAll}</a>`;
  const {blocked, unblocked} = texts.notices;
  return {
    status: failure?.status,
    title: name,
    content: html`<p class="links-back"><a href="${root}accounts">← ${texts.tabs.accounts}</a></p>
      <h1><bdi>${described.name ?? name}</bdi></h1>
      <p class="links-row">
        ${[described.name && name, described.email].map((fact) => fact && html`<bdi class="links-fact">${fact}</bdi>`)}
      </p>
      ${failure === undefined ? doneNotice(request, {blocked, unblocked}) : alert(failure.errors.form)}
      ${countNotice(request, {changed: texts.many.changed})} ${card(request, account)}
      <form class="links-find" action="${root}account">
        <input type="hidden" name="account" value="${name}" />
        ${ownedStatusField(request)} ${linkOrderField(request, found.order)}
        <button class="links-button">${list.apply}</button>
      </form>
      ${await ownedLinks(request, found, {
        path: 'account',
        view: {account: name, status, order: found.order},
        title: status === undefined ? texts.tabs.links : `${texts.tabs.links}: ${statuses[status]}`,
        nothing: isPart ? emptyState(list.noMatch, toAll) : undefined,
      })}`,
  };
}

function card(request: DashboardRequest, account: AccountInfo): Html {
  const {texts, formats} = request;
  const words = texts.account;
  const hidden = {account: account.account};
  return html`<section class="links-card">
    <dl class="links-properties">
      ${createdProperty(request, account.created)} ${property(texts.tabs.links, formats.number(account.links))}
      ${property(texts.visits.title, formats.number(account.totalVisits))}
      ${account.isBlocked && property(texts.list.status, blockedMark(texts))}
      ${account.blockReason !== undefined && property(words.reason, html`<bdi>${account.blockReason}</bdi>`)}
    </dl>
    ${request.hasConversions && conversionTable(request, ofSite(account.conversions), {visits: account.totalVisits})}
    ${
      account.isBlocked
        ? actionForm(
            request,
            'unblock-account',
            hidden,
            html`<button class="links-button">${texts.operator.unblock}</button>`,
          )
        : confirmed(request, words.blockOpen, {
            action: 'block-account',
            hidden,
            content: html`<p>${words.blockText}</p>
              ${reasonField(request)}`,
          })
    }
    ${confirmed(request, words.removeOpen, {action: 'remove-account', hidden, content: html`<p>${words.removeText}</p>`})}
  </section>`;
}

/** Blocks, unblocks or removes an account; the path names the action. The page has asked for confirmation. */
export async function changeAccount(request: DashboardRequest): Promise<Reply> {
  const {shortener, path, form, token, root} = request;
  const name = form.get('account') ?? '';
  return submit(request, {
    work: async () => {
      if (!isAccountName(name)) throw new NotFound();
      if (path === 'remove-account') {
        await shortener.accounts.remove(name);
        return withQuery(`${root}accounts`, confirmation(token, 'account-removed'));
      }
      const isBlock = path === 'block-account';
      await (isBlock ? shortener.admin.blockAccount(name, reasonIn(request)) : shortener.admin.unblockAccount(name));
      const done = confirmation(token, isBlock ? 'blocked' : 'unblocked');
      return withQuery(`${root}account`, {account: name, ...done});
    },
    again: (failure) => showAccount(request, name, failure),
  });
}
