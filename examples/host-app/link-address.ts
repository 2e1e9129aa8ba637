import type {Context} from 'koa';

/** Where the page about a link is. */
export function linkPath(shortUrl: string): string {
  return `/account/link?short_url=${encodeURIComponent(shortUrl)}`;
}

/** The short URL that the query of an address names; an empty string where it names none. */
export function askedFor(ctx: Context): string {
  return new URLSearchParams(ctx.querystring).get('short_url') ?? '';
}
