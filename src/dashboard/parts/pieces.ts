import type {Fields} from '../../web/form.ts';
import {withQuery} from '../addresses.ts';
import {attributes, type Content, html, type Html} from '../html.ts';
import {tokenField} from '../forms/protection.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';

/** A form that posts to an action of the dashboard, with its token. */
export function actionForm(
  {root, token}: DashboardRequest,
  action: string,
  hidden: Readonly<Partial<Record<string, string>>>,
  content: Content,
  own: Readonly<Record<string, string>> = {},
): Html {
  const fields = Object.entries({[tokenField]: token, ...hidden});
  return html`<form ${attributes({method: 'post', action: root + action, ...own})}>
    ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)} ${content}
  </form>`;
}

/** A button that copies a text. It is hidden if scripts are off. */
export function copyButton({texts}: DashboardRequest, text: string, name: string, label = texts.copy): Html {
  return html`<button
    type="button"
    class="links-button links-small links-copy"
    ${attributes({
      'data-copy': text,
      'data-done': texts.copied,
      'aria-label': name === label ? undefined : `${label}: ${name}`,
    })}
  >
    ${label}
  </button>`;
}

/** The same as an icon, beside a short URL. */
export function copyIcon({texts}: DashboardRequest, text: string): Html {
  return html`<button
    type="button"
    class="links-icon links-copy"
    ${attributes({
      'data-copy': text,
      'data-done': texts.copied,
      title: texts.copy,
      'aria-label': `${texts.copy}: ${text}`,
    })}
  >
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path class="links-before" d="M5.5 5.5h8v8h-8zM10.5 5V2.5h-8v8H5" />
      <path class="links-after" d="m3 8.5 3.5 3.5L13 4.5" />
    </svg>
  </button>`;
}

/** The confirmation of an action. */
export function notice(content: Content): Html {
  return html`<div class="links-notice" role="status">${content}</div>`;
}

/** An error message. The focus brings it into view, because the page is shown from its top. */
export function alert(content: Content): Html {
  return html`<p class="links-error links-alert" role="alert" tabindex="-1" autofocus>${content}</p>`;
}

/** Marks an account that the operator has blocked. */
export function blockedMark({account}: Texts): Html {
  return html`<span class="links-status links-blocked">${account.blocked}</span>`;
}

/** The text in place of an empty list. */
export function emptyState(title: string, text: Content): Html {
  return html`<div class="links-empty">
    <p><strong>${title}</strong></p>
    <p>${text}</p>
  </div>`;
}

/** A form behind a closed `<details>`, which asks for confirmation without a script. */
export function confirmed(summary: string, form: Html, name?: string): Html {
  return html`<details class="links-more">
    <summary${name !== undefined && html` aria-label="${name}"`}>${summary}</summary>
    <div class="links-warning">${form}</div>
  </details>`;
}

/** A name and a value in a `<dl class="links-properties">`. */
export function property(name: string, value: Content): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/**
 * A table of `<tr role="row">`. Where there is little room, CSS turns each row into a card, which removes the roles of a
 * table, so they are set explicitly.
 */
export function table(
  name: Readonly<Record<string, string>>,
  columns: readonly Content[],
  rows: readonly Html[],
): Html {
  return html`<table class="links-table" role="table" ${attributes(name)}>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column) => html`<th role="columnheader" scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows}
    </tbody>
  </table>`;
}

/** A link to the operator's page of an account, with the name and the email address that the host gives. */
export async function accountLink({root, describeAccount}: DashboardRequest, account: string): Promise<Html> {
  const {name, email} = await describeAccount(account);
  const details = [name === undefined ? undefined : account, email].filter((text) => text !== undefined);
  return html`<a href="${withQuery(`${root}account`, {account})}" class="links-strong"><bdi>${name ?? account}</bdi></a
    >${details.map((text) => html` <span class="links-fact"><bdi>${text}</bdi></span>`)}`;
}

/** A form that sends the fields of another one again, with its token, which is checked then. */
export function sendAgain({messages}: Texts, action: string, fields: Fields): Html {
  const inputs = Array.from(fields, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
  return html`<form method="post" action="${action}">
    ${inputs}
    <p><button class="links-button">${messages.sendAgain}</button></p>
  </form>`;
}
