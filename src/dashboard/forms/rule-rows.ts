import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Failure} from './failures.ts';
import {plainText, urlText} from './field.ts';
import {
  inputOf,
  devices,
  isEmpty,
  maxRules,
  placesOf,
  ruleField,
  type RuleInput,
  type RuleRow,
  shownRows,
} from './rules.ts';

/** The rules of a link as sentences with inputs, and buttons that add, move and remove one, also without a script. */
export function ruleRows(request: DashboardRequest, failure: Failure): Html {
  const {texts, language} = request;
  const entered = failure.entered.rules ?? [];
  const rows = shownRows(entered);
  const filled = rows.filter((row) => !isEmpty(row)).length;
  const places = placesOf(language);
  const suggestions = (id: string, names: readonly string[]): Html =>
    html`<datalist id="links-${id}">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`;
  const isOpen = filled > 0 || failure.isAboutRules === true;
  return html`<details class="links-part" id="links-rules" ${attributes({open: isOpen})}>
    <summary>${texts.rules.title}</summary>
    <p class="links-hint">${texts.rules.hint(request.formats.timeZone)}</p>
    ${rows.map((row, index) => ruleRow(request, failure, row, index, filled))}
    ${
      rows.length < maxRules &&
      html`<p><button class="links-button links-small" name="rearrange" value="more">${texts.rules.more}</button></p>`
    }
    ${suggestions('languages', places.languages)} ${suggestions('countries', places.countries)}
  </details>`;
}

function ruleRow(request: DashboardRequest, failure: Failure, row: RuleRow, index: number, filled: number): Html {
  const {rules} = request.texts;
  const mistake = failure.rules?.get(index);
  const error = mistake && rules.mistakes[mistake];
  const number = request.formats.number(index + 1);
  /** Connects the input with the error of the row. */
  const blamed = (name: RuleInput): Readonly<Record<string, string | boolean>> =>
    mistake !== undefined && inputOf[mistake] === name
      ? {'aria-invalid': 'true', 'aria-describedby': `links-rule_${index}-error`, autofocus: true}
      : {};
  const isFirstEmpty = failure.isAboutRules === true && index === Math.min(filled, maxRules - 1);
  const button = (action: string, text: string): Html =>
    html`<button
      class="links-button links-small"
      name="rearrange"
      value="${action}_${index}"
      aria-label="${text}: ${rules.rule(number)}"
    >
      ${text}
    </button>`;
  const input = (name: RuleInput, label: string, own: Readonly<Record<string, string | number | boolean>>): Html =>
    html`<div class="links-field">
      <label for="links-${ruleField(index, name)}">${label}</label>
      <input
        ${attributes({
          id: `links-${ruleField(index, name)}`,
          name: ruleField(index, name),
          value: row[name],
          ...blamed(name),
          ...own,
        })}
      />
    </div>`;
  const device = ruleField(index, 'device');
  return html`<fieldset class="links-rule">
    <legend>${rules.rule(number)}</legend>
    ${error !== undefined && html`<p class="links-error" id="links-rule_${index}-error">${error}</p>`}
    <div class="links-rule-fields">
      <div class="links-field">
        <label for="links-${device}">${rules.device}</label>
        <select ${attributes({id: `links-${device}`, name: device, autofocus: isFirstEmpty, ...blamed('device')})}>
          <option value="">${rules.anyDevice}</option>
          ${devices.map((each) => html`<option ${attributes({value: each, selected: each === row.device})}>${rules.devices[each]}</option>`)}
        </select>
      </div>
      ${input('language', rules.language, {...plainText, list: 'links-languages', maxlength: 80, placeholder: rules.any})}
      ${input('country', rules.country, {...plainText, list: 'links-countries', maxlength: 80, placeholder: rules.any})}
      ${input('from', rules.from, {type: 'date'})} ${input('until', rules.until, {type: 'date'})}
    </div>
    ${input('url', rules.url, {...urlText, placeholder: 'https://'})}
    ${
      (index > 0 || filled > 0) &&
      html`<p class="links-row">${index > 0 && button('up', rules.up)} ${button('remove', rules.remove)}</p>`
    }
  </fieldset>`;
}
