import type {Link} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {campaignNames, maxPart, suggestionsFor} from './campaign.ts';
import type {Failure} from './failures.ts';
import {field, part, plainText, urlText} from './field.ts';
import {type InputName, inputNames, inputOf} from './inputs.ts';
import {ruleRows} from './rule-rows.ts';

const cardNames = inputNames.filter((name) => inputOf(name).part === 'card');
const otherNames = inputNames.filter((name) => inputOf(name).part === undefined);

/** @param beside a button beside the input */
export function urlField({texts}: DashboardRequest, {entered, errors}: Failure, beside?: Html): Html {
  return field({
    name: 'url',
    label: texts.fields.url,
    error: errors.url,
    beside,
    attributes: {...urlText, required: true, placeholder: 'https://', value: entered.url ?? ''},
  });
}

/** The inputs that the forms for a new link and for a change have in common. */
export function linkInputs(request: DashboardRequest, failure: Failure, link?: Link): Html {
  const {fields} = request.texts;
  const password = field({
    name: 'password',
    label: link?.hasPassword ? fields.newPassword : fields.password,
    hint: link?.hasPassword ? fields.newPasswordHint : fields.passwordHint,
    error: failure.errors.password,
    attributes: {...plainText, value: failure.entered.password ?? ''},
  });
  return html`${inputsOf(request, failure, otherNames)} ${password}`;
}

function inputsOf(request: DashboardRequest, {entered, errors}: Failure, names: readonly InputName[]): Html[] {
  const {texts, formats} = request;
  return names.map((name) => {
    const {label, hint, element, attributes: own} = inputOf(name);
    const text = entered[name] ?? '';
    return field({
      name,
      label: label(texts),
      hint: hint?.(texts, formats.timeZone),
      error: errors[name],
      ...(element?.(text, request) ?? {attributes: {...own, value: text}}),
    });
  });
}

/** The campaign, the card and the rules, each in a `<details>`. */
export function destinationFields(request: DashboardRequest, failure: Failure, link?: Link): Html {
  const {campaign} = request.texts;
  const {entered, errors} = failure;
  const hasCampaign = campaignNames.some((name) => Boolean(entered[name]));
  const fields = campaignNames.map((name) =>
    field({
      name,
      label: campaign[name],
      error: errors[name],
      attributes: {
        ...plainText,
        ...{maxlength: maxPart, placeholder: name, list: suggestionsFor(name), value: entered[name] ?? ''},
      },
    }),
  );
  return html`${part(campaign.title, campaign.hint, hasCampaign, html`<div class="links-pair">${fields}</div>`)}
  ${cardFields(request, failure, link)} ${ruleRows(request, failure)}`;
}

function cardFields(request: DashboardRequest, failure: Failure, link: Link | undefined): Html {
  const {card} = request.texts;
  const {entered, errors} = failure;
  const isOpen = cardNames.some((name) => Boolean(entered[name]) || errors[name] !== undefined);
  const fields = html`<div class="links-pair">${inputsOf(request, failure, cardNames)}</div>`;
  return part(card.title, undefined, isOpen, html`${fields} ${link && cardOf(request, link)}`);
}

/** How the card of a link looks. Its picture is on the page with a `+`, because pages of the dashboard load no pictures of other sites. */
function cardOf({texts}: DashboardRequest, link: Link): Html | undefined {
  const {shortUrl, previewTitle: title, previewDescription: description, previewImage: image} = link;
  if (title === null && description === null && image === null) return undefined;
  return html`<div class="links-preview">
    ${title !== null && html`<strong><bdi>${title}</bdi></strong>`}
    ${description !== null && html`<bdi>${description}</bdi>`}
    <span class="links-fact">${new URL(shortUrl).host}</span>
    <a href="${shortUrl}+">${texts.card.see}</a>
  </div>`;
}
