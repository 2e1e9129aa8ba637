import {limits} from '../generated/limits.ts';
import type {ApiKey, CreatedApiKey} from '../../index.ts';
import {field, plainText} from '../forms/field.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {actionForm, card, confirmed, copyButton, notice} from './pieces.ts';

/** The one that allows least is chosen at first. */
const scopes = ['read', 'create', 'full'] as const;

interface NewKey {
  readonly made?: CreatedApiKey;
  readonly wrongLabel?: string;
}

/** The labelled keys of the account, with a form for a new one, which keeps what was refused. A new key is shown once. */
export function labelledKeys(request: DashboardRequest, keys: readonly ApiKey[], {made, wrongLabel}: NewKey): Html {
  const words = request.texts.keys;
  const entered = (name: string): string | undefined => (made ? undefined : request.form.get(name));
  const form = html`${field({
      name: 'label',
      label: words.label,
      error: wrongLabel,
      attributes: {...plainText, maxlength: 2 * limits.label, required: true, value: entered('label')},
    })}
    ${field({
      name: 'scope',
      label: words.scope,
      options: scopes.map((scope) => [scope, words.scopes[scope]]),
      attributes: {value: entered('scope')},
    })} <button class="links-button">${words.submit}</button>`;
  const shown = (key: CreatedApiKey): Html => {
    const copy = {'data-copy': key.apiKey, 'aria-label': `${request.texts.copy}: ${key.label}`};
    return notice(
      html`<p>${words.made}</p>
        <p class="links-row"><code>${key.apiKey}</code> ${copyButton(request, copy)}</p>`,
    );
  };
  return card(
    'keys',
    words.title,
    html`<p>${words.text}</p>
      ${made && shown(made)} ${keys.length > 0 && keyList(request, keys)} ${actionForm(request, 'create-key', {}, form)}`,
  );
}

function keyList(request: DashboardRequest, keys: readonly ApiKey[]): Html {
  const {texts, formats} = request;
  const words = texts.keys;
  const content = html`<p>${words.revokeText}</p>`;
  return html`<ul class="links-keys">
    ${keys.map(
      ({id, label, scope, created}) =>
        html`<li>
          <p class="links-row">
            <bdi class="links-strong">${label}</bdi> <span>${words.scopes[scope]}</span>
            <span>${formats.date(created)}</span>
          </p>
          ${confirmed(request, words.revoke, {action: 'revoke-key', hidden: {id}, content, about: label})}
        </li>`,
    )}
  </ul>`;
}
