import type {Link} from '../../index.ts';
import type {Failure} from './failures.ts';
import {html, type Html} from '../html.ts';
import {loadedFields, loadedIn} from './link-fields.ts';
import type {DashboardRequest} from '../request.ts';
import {check} from './field.ts';
import {destinationFields, linkInputs, urlField} from './link-form.ts';
import {actionForm, alert, card} from '../parts/pieces.ts';

export function editForm(request: DashboardRequest, link: Link, failure: Failure): Html {
  const {texts} = request;
  const {errors} = failure;
  const clears = {name: 'clear_password', value: 'yes', checked: request.form.get('clear_password') === 'yes'};
  const form = actionForm(
    request,
    'update',
    {
      short_url: link.shortUrl,
      ...loadedFields(loadedIn(request.form, link, request.formats)),
      ...(failure.acceptedLimit !== undefined && {accepted_limit: failure.acceptedLimit}),
    },
    html`<button class="links-unseen" tabindex="-1" aria-hidden="true">${texts.edit.submit}</button>
      ${errors.form !== undefined && alert(errors.form)} ${urlField(request, failure)}
      <div class="links-pair">${linkInputs(request, failure, link)}</div>
      ${link.hasPassword && html`<p>${check(clears, texts.fields.clearPassword)}</p>`}
      <datalist id="links-known-tags"></datalist>
      ${destinationFields(request, failure, link)}
      <p class="links-row"><button class="links-button">${texts.edit.submit}</button></p>`,
  );
  return card('edit', texts.edit.title, form);
}
