import {planted} from '../../planted.ts';
import type {Account} from '../../accounts/accounts.ts';
import {ShortUrlError} from '../../errors.ts';
import type {LinkName} from '../../link/bases.ts';
import type {NewLink} from '../../link/new-link.ts';
import type {LinkRecord} from '../../link/record.ts';
import {taken} from '../../link/refusals.ts';
import {linkRecords} from '../../link/records.ts';
import type {LinkServices} from '../services.ts';

/**
 * A short part for a link that has not chosen one. It may be taken already.
 *
 * @param collisions how many were taken. After many it is longer, so that even a `slugLength` of 1 never runs out
 */
export function newSlug(
  {bases, reserved, sitePages, slugLength}: Pick<LinkServices, 'bases' | 'reserved' | 'sitePages' | 'slugLength'>,
  {baseDomain: {domain}}: NewLink,
  collisions: number,
): string {
  for (let attempt = collisions; ; attempt++) {
    const slug = bases.shortParts.generate(Math.min(64, slugLength + Math.floor(attempt / 8)));
    if (!reserved.has(slug) && !sitePages.has({domain, slug})) return slug;
  }
}

export function chosenName({customUrl: slug, baseDomain: {domain}}: NewLink): LinkName | undefined {
  return slug === undefined ? undefined : {domain, slug};
}

/** @throws ShortUrlError `invalid_custom_url` if the site has a page there, as far as this process has seen */
export function checkNoPage({bases, sitePages}: Pick<LinkServices, 'bases' | 'sitePages'>, name: LinkName): void {
  if (!sitePages.has(name)) return;
  const {pathname} = new URL(bases.shortUrl(name));
  const message = `Your site already has a page at ${pathname}. Choose another short part.`;
  throw new ShortUrlError('invalid_custom_url', message);
}

/** @throws ShortUrlError `custom_url_taken` */
export async function checkFree({store}: Pick<LinkServices, 'store'>, account: Account, name: LinkName): Promise<void> {
  const entry = await linkRecords.in(store).get(name);
  if (entry !== undefined && !isVacant(entry.value, account)) throw taken();
}

/** Whether the account may create the link again: it has removed it, and the operator had not blocked it. */
export function isVacant({state, generation, isBlocked}: LinkRecord, account: Account): boolean {
  const isOwn = generation === account.generation || planted('removed-name-for-all');
  return state === 'removed' && isOwn && isBlocked === undefined;
}
