import type {Context} from 'koa';
import {pageHeaders, replaceHeaders} from '../http/koa/headers.ts';
import type {PageLanguage} from '../index.ts';
import {attachment} from './files/file-name.ts';
import {html, type Html} from './html.ts';
import type {FileReply} from './request.ts';
import type {Settings} from './settings.ts';
import type {Texts} from './texts/en.ts';

/** The policy of the built-in layout: only files and forms of the site itself. */
function contentSecurityPolicy({login}: Settings): string {
  // Browsers also check the redirect that answers a form. After the end of a session it leads to the login page.
  const isElsewhere = typeof login === 'string' && !login.startsWith('/');
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${isElsewhere ? ` ${new URL(login).origin}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export interface Document {
  readonly title: string;
  readonly language: PageLanguage;
  readonly texts: Texts;
  readonly head: Html;
  /** The pages of the dashboard, and the logged-in user. */
  readonly navigation: Html | undefined;
  readonly content: Html;
  /** Whether everybody may read it. Its address is a secret, which no other site must see. */
  readonly isForAll: boolean;
}

/** Answers with a page, in the host's layout or in the built-in one. */
export async function sendDocument(ctx: Context, settings: Settings, status: number, page: Document): Promise<void> {
  const {title, language, head, navigation, content, isForAll} = page;
  ctx.status = status;
  replaceHeaders(ctx, {...pageHeaders, ...(isForAll && {'Referrer-Policy': 'no-referrer'})});
  ctx.vary('Accept-Language');
  ctx.set('Content-Type', 'text/html; charset=utf-8');
  if (settings.layout === undefined) {
    ctx.set('Content-Security-Policy', contentSecurityPolicy(settings));
    ctx.body = ownDocument(settings, page).toString();
    return;
  }
  const wrapped = html`<div class="links-dashboard" lang="${language}">
    ${navigation && html`<div class="links-row links-header">${navigation}</div>`}
    <div class="links-content">${content}</div>
  </div>`;
  const parts = {title, language, head: head.toString(), content: wrapped.toString()};
  ctx.body = await settings.layout(parts, ctx);
}

function ownDocument(
  {siteName, homeUrl}: Settings,
  {title, language, texts, head, navigation, content}: Document,
): Html {
  return html`<!DOCTYPE html>
    <html class="links-page" lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${siteName}</title>
        ${head}
      </head>
      <body>
        <div class="links-dashboard">
          <a class="links-skip" href="#links-content">${texts.skip}</a>
          <header class="links-row links-header">
            <a class="links-brand" href="${homeUrl}">${siteName}</a>${navigation}
          </header>
          <main class="links-content" id="links-content">${content}</main>
        </div>
      </body>
    </html> `;
}

export function redirectTo(ctx: Context, location: string): void {
  ctx.status = 303;
  replaceHeaders(ctx, {'Cache-Control': 'no-store', Location: location});
  ctx.body = '';
}

/** @param scope which caches may store the file: all of them, or only the browser of this user */
export function sendFile(ctx: Context, {type, body, maxAge, download}: FileReply, scope: 'public' | 'private'): void {
  ctx.status = 200;
  replaceHeaders(ctx, {
    'Cache-Control': cacheControl(maxAge, scope),
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    ...(download !== undefined && {'Content-Disposition': attachment(download)}),
  });
  ctx.body = body;
}

function cacheControl(maxAge: number, scope: 'public' | 'private'): string {
  if (maxAge > 0) return `${scope}, max-age=${maxAge}${scope === 'public' ? ', immutable' : ''}`;
  return scope === 'public' ? 'no-cache' : 'no-store';
}

export function refuseMethod(ctx: Context, allowed: string): void {
  ctx.status = 405;
  replaceHeaders(ctx, {'Cache-Control': 'no-store', Allow: allowed});
}
