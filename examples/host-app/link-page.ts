import type {Context} from 'koa';
import {type Link, type ShortUrl, ShortUrlError} from 'koa-short-url';
import {apiKeyOf, type Attempt} from './account-page.ts';
import {linkOperations} from './api-lines.ts';
import {render} from './render.ts';
import {userOf} from './require-user.ts';
import {takeNotice} from './session.ts';
import {visitsOf} from './visits-chart.ts';

export interface LinkPageDependencies {
  readonly shortener: ShortUrl;
  readonly baseUrl: string;
  readonly now: () => number;
}

export type ShowLink = (ctx: Context, shortUrl: string, attempt?: Attempt) => Promise<void>;

/** The page about one link of the user: its visits, its QR code, and what the API says to it. */
export function linkPage({shortener, baseUrl, now}: LinkPageDependencies): ShowLink {
  const site = baseUrl.replace(/\/+$/, '');

  return async (ctx, shortUrl, attempt) => {
    const {id} = userOf(ctx);
    const link = await ownLink(ctx, shortener, shortUrl);
    const chart = await visitsOf(shortener, id, link.shortUrl, now());
    if (attempt) ctx.status = attempt.status;
    render(ctx, 'link', {
      link,
      chart,
      apiKey: await apiKeyOf(shortener, id),
      operations: linkOperations({site, shortUrl: link.shortUrl}),
      notice: attempt ? undefined : takeNotice(ctx),
      errors: attempt?.errors ?? {},
    });
  };
}

/** @throws the site's 404 for a link that the user does not have */
export async function ownLink(ctx: Context, {links}: ShortUrl, shortUrl: string): Promise<Link> {
  try {
    return await links.info(userOf(ctx).id, shortUrl);
  } catch (error) {
    if (error instanceof ShortUrlError && error.status < 500) ctx.throw(404);
    throw error;
  }
}
