import type {AccountInfo} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {type Failure, failureOf, staleForm} from '../forms/failures.ts';
import {field, plainText} from '../forms/field.ts';
import {confirmation, confirmedIn, hasToken} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {orderField, orderParameter} from '../list/order.ts';
import {pager, placeParameters} from '../list/pager.ts';
import {ownedLinks, readOwnedLinks} from '../parts/owned-links.ts';
import {actionForm, alert, blockedMark, confirmed, notice, property} from '../parts/pieces.ts';
import {type DashboardRequest, type Handler, NotFound, type PageReply, type Reply} from '../request.ts';
import {conversionLine} from '../visits/conversions.ts';

const pageLength = 50;

/** The operator's page of one account: its totals, its links, and forms that block or remove it. */
export const accountPage: Handler = (request) => showAccount(request, request.query.get('account') ?? '');

export async function showAccount(request: DashboardRequest, name: string, failure?: Failure): Promise<PageReply> {
  const {shortener, root, texts} = request;
  const account = name === '' || name.length > 255 ? undefined : await shortener.admin.account(name);
  if (account === undefined) throw new NotFound();
  const described = await request.describeAccount(name);
  const found = await readOwnedLinks(request, pageLength, {account: name});
  return {
    status: failure?.status,
    title: name,
    content: html`<p class="links-back"><a href="${root}accounts">← ${texts.accounts.title}</a></p>
      <h1><bdi>${described.name ?? name}</bdi></h1>
      ${described.name !== undefined && html`<p class="links-fact"><bdi>${name}</bdi></p>`}
      ${described.email !== undefined && html`<p class="links-fact"><bdi>${described.email}</bdi></p>`}
      ${failure === undefined ? outcome(request) : alert(failure.errors.form)} ${card(request, account)}
      <form class="links-find" action="${root}account">
        <input type="hidden" name="account" value="${name}" />
        ${orderField(request, found.order)}
        <button class="links-button links-small">${texts.list.apply}</button>
      </form>
      ${await ownedLinks(request, texts.accounts.links, found)}
      ${pager({
        ...found,
        addressOf: (to) =>
          withQuery(`${root}account`, {account: name, ...orderParameter(found.order), ...placeParameters(to)}),
        ...{label: texts.list.pages, texts},
      })}`,
  };
}

/** The confirmation of a block or its end. */
function outcome(request: DashboardRequest): Html | undefined {
  const {accountBlocked, accountUnblocked} = request.texts.notices;
  switch (confirmedIn(request)) {
    case 'account-blocked':
      return notice(html`<p>${accountBlocked}</p>`);
    case 'account-unblocked':
      return notice(html`<p>${accountUnblocked}</p>`);
    default:
      return undefined;
  }
}

function card(request: DashboardRequest, account: AccountInfo): Html {
  const {texts, formats} = request;
  const words = texts.account;
  const hidden = {account: account.account};
  return html`<section class="links-card">
    <dl class="links-properties">
      ${property(texts.operator.created(formats.timeZone), formats.moment(account.created))}
      ${property(texts.accounts.links, formats.number(account.links))}
      ${property(texts.visits.title, formats.number(account.totalVisits))}
      ${request.hasConversions && property(texts.conversions.title, conversionLine(request, account.conversions, account.totalVisits))}
      ${account.isBlocked && property(texts.list.status, blockedMark(texts))}
      ${account.blockReason !== undefined && property(words.reason, html`<bdi>${account.blockReason}</bdi>`)}
    </dl>
    ${
      account.isBlocked
        ? actionForm(request, 'unblock-account', hidden, html`<button class="links-button">${words.unblock}</button>`)
        : confirmed(
            words.blockOpen,
            actionForm(
              request,
              'block-account',
              hidden,
              html`<p>${words.blockText}</p>
                ${reasonField(request)}<button class="links-button links-danger">${words.blockConfirm}</button>`,
            ),
          )
    }
    ${confirmed(
      words.removeOpen,
      actionForm(
        request,
        'remove-account',
        hidden,
        html`<p>${words.removeText}</p>
          <button class="links-button links-danger">${words.removeConfirm}</button>`,
      ),
    )}
  </section>`;
}

/** The field for the reason of a block. */
export function reasonField({texts}: DashboardRequest): Html {
  return field({
    name: 'reason',
    label: texts.account.reason,
    hint: texts.account.reasonHint,
    attributes: {...plainText, maxlength: 200},
  });
}

/** Blocks, unblocks or removes an account; the path names the action. The page has asked for confirmation. */
export async function changeAccount(request: DashboardRequest): Promise<Reply> {
  const {shortener, path, form, token, root} = request;
  const name = form.get('account') ?? '';
  if (!hasToken(request)) return showAccount(request, name, staleForm(request));
  try {
    if (path === 'block-account') await shortener.admin.blockAccount(name, reasonIn(request));
    else if (path === 'unblock-account') await shortener.admin.unblockAccount(name);
    else {
      await shortener.accounts.remove(name);
      return {location: withQuery(`${root}accounts`, confirmation(token, 'account-removed'))};
    }
    const done = path === 'block-account' ? 'account-blocked' : 'account-unblocked';
    return {location: withQuery(`${root}account`, {account: name, ...confirmation(token, done)})};
  } catch (error) {
    return showAccount(request, name, failureOf(request, error));
  }
}

/** The reason that the operator has entered for a block. */
export function reasonIn({form}: DashboardRequest): {readonly reason?: string} {
  const reason = (form.get('reason') ?? '').trim();
  return reason === '' ? {} : {reason};
}
