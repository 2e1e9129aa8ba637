import {limits} from '../generated/limits.ts';
import {type Attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Failure} from './failures.ts';
import {field, type Field, maxLength, part, plainText, urlText} from './field.ts';
import {
  type Choices,
  type ConditionName,
  conditionNames,
  inputOf,
  inputs,
  isEmpty,
  isPlace,
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
  const more = html`<p>
    <button class="links-button links-small" name="rearrange" value="more">${texts.rules.more}</button>
  </p>`;
  const content = html`${rows.map((row, index) => ruleRow(request, failure, row, index, filled))}
  ${rows.length < limits.rules && more} ${suggestions('language', places.languages)}
  ${suggestions('country', places.countries)}`;
  return part(texts.rules.title, texts.rules.hint(request.formats.timeZone), isOpen, content, 'links-rules');
}

function ruleRow(request: DashboardRequest, failure: Failure, row: RuleRow, index: number, filled: number): Html {
  const {rules} = request.texts;
  const mistake = failure.rules?.get(index);
  const error = mistake && rules.mistakes[mistake];
  const number = request.formats.number(index + 1);
  const button = (action: string, text: string): Html =>
    html`<button
      class="links-button links-small"
      name="rearrange"
      value="${action}_${index}"
      aria-label="${text}: ${rules.rule(number)}"
    >
      ${text}
    </button>`;
  /** The error of the row belongs to one of its inputs. */
  const input = (name: RuleInput, label: string, own: Attributes, options?: Field['options']): Html => {
    const blame = {'aria-invalid': 'true', 'aria-describedby': `links-rule_${index}-error`, autofocus: true};
    const isBlamed = mistake !== undefined && inputOf(mistake) === name;
    const attributes = {value: row[name], ...own, ...(isBlamed && blame)};
    return field({name: ruleField(index, name), label, options, attributes});
  };
  const isFirstEmpty = failure.isAboutRules === true && index === Math.min(filled, limits.rules - 1);
  const choices: Readonly<Partial<Record<ConditionName, Readonly<Record<string, string>>>>> =
    rules.choices satisfies Choices;
  const condition = (name: ConditionName, position: number): Html => {
    const own = {autofocus: isFirstEmpty && position === 0};
    const offered = choices[name];
    if (offered !== undefined) return input(name, rules[name], own, Object.entries(offered));
    if (inputs[name].input === 'day') return input(name, rules[name], {...own, type: 'date'});
    if (inputs[name].input === 'percent') {
      return input(name, rules[name], {
        ...own,
        type: 'number',
        inputmode: 'numeric',
        min: 1,
        max: 99,
        placeholder: 100,
      });
    }
    const list = isPlace(name) ? `links-${name}` : undefined;
    return input(name, rules[name], {...own, ...plainText, list, maxlength: 80, placeholder: rules.any});
  };
  return html`<fieldset class="links-rule">
    <legend>${rules.rule(number)}</legend>
    ${error !== undefined && html`<p class="links-error" id="links-rule_${index}-error">${error}</p>`}
    <div class="links-rule-fields">${conditionNames.map(condition)}</div>
    ${input('url', rules.url, {...urlText, placeholder: 'https://'})}
    ${input('name', rules.name, {...plainText, maxlength: maxLength(limits.name)})}
    ${
      (index > 0 || filled > 0) &&
      html`<p class="links-row">${index > 0 && button('up', rules.up)} ${button('remove', rules.remove)}</p>`
    }
  </fieldset>`;
}
