import type {Fields} from '../../web/form.ts';
import {html, type Html} from '../html.ts';
import type {Texts} from '../texts/en.ts';

/** A form that sends the fields of another one again, with its token, which is checked then. */
export function sendAgain({messages}: Texts, action: string, fields: Fields): Html {
  const inputs = Array.from(fields, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
  return html`<form method="post" action="${action}">
    ${inputs}
    <p><button class="links-button">${messages.sendAgain}</button></p>
  </form>`;
}
