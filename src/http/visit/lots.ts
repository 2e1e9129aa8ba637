import type {SiteKey} from '../../accounts/site-key.ts';
import type {LinkName} from '../../link/bases.ts';
import {planted} from '../../planted.ts';

/** In hexadecimal digits. */
const digits = 12;

/**
 * A number from 0 to below 100 for a visitor of a link: the same in every process, evenly spread, and unrelated to that of
 * another link. Nothing is stored, and nobody without the key of the site can compute it.
 */
export async function drawOf(
  siteKey: Pick<SiteKey, 'digest'>,
  {domain, slug}: LinkName,
  client: string,
  agent: string,
): Promise<number> {
  const link = planted('one-draw-for-all-links') ? [] : [domain, slug];
  const digest = await siteKey.digest(JSON.stringify(['share', ...link, client, agent]), 'hex');
  return (parseInt(digest.slice(0, digits), 16) / 16 ** digits) * 100;
}
