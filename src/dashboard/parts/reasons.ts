import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

const listId = 'links-reasons';

const usual = {...plainText, name: 'reason', list: listId, maxlength: maxLength(limits.reason)};

/** The reasons of earlier blocks, which the fields for a reason offer. */
export function reasonList({watch}: DashboardRequest): Html {
  return html`<datalist id="${listId}">
    ${watch.reasons().map((reason) => html`<option value="${reason}"></option>`)}
  </datalist>`;
}

export function reasonField({texts}: DashboardRequest): Html {
  return field({name: 'reason', label: texts.account.reason, hint: texts.account.reasonHint, attributes: usual});
}

/** The field for a reason in a bar, where there is no room for its label. */
export function reasonInput({texts: {account}}: DashboardRequest): Html {
  return html`<input ${attributes({...usual, placeholder: account.reason, 'aria-label': account.reason})} />`;
}

/** The reason that the operator has entered for a block. */
export function reasonIn({form}: DashboardRequest): {readonly reason?: string} {
  const reason = (form.get('reason') ?? '').trim();
  return reason === '' ? {} : {reason};
}
