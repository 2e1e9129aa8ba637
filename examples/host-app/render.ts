import {fileURLToPath} from 'node:url';
import {Eta} from 'eta';
import type {Context} from 'koa';
import type {DashboardPage} from 'koa-short-url/dashboard';
import {consentOf} from './consent.ts';
import {csrfToken, visitor} from './session.ts';

/** Escapes all values except those in `<%~`. */
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

/** Answers with a page of the site, `pages/<page>.eta`. */
export function render(ctx: Context, page: string, data: object = {}): void {
  ctx.type = 'html';
  ctx.body = document(ctx, page, data);
}

/** Puts a page of the dashboard into the layout of the site. */
export function renderDashboard(page: DashboardPage, ctx: Context): string {
  return document(ctx, 'dashboard', page);
}

function document(ctx: Context, page: string, data: object): string {
  ctx.set({
    // Pages may contain the user's email address, API key or token.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
  return eta.render(page, {
    ...data,
    path: ctx.path,
    email: visitor(ctx)?.email,
    csrf: () => csrfToken(ctx),
    asksConsent: page !== 'dashboard' && consentOf(ctx) === undefined,
  });
}
