import type {Failure} from './failures.ts';
import {attributes, html, type Html} from '../html.ts';
import {fieldNames} from './link-fields.ts';
import type {DashboardRequest} from '../request.ts';
import {field, plainText, urlText} from './field.ts';
import {destinationFields, limitFields, namingFields, queryField} from './link-form.ts';
import {isEmpty} from './rules.ts';
import {actionForm, alert} from '../parts/pieces.ts';

/** The form for a new link: the long URL, and the other fields in a `<details>`. */
export function createForm(request: DashboardRequest, failure: Failure): Html {
  const {texts} = request;
  const {entered, errors} = failure;
  const optional = fieldNames.filter((name) => name !== 'url');
  const isOpen =
    optional.some((name) => Boolean(entered[name]) || errors[name] !== undefined) ||
    failure.isAboutRules === true ||
    entered.rules?.some((row) => !isEmpty(row)) === true;
  return html`<section class="links-card" id="links-create" aria-labelledby="links-create-title">
    <h2 id="links-create-title" class="links-unseen">${texts.create.title}</h2>
    ${actionForm(
      request,
      'create',
      {},
      html`${errors.form !== undefined && alert(errors.form)}
        ${field({
          name: 'url',
          label: texts.fields.url,
          error: errors.url,
          beside: html`<button class="links-button">${texts.create.submit}</button>`,
          attributes: {...urlText, required: true, placeholder: 'https://', value: entered.url ?? ''},
        })}
        <details class="links-options" ${attributes({open: isOpen})}>
          <summary>${texts.create.options}</summary>
          <div class="links-pair">
            ${domainField(request, failure)}
            ${field({
              name: 'custom_url',
              label: texts.fields.shortPart,
              hint: texts.fields.shortPartHint,
              error: errors.custom_url,
              attributes: {...plainText, maxlength: 64, value: entered.custom_url ?? ''},
            })}
            ${namingFields(request, failure)}${limitFields(request, failure)}
            ${field({
              name: 'password',
              label: texts.fields.password,
              hint: texts.fields.passwordHint,
              error: errors.password,
              attributes: {...plainText, value: entered.password ?? ''},
            })}
            ${queryField(request, failure)}
          </div>
          ${destinationFields(request, failure)}
          <p class="links-row"><button class="links-button">${texts.create.submit}</button></p>
        </details>`,
    )}
  </section>`;
}

/** The domain of the short URL; undefined if the site has only one. */
function domainField({texts, shortener}: DashboardRequest, {entered, errors}: Failure): Html | undefined {
  const {base_domain: error} = errors;
  if (shortener.baseUrls.length < 2 && error === undefined) return undefined;
  const domains = shortener.baseUrls.map((url) => new URL(url));
  return html`<div class="links-field">
    <label for="links-base_domain">${texts.fields.domain}</label>
    <select
      id="links-base_domain"
      name="base_domain"
      ${attributes({'aria-invalid': error && 'true', 'aria-describedby': error && 'links-base_domain-error', autofocus: error !== undefined})}
    >
      ${domains.map(({hostname, host, pathname}) => html`<option ${attributes({value: hostname, selected: hostname === entered.base_domain})}>${host}${pathname === '/' ? '' : pathname}</option>`)}
    </select>
    ${error !== undefined && html`<p class="links-error" id="links-base_domain-error">${error}</p>`}
  </div>`;
}
