import type {Failure} from './failures.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {dateOf} from '../visits/days.ts';
import {field, maxLength, plainText} from './field.ts';

/** The fields that both forms have, without the long URL and the password. */
export function commonFields({texts, now}: DashboardRequest, {entered, errors}: Failure): Html {
  const {fields} = texts;
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
  })}
  ${field({
    name: 'expiry_date',
    label: fields.expiryDate,
    hint: fields.expiryDateHint,
    error: errors.expiry_date,
    // An expiry date in the past may stay while other fields are changed.
    attributes: {type: 'date', min: minDate(entered.expiry_date, dateOf(now)), value: entered.expiry_date ?? ''},
  })}
  ${field({
    name: 'max_visits',
    label: fields.limit,
    hint: fields.limitHint,
    error: errors.max_visits,
    attributes: {type: 'number', min: 1, max: 1_000_000_000, inputmode: 'numeric', value: entered.max_visits ?? ''},
  })}`;
}

function minDate(value: string | undefined, today: string): string | undefined {
  return value && value < today ? undefined : today;
}
