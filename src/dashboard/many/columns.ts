import type {PageLanguage} from '../../index.ts';
import {type Field, isOfAll, type MoreNames} from '../../tables/columns.ts';
import {plain} from '../../tables/words.ts';
import {pageLanguages} from '../../values/language.ts';
import {campaignNames} from '../forms/campaign.ts';
import {inputNames, inputOf} from '../forms/inputs.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {textsOf} from '../texts/texts.ts';

/** The fields that a column may have, in the order of the menu, with what the page calls them. */
export function choosable({texts}: {readonly texts: Texts}): ReadonlyMap<Field, string> {
  const {fields, campaign, list, statuses, many} = texts;
  return new Map<Field, string>([
    ['url', fields.url],
    ['shortPart', fields.shortPart],
    ['shortUrl', fields.shortUrl],
    ...inputNames.map((name) => [fieldOf(name), inputOf(name).label(texts)] as const),
    ['password', fields.password],
    ['domain', fields.domain],
    ...campaignNames.map((name) => [name, campaign[name]] as const),
    ['status', list.status],
    ['disabled', statuses.disabled],
    ['enabled', statuses.active],
    ['locked', many.locked],
  ]);
}

function fieldOf(name: (typeof inputNames)[number]): Field {
  const {field} = inputOf(name);
  return field === 'expiryDate' ? 'end' : field;
}

/** What the pages call the fields, in every language: so their users call the columns, too. */
export const headingNames: MoreNames = namesOfPages();

function namesOfPages(): MoreNames {
  const names = new Map<Field, string[]>();
  for (const language of pageLanguages) {
    for (const [field, label] of choosable({texts: textsOf(language as PageLanguage)}))
      names.set(field, [...(names.get(field) ?? []), plain(label)]);
  }
  return Object.fromEntries(names);
}

/** How a column is used: as a field, not at all (empty), or as the user has yet to decide. */
export type Choice = Field | 'undecided' | '';

export function isChoice(request: Pick<DashboardRequest, 'texts'>, text: string): text is Choice {
  return text === '' || text === 'undecided' || choosable(request).has(text as Field);
}

/** Whether another column has the same field, and only one can. */
export function isTwice(choices: readonly Choice[], place: number): boolean {
  const choice = choices[place] ?? '';
  if (choice === '' || choice === 'undecided' || isOfAll(choice)) return false;
  return choices.indexOf(choice) !== choices.lastIndexOf(choice);
}
