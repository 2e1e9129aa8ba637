import type {Link} from '../../index.ts';
import {html, type Html} from '../html.ts';

/** The inputs of a campaign, by the parameters that a destination gets. */
export const campaignNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export type CampaignName = (typeof campaignNames)[number];
type Utm = NonNullable<Link['utm']>;

/** The maximum length of a part, in characters. */
export const maxPart = 100;

function partOf(name: CampaignName): keyof Utm {
  return name.replace('utm_', '') as keyof Utm;
}

/** The texts of the inputs for a link. */
export function campaignOf({utm}: Pick<Link, 'utm'>): Record<CampaignName, string> {
  return Object.fromEntries(campaignNames.map((name) => [name, utm?.[partOf(name)] ?? ''])) as Record<
    CampaignName,
    string
  >;
}

/** The campaign in the texts of inputs; undefined if they are empty. */
export function utmIn(entered: Readonly<Partial<Record<CampaignName, string>>>): Utm | undefined {
  const given = campaignNames.filter((name) => Boolean(entered[name]));
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((name) => [partOf(name), entered[name]]));
}

/** The id of the suggestions for an input. */
export function suggestionsFor(name: CampaignName): string {
  return `links-known-${name}`;
}

/** What links of the account have as their campaigns, to suggest it again. */
export function campaignSuggestions(links: ReadonlyArray<Pick<Link, 'utm'>>): Html[] {
  return campaignNames.map((name) => {
    const used = new Set(links.flatMap(({utm}) => utm?.[partOf(name)] ?? []));
    return html`<datalist id="${suggestionsFor(name)}">
      ${Array.from(used, (text) => html`<option value="${text}"></option>`)}
    </datalist>`;
  });
}
