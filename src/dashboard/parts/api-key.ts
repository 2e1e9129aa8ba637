import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {secret} from './api-calls.ts';
import {actionForm, confirmed} from './pieces.ts';

/** The API key: hidden at first, copied without being shown, and replaced after a confirmation. */
export function apiKeyPanel(request: DashboardRequest): Html {
  const {texts} = request;
  const {api} = texts;
  if (request.apiKey === undefined) {
    return html`<section class="links-card" id="links-key" aria-labelledby="links-key-title">
      <h2 id="links-key-title">${api.keyTitle}</h2>
      <p role="alert">${api.keySealed}</p>
      ${replacement(request)}
    </section>`;
  }
  const copy = attributes({
    'data-copy-from': 'links-api-key-line',
    'data-done': texts.copied,
    'aria-label': api.copyKey,
  });
  return html`<section class="links-card" id="links-key" aria-labelledby="links-key-title">
    <h2 id="links-key-title">${api.keyTitle}</h2>
    <p>${api.keyText}</p>
    <div class="links-row">
      <code class="links-secret" id="links-api-key-line">${secret(request.apiKey, 'links-api-key')}</code>
      <button type="button" class="links-button links-small links-copy" ${copy}>${texts.copy}</button>
    </div>
    <label class="links-check"><input type="checkbox" id="links-show-key" autocomplete="off" /> ${api.showKey}</label>
    ${replacement(request)}
  </section>`;
}

function replacement(request: DashboardRequest): Html {
  const {api} = request.texts;
  const question = html`<p><strong>${api.replaceQuestion}</strong> ${api.replaceText}</p>
    <button class="links-button links-danger">${api.replaceConfirm}</button>`;
  return confirmed(api.replace, actionForm(request, 'key', {}, question));
}
