import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** Browsers offer what was entered before. */
const usual = {...plainText, autocomplete: 'on', name: 'reason', maxlength: maxLength(limits.reason)};

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
