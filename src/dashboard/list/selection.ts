import type {Fields} from '../../http/koa/form-body.ts';
import {withoutScheme} from '../addresses.ts';
import {maxPart, suggestionsFor} from '../forms/campaign.ts';
import {check, maxLength, plainText} from '../forms/field.ts';
import {attributes, html, type Html} from '../html.ts';
import {actionForm, alert, countNotice} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';

/** What can be done with many links at once. The first is the one of the Enter key. */
export const selectionOperations = ['tag', 'untag', 'campaign', 'ask', 'unask', 'disable', 'enable', 'remove'] as const;
export type SelectionOperation = (typeof selectionOperations)[number];

/** A link that a button has not changed, and why. */
export interface FailedLink {
  readonly shortUrl: string;
  readonly text: string;
  readonly status: number;
}

/** Why the list is shown again after a selection was sent. */
export interface SelectionOutcome {
  readonly status: number;
  /** The links that stay selected. */
  readonly shortUrls: readonly string[];
  readonly tag: string;
  readonly campaign: string;
  readonly error: string;
  readonly failed: readonly FailedLink[];
}

/** The longest page of a list. */
const maxSelected = 50;

const formId = 'links-selection';

/** The box that selects a link. It belongs to the form of `selectionBar`. Each has its own name, because forms are read as maps. */
export function checkbox({texts}: DashboardRequest, shortUrl: string, index: number, isChecked: boolean): Html {
  return html`<input
    ${attributes({
      type: 'checkbox',
      name: `selected_${index}`,
      value: shortUrl,
      form: formId,
      autocomplete: 'off',
      checked: isChecked,
      'aria-label': `${texts.list.select}: ${shortUrl}`,
    })}
  />`;
}

/** The box that selects all links of the page. Without the script it would do nothing, so the script shows it. */
export function selectAll({texts}: DashboardRequest): Html {
  return check({autocomplete: 'off'}, texts.selection.all, 'links-check links-select-all');
}

/** The box that selects all links that match, and not only those of the page. */
export function selectMatching({texts, formats}: DashboardRequest, links: number): Html {
  const own = {name: 'all', value: 'yes', form: formId, autocomplete: 'off'};
  return check(own, formats.count(links, texts.selection.matching), 'links-check links-matching');
}

export function selectedIn(form: Fields): string[] {
  const fields = Array.from({length: maxSelected}, (_, index) => form.get(`selected_${index}`));
  return [...new Set(fields)].filter((shortUrl) => shortUrl !== undefined);
}

/** What can be done with the selected links. */
export function selectionBar(
  request: DashboardRequest,
  {view, tag, campaign}: {view: string; tag: string; campaign: string},
): Html {
  const {selection, list, campaign: campaigns} = request.texts;
  const button = (operation: SelectionOperation, text: string): Html =>
    html`<button class="links-button links-small" name="do" value="${operation}">${text}</button>`;
  return bar(
    request,
    `selection${view}`,
    {},
    html`<span class="links-row">
        <input
          ${attributes({...plainText, name: 'tag', value: tag, list: 'links-known-tags', maxlength: maxLength(50), placeholder: list.tag, 'aria-label': `${selection.title}: ${list.tag}`})}
        />
        ${button('tag', selection.addTag)} ${button('untag', selection.removeTag)}
      </span>
      <span class="links-row">
        <input
          ${attributes({...plainText, name: 'campaign', value: campaign, list: suggestionsFor('utm_campaign'), maxlength: maxPart, placeholder: campaigns.utm_campaign, 'aria-label': `${selection.title}: ${campaigns.utm_campaign}`})}
        />
        ${button('campaign', selection.setCampaign)}
      </span>
      <span class="links-row">
        ${button('ask', request.texts.fields.confirm)} ${button('unask', selection.unask)}
      </span>
      <span class="links-row">
        <button class="links-button links-small" name="do" value="change">${selection.change}</button>
        <button class="links-button links-small" name="do" value="qr">${selection.qrCodes}</button>
        ${button('disable', request.texts.link.disable)} ${button('enable', request.texts.link.enable)}
        ${button('remove', `${request.texts.removal.title}…`)}
      </span>`,
  );
}

/** A form with buttons for the selected links. CSS shows it when a link is selected, without a script. */
export function bar(
  request: DashboardRequest,
  action: string,
  hidden: Readonly<Record<string, string | undefined>>,
  buttons: Html,
): Html {
  const content = html`<fieldset class="links-row links-bar">
    <legend class="links-bar-title">${request.texts.selection.title}<span class="links-bar-number"></span></legend>
    ${buttons}
  </fieldset>`;
  return actionForm(request, action, hidden, content, {id: formId, class: 'links-selection'});
}

/** The confirmation of a selection, or its errors. */
export function selectionOutcome(request: DashboardRequest, outcome: SelectionOutcome | undefined): Html | undefined {
  const {selection, many} = request.texts;
  if (outcome !== undefined) {
    return alert(
      html`${outcome.error}
      ${outcome.failed.map(({shortUrl, text}) => html`<br /><bdi>${withoutScheme(shortUrl)}</bdi>: ${text}`)}`,
    );
  }
  const done = selectionOperations.map((operation) => [`selection-${operation}`, selection.done[operation]] as const);
  return countNotice(request, {...Object.fromEntries(done), 'selection-change': many.changed});
}
