import {limits} from '../generated/limits.ts';
import type {Failure} from './failures.ts';
import {attributes, html, type Html} from '../html.ts';
import {fieldNames} from './link-fields.ts';
import type {DashboardRequest} from '../request.ts';
import {check, field, plainText} from './field.ts';
import {destinationFields, linkInputs, urlField} from './link-form.ts';
import {isEmpty} from './rules.ts';
import {actionForm, alert} from '../parts/pieces.ts';

/**
 * The form for a new link: the long URL, and the other fields in a `<details>`.
 *
 * @param baseUrls where the account may create it
 */
export function createForm(request: DashboardRequest, failure: Failure, baseUrls: readonly string[]): Html {
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
        ${urlField(request, failure, html`<button class="links-button">${texts.create.submit}</button>`)}
        <div class="links-more-line">
          <details class="links-options" ${attributes({open: isOpen})}>
            <summary>${texts.create.options}</summary>
            <div class="links-pair">
              ${domainField(request, failure, baseUrls)}
              ${field({
                name: 'custom_url',
                label: texts.fields.shortPart,
                hint: texts.fields.shortPartHint,
                error: errors.custom_url,
                attributes: {...plainText, maxlength: limits.custom_url, value: entered.custom_url ?? ''},
              })}
              ${linkInputs(request, failure)}
            </div>
            ${destinationFields(request, failure)}
            <p>${check({name: 'reuse', value: 'yes', checked: entered.reuse === 'yes'}, texts.fields.reuse)}</p>
            <p class="links-row"><button class="links-button">${texts.create.submit}</button></p>
          </details>
          <a class="links-to-many" href="${request.root}many">${texts.many.title}</a>
        </div>`,
    )}
  </section>`;
}

/** The domain of the short URL; undefined if the site has only one. */
export function domainField(
  {texts}: DashboardRequest,
  {entered, errors}: Failure,
  baseUrls: readonly string[],
): Html | undefined {
  const {base_domain: error} = errors;
  if (baseUrls.length < 2 && error === undefined) return undefined;
  return field({
    name: 'base_domain',
    label: texts.fields.domain,
    error,
    options: domainOptions(baseUrls),
    attributes: {value: entered.base_domain},
  });
}

/** The domains of base URLs, with what is shown of them. */
export function domainOptions(baseUrls: readonly string[]): ReadonlyArray<readonly [domain: string, text: string]> {
  return baseUrls.map((url) => {
    const {hostname, host, pathname} = new URL(url);
    return [hostname, `${host}${pathname === '/' ? '' : pathname}`];
  });
}
