import type {Context} from 'koa';
import type {SiteKey} from '../../accounts/site-key.ts';
import type {LinkName} from '../../link/bases.ts';
import type {LinkRecord} from '../../link/record.ts';
import type {Lot} from '../../link/rules.ts';
import {planted} from '../../planted.ts';
import {addressOf, clientOf} from '../koa/client-address.ts';

/** In hexadecimal digits. */
const digits = 12;

export interface LotsDependencies {
  readonly siteKey: Pick<SiteKey, 'digest'>;
  /** The variant of a link that a visitor has seen before; undefined if that is not known. */
  readonly seenVariant: ((ctx: Context, link: LinkRecord) => Promise<string | undefined>) | undefined;
}

/** Draws variants of links for visitors. */
export class Lots {
  readonly #dependencies: LotsDependencies;

  constructor(dependencies: LotsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws ShortUrlError `store_unavailable` if the key of the site is not known yet */
  async of(ctx: Context, link: LinkRecord): Promise<Lot> {
    const {siteKey, seenVariant} = this.#dependencies;
    // Read it now: Koa loses the address when the connection closes.
    const client = clientOf(addressOf(ctx));
    const kept = await seenVariant?.(ctx, link);
    return {draw: await drawOf(siteKey, link, client, ctx.get('User-Agent')), kept};
  }
}

/**
 * A number from 0 to below 100 for a visitor of a link: the same in every process, evenly spread, and unrelated to that of
 * another link. Nothing is stored, and nobody without the key of the site can compute it.
 */
export async function drawOf(
  siteKey: LotsDependencies['siteKey'],
  {domain, slug}: LinkName,
  client: string,
  agent: string,
): Promise<number> {
  const link = planted('one-draw-for-all-links') ? [] : [domain, slug];
  const digest = await siteKey.digest(JSON.stringify(['share', ...link, client, agent]), 'hex');
  return (parseInt(digest.slice(0, digits), 16) / 16 ** digits) * 100;
}
