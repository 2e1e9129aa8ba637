import type {Link} from '../../index.ts';
import type {Failure} from './failures.ts';
import {attributes, html, type Html} from '../html.ts';
import {loadedFields, loadedIn} from './link-fields.ts';
import type {DashboardRequest} from '../request.ts';
import {field, plainText, urlText} from './field.ts';
import {destinationFields, linkInputs} from './link-form.ts';
import {actionForm, alert} from '../parts/pieces.ts';

/** The form that changes a link. */
export function editForm(request: DashboardRequest, link: Link, failure: Failure): Html {
  const {texts} = request;
  const {entered, errors} = failure;
  return html`<section class="links-card" id="links-edit" aria-labelledby="links-edit-title">
    <h2 id="links-edit-title">${texts.edit.title}</h2>
    ${actionForm(
      request,
      'update',
      {
        short_url: link.shortUrl,
        ...loadedFields(loadedIn(request.form, link, request.formats)),
        ...(failure.acceptedLimit !== undefined && {accepted_limit: failure.acceptedLimit}),
      },
      html`<button class="links-unseen" tabindex="-1" aria-hidden="true">${texts.edit.submit}</button>
        ${errors.form !== undefined && alert(errors.form)}
        ${field({
          name: 'url',
          label: texts.fields.url,
          error: errors.url,
          attributes: {...urlText, required: true, value: entered.url ?? ''},
        })}
        <div class="links-pair">
          ${linkInputs(request, failure)}
          ${field({
            name: 'password',
            label: link.hasPassword ? texts.fields.newPassword : texts.fields.password,
            hint: link.hasPassword ? texts.fields.newPasswordHint : texts.fields.passwordHint,
            error: errors.password,
            attributes: {...plainText, value: entered.password ?? ''},
          })}
        </div>
        ${
          link.hasPassword &&
          html`<p>
            <label class="links-check"
              ><input
                type="checkbox"
                name="clear_password"
                value="yes"
                ${attributes({checked: request.form.get('clear_password') === 'yes'})}
              />
              ${texts.fields.clearPassword}</label
            >
          </p>`
        }
        ${destinationFields(request, failure, link)}
        <p class="links-row"><button class="links-button">${texts.edit.submit}</button></p>`,
    )}
  </section>`;
}
