import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {campaignNames} from './campaign.ts';
import type {Failure} from './failures.ts';
import {field, maxLength, plainText, urlText} from './field.ts';
import {ruleRows} from './rule-rows.ts';

/** The title and the tags. */
export function namingFields({texts: {fields}}: DashboardRequest, {entered, errors}: Failure): Html {
  return html`${field({
    name: 'title',
    label: fields.title,
    hint: fields.titleHint,
    error: errors.title,
    attributes: {type: 'text', maxlength: maxLength(200), autocomplete: 'off', value: entered.title ?? ''},
  })}
  ${field({
    name: 'tags',
    label: fields.tags,
    hint: fields.tagsHint,
    error: errors.tags,
    attributes: {...plainText, maxlength: maxLength(1100), value: entered.tags ?? ''},
  })}`;
}

/** From when to when and how often the link works, and where visitors go afterwards. */
export function limitFields({texts: {fields}, formats, today}: DashboardRequest, {entered, errors}: Failure): Html {
  return html`${field({
    name: 'start_date',
    label: fields.startDate,
    hint: fields.startDateHint(formats.timeZone),
    error: errors.start_date,
    beside: timeInput('start_time', fields.startTime, entered.start_time),
    attributes: {type: 'date', value: entered.start_date ?? ''},
  })}
  ${field({
    name: 'expiry_date',
    label: fields.expiryDate,
    hint: fields.expiryDateHint(formats.timeZone),
    error: errors.expiry_date,
    beside: timeInput('expiry_time', fields.expiryTime, entered.expiry_time),
    // An expiry date in the past may stay while other fields are changed.
    attributes: {type: 'date', min: minDate(entered.expiry_date, today), value: entered.expiry_date ?? ''},
  })}
  ${field({
    name: 'max_visits',
    label: fields.limit,
    hint: fields.limitHint,
    error: errors.max_visits,
    attributes: {type: 'number', min: 1, max: 1_000_000_000, inputmode: 'numeric', value: entered.max_visits ?? ''},
  })}
  ${field({
    name: 'expired_url',
    label: fields.expiredUrl,
    hint: fields.expiredUrlHint,
    error: errors.expired_url,
    attributes: {...urlText, placeholder: 'https://', value: entered.expired_url ?? ''},
  })}`;
}

/** Whether the query of a visit is added to the long URL. */
export function queryField({texts: {fields}}: DashboardRequest, {entered}: Failure): Html {
  const {forward_query: chosen = ''} = entered;
  const choices: ReadonlyArray<readonly [value: string, name: string]> = [
    // Only a new link can leave the choice to the site.
    ...(chosen === '' ? [['', fields.queryDefault] as const] : []),
    ['yes', fields.queryYes],
    ['no', fields.queryNo],
  ];
  return html`<div class="links-field">
    <label for="links-forward_query">${fields.query}</label>
    <select id="links-forward_query" name="forward_query" aria-describedby="links-forward_query-hint">
      ${choices.map(([value, name]) => html`<option ${attributes({value, selected: value === chosen})}>${name}</option>`)}
    </select>
    <p class="links-hint" id="links-forward_query-hint">${fields.queryHint}</p>
  </div>`;
}

/** The campaign and the rules, each in a `<details>`. */
export function destinationFields(request: DashboardRequest, failure: Failure): Html {
  const {campaign} = request.texts;
  const {entered, errors} = failure;
  const hasCampaign = campaignNames.some((name) => Boolean(entered[name]));
  return html`<details class="links-part" ${attributes({open: hasCampaign})}>
      <summary>${campaign.title}</summary>
      <p class="links-hint">${campaign.hint}</p>
      <div class="links-pair">
        ${campaignNames.map((name) =>
          field({
            name,
            label: campaign[name],
            error: errors[name],
            attributes: {...plainText, maxlength: 200, placeholder: name, value: entered[name] ?? ''},
          }),
        )}
      </div>
    </details>
    ${ruleRows(request, failure)}`;
}

/** The time beside a date. With the step of a second it can show any. */
function timeInput(name: 'start_time' | 'expiry_time', label: string, value = ''): Html {
  const step = value.length > 5 ? 1 : undefined;
  return html`<input ${attributes({type: 'time', id: `links-${name}`, name, value, step, 'aria-label': label})} />`;
}

function minDate(value: string | undefined, today: string): string | undefined {
  return value && value < today ? undefined : today;
}
