import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {campaignNames} from './campaign.ts';
import type {Failure} from './failures.ts';
import {field, plainText} from './field.ts';
import {inputNames, inputOf} from './inputs.ts';
import {ruleRows} from './rule-rows.ts';

/** The inputs that the forms for a new link and for a change have in common. */
export function linkInputs(request: DashboardRequest, {entered, errors}: Failure): Html[] {
  const {texts, formats} = request;
  return inputNames.map((name) => {
    const {label, hint, element, attributes: own} = inputOf(name);
    const text = entered[name] ?? '';
    return field({
      name,
      label: label(texts),
      hint: hint(texts, formats.timeZone),
      error: errors[name],
      ...(element?.(text, request) ?? {attributes: {...own, value: text}}),
    });
  });
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
