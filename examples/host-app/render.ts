import {fileURLToPath} from 'node:url';
import {Eta} from 'eta';
import type {Context} from 'koa';
import {csrfToken, visitor} from './session.ts';

/** Escapes what it prints, except where a template says `<%~`. */
const eta = new Eta({views: fileURLToPath(new URL('pages', import.meta.url)), cache: true});

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers with a page of the site, `pages/<page>.eta`. */
export function render(ctx: Context, page: string, data: object = {}): void {
  const user = visitor(ctx);
  ctx.type = 'html';
  ctx.body = eta.render(page, {...data, path: ctx.path, email: user?.email, csrf: () => csrfToken(ctx)});
  ctx.set({
    // A page can hold the visitor's address, key or token: it is for this visitor only, and not for later.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
}
