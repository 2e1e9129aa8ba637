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
