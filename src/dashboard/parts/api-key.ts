import {check} from '../forms/field.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {secret} from './api-calls.ts';
import {card, confirmed, copyButton} from './pieces.ts';

/** The API key: hidden at first, copied without being shown, and replaced after a confirmation. */
export function apiKeyPanel(request: DashboardRequest): Html {
  const {api} = request.texts;
  const replacement = confirmed(request, api.replace, {
    action: 'key',
    content: html`<p><strong>${api.replaceQuestion}</strong> ${api.replaceText}</p>`,
    confirm: api.replaceConfirm,
  });
  if (request.apiKey === undefined)
    return card(
      'key',
      api.keyTitle,
      html`<p role="alert">${api.keySealed}</p>
        ${replacement}`,
    );
  return card(
    'key',
    api.keyTitle,
    html`<p>${api.keyText}</p>
      <div class="links-row">
        <code class="links-secret" id="links-api-key-line">${secret(request.apiKey, 'links-api-key')}</code>
        ${copyButton(request, {'data-copy-from': 'links-api-key-line', 'aria-label': `${request.texts.copy}: ${api.keyTitle}`})}
      </div>
      ${check({id: 'links-show-key', autocomplete: 'off'}, api.showKey)} ${replacement}`,
  );
}
