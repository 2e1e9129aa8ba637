/** The parameters with which analytics programs tell campaigns apart. */
export const campaignNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export type CampaignName = (typeof campaignNames)[number];
export type Campaign = Readonly<Partial<Record<CampaignName, string>>>;

export function campaignIn(url: string): Record<CampaignName, string> {
  const query = new URLSearchParams(partsOf(url).query);
  return Object.fromEntries(campaignNames.map((name) => [name, query.get(name) ?? ''])) as Record<CampaignName, string>;
}

/**
 * Writes parameters of a campaign into a URL. An empty parameter is removed, and one that is not given stays. The rest of
 * the URL does not change.
 */
export function withCampaign(url: string, campaign: Campaign): string {
  const given = Object.entries(campaign);
  if (given.length === 0) return url;
  const {address, query, fragment} = partsOf(url);
  const kept = query.split('&').filter((pair) => pair !== '' && !Object.hasOwn(campaign, pair.split('=', 1)[0] ?? ''));
  const added = given
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const pairs = [...kept, ...added].join('&');
  return `${address}${pairs === '' ? '' : `?${pairs}`}${fragment}`;
}

function partsOf(url: string): {address: string; query: string; fragment: string} {
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(url) ?? [];
  return {address, query, fragment};
}
