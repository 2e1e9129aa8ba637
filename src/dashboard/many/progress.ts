import {createHash} from 'node:crypto';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** How far the script has sent a table. */
export function progressBar({texts}: DashboardRequest): Html {
  return html`<div class="links-progress" role="status" data-waiting="${texts.many.waiting}" hidden>
    <progress></progress> <span></span>
  </div>`;
}

/** Under this name the browser of a user keeps what is under way. Others may use the same browser. */
export function ownerOf({account}: DashboardRequest): string {
  return createHash('sha256').update(`table of ${account}`).digest('base64url').slice(0, 22);
}

/** The attributes of a form that the script sends in portions. */
export function portionsForm(request: DashboardRequest, className = '') {
  const name = `links-portions ${className}`.trim();
  return {enctype: 'multipart/form-data', class: name, 'data-owner': ownerOf(request)};
}

/** The offer to go on with a table that is not finished, which the script shows. */
export function unfinished(request: DashboardRequest): Html {
  const {many} = request.texts;
  return html`<div class="links-unfinished links-notice" data-owner="${ownerOf(request)}" hidden>
    <p>${many.unfinished}</p>
    <p class="links-row">
      <button type="button" class="links-button">${many.goOn}</button>
      <button type="button" class="links-button links-secondary">${many.discard}</button>
    </p>
    ${progressBar(request)}
  </div>`;
}
