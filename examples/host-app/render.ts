import {fileURLToPath} from 'node:url';
import {Eta} from 'eta';
import type {Context} from 'koa';
import {linkPath} from './link-address.ts';
import {csrfToken, visitor} from './session.ts';

/** Escapes what it prints, except where a template says `<%~`. */
const eta = new Eta({views: fileURLToPath(new URL('pages', import.meta.url)), cache: true});

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const dayFormat = new Intl.DateTimeFormat('en-GB', {day: 'numeric', month: 'short', timeZone: 'UTC'});
const numberFormat = new Intl.NumberFormat('en-GB');

/** What every template can call. */
const words = {
  linkPath,
  /** `yyyy-mm-dd` as 12 Nov. */
  day: (date: string): string => dayFormat.format(new Date(date)),
  number: (value: number): string => numberFormat.format(value),
  /** 1 visit, 2 visits. */
  visits: (count: number): string => `${numberFormat.format(count)} ${count === 1 ? 'visit' : 'visits'}`,
  /** The beginning of an address, as much of it as anybody reads. */
  shortened: (url: string): string => (url.length > 300 ? `${url.slice(0, 300)}…` : url),
  /** An address without what every address begins with. */
  bare: (url: string): string => url.replace(/^https?:\/\//, ''),
};

/** Answers with a page of the site, `pages/<page>.eta`. */
export function render(ctx: Context, page: string, data: object = {}): void {
  const user = visitor(ctx);
  ctx.type = 'html';
  ctx.body = eta.render(page, {...words, ...data, path: ctx.path, email: user?.email, csrf: () => csrfToken(ctx)});
  ctx.set({
    // A page can hold the visitor's address, key or token: it is for this visitor only, and not for later.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
}
