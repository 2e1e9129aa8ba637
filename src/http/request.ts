import type {Context} from 'koa';
import type {Bases, LinkName} from '../link/bases.ts';
import {maxPreferences} from '../web/language.ts';

/** The headers in which browsers and apps name the purpose of a request. The last two are older. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Whether a browser or an app sent the request before its user opened the page. */
export function isPrefetch({req: {headers}}: Context): boolean {
  for (const name of purposes) {
    const purpose = headers[name];
    if (purpose !== undefined && /\b(?:prefetch|prerender|preview)\b/i.test(String(purpose))) return true;
  }
  return false;
}

/**
 * The path that the client requested, undecoded and without the query. It still has a prefix that a mount point inside
 * the host has removed, because short URLs include it.
 */
export function publicPath({originalUrl, req}: Context): string {
  // If Koa is mounted in Express or Connect, `ctx.originalUrl` lacks the prefix, and `req.originalUrl` has it.
  const url = (req as {originalUrl?: string}).originalUrl ?? originalUrl;
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?');
  return url.slice(Math.max(start, 0), query === -1 ? undefined : query);
}

/** The query of the URL that the client requested, undecoded; empty if there is none. */
export function publicQuery({originalUrl, req}: Context): string {
  const url = (req as {originalUrl?: string}).originalUrl ?? originalUrl;
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/** Whether the client would rather have JSON than HTML. A browser would not. */
export function prefersJson(ctx: Context): boolean {
  return ctx.get('Accept').length <= maxPreferences && ctx.accepts('html', 'json') === 'json';
}

/** `ctx.host`, without the cost of splitting the header where Koa takes it as it is. */
export function hostOf({app, req, request}: Context): string {
  const {host = ''} = req.headers;
  return app.proxy || req.httpVersionMajor >= 2 || host.includes(',') ? request.host : host;
}

/** The link that the path of a request names. Undefined if its URL is no short URL on one of the site's domains. */
export function linkAt(ctx: Context, path: string, bases: Bases): LinkName | undefined {
  if (!isVisitMethod(ctx.req)) return undefined;
  const base = bases.find(hostOf(ctx));
  return base && bases.nameAt(base, path);
}

/** The link that the path names where nothing else answers, because something clings to it or a `+` follows it. */
export function looseLinkAt(ctx: Context, path: string, bases: Bases): ReturnType<Bases['looseNameAt']> {
  if (!isVisitMethod(ctx.req)) return undefined;
  const base = bases.find(hostOf(ctx));
  const loose = base && bases.looseNameAt(base, path);
  return loose?.isPreview === true && ctx.req.method === 'POST' ? undefined : loose;
}

/** Whether the method and path could be a visit to a short URL. The host is ignored. */
export function isVisit({req}: Context, path: string, bases: Bases): boolean {
  return isVisitMethod(req) && bases.nameAt(bases.main, path) !== undefined;
}

export function isVisitMethod({method}: Context['req']): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'POST';
}
