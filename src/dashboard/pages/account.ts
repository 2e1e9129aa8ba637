import type {AccountInfo} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {field, plainText} from '../forms/field.ts';
import type {Failure} from '../forms/failures.ts';
import {html, type Html} from '../html.ts';
import {confirmedIn} from '../forms/protection.ts';
import {orderField, orderParameter} from '../list/order.ts';
import {pager, placeParameters} from '../list/pager.ts';
import {ownedLinks, readOwnedLinks} from '../parts/owned-links.ts';
import {actionForm, alert, blockedMark, notice} from '../parts/pieces.ts';
import {type DashboardRequest, type Handler, NotFound, type PageReply} from '../request.ts';
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
        ${orderField(texts, found.order)}
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
  const property = (name: string, value: string | Html): Html =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
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

function confirmed(summary: string, form: Html): Html {
  return html`<details class="links-more">
    <summary>${summary}</summary>
    <div class="links-warning">${form}</div>
  </details>`;
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
