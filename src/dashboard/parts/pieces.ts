import {attributes, type Content, html, type Html} from '../html.ts';
import {tokenField} from '../forms/protection.ts';
import type {DashboardRequest} from '../request.ts';

/** A form that posts to an action of the dashboard, with its token. */
export function actionForm(
  {root, token}: DashboardRequest,
  action: string,
  hidden: Readonly<Partial<Record<string, string>>>,
  content: Content,
): Html {
  const fields = Object.entries({[tokenField]: token, ...hidden});
  return html`<form method="post" action="${root}${action}">
    ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)} ${content}
  </form>`;
}

/** A button that copies a text. It is hidden if scripts are off. */
export function copyButton({texts}: DashboardRequest, text: string, name: string): Html {
  return html`<button
    type="button"
    class="links-button links-small links-copy"
    ${attributes({
      'data-copy': text,
      'data-done': texts.copied,
      'aria-label': `${texts.copy}: ${name}`,
    })}
  >
    ${texts.copy}
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

/** The text in place of an empty list. */
export function emptyState(title: string, text: Content): Html {
  return html`<div class="links-empty">
    <p><strong>${title}</strong></p>
    <p>${text}</p>
  </div>`;
}
