import type {Context} from 'koa';
import type {Bases, LinkName} from '../../link/bases.ts';
import {maxPreferences} from '../../values/language.ts';
import {hasDotSegments} from '../path.ts';

/** Whether a browser or an app sent the request before its user opened the page. Some have a header of their own. */
export function isPrefetch({req: {headers}}: Context): boolean {
  const {'sec-purpose': standard, purpose, 'x-purpose': ofApple, 'x-moz': ofMozilla} = headers;
  if ((standard ?? purpose ?? ofApple ?? ofMozilla) === undefined) return false;
  return /\b(?:prefetch|prerender|preview)\b/i.test([standard, purpose, ofApple, ofMozilla].join());
}

/**
 * The path that the client requested, undecoded and without the query. It still has a prefix that a mount point inside
 * the host has removed, because short URLs include it.
 */
export function publicPath(ctx: Context): string {
  const url = publicTarget(ctx);
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?');
  return url.slice(Math.max(start, 0), query === -1 ? undefined : query);
}

/** The query of the URL that the client requested, undecoded; empty if there is none. */
export function publicQuery(ctx: Context): string {
  const url = publicTarget(ctx);
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

export function publicTarget({originalUrl, req}: Context): string {
  // If Koa is mounted in Express or Connect, `ctx.originalUrl` lacks the prefix, and `req.originalUrl` has it.
  return (req as {originalUrl?: string}).originalUrl ?? originalUrl;
}

/** Whether the client would rather have JSON than HTML. A browser would not. */
export function prefersJson(ctx: Context): boolean {
  return ctx.get('Accept').length <= maxPreferences && ctx.accepts('html', 'json') === 'json';
}

/** `ctx.host`, without its cost for requests that have only one header to read it from. */
export function hostOf({req, request}: Context): string {
  const {host = '', 'x-forwarded-host': forwarded} = req.headers;
  // Do not read `app.proxy`: Egg prints that it is deprecated.
  return forwarded !== undefined || req.httpVersionMajor >= 2 || host.includes(',') ? request.host : host;
}

/** The link that the path of a request names. Undefined if its URL is no short URL on one of the site's domains. */
export function linkAt(ctx: Context, path: string, bases: Bases): LinkName | undefined {
  if (!isVisitMethod(ctx.req)) return undefined;
  const base = bases.find(hostOf(ctx));
  return base && bases.nameAt(base, path);
}

export interface Asked {
  readonly name: LinkName;
  /** How: by its path, one with something that clings to it, one with the `+` for its preview, or that of its form. */
  readonly by: 'path' | 'loose path' | 'preview' | 'form';
}

/** The link that a request asks for, exactly or loosely. */
export function askedAt(ctx: Context, path: string, bases: Bases): Asked | undefined {
  if (!isVisitMethod(ctx.req)) return undefined;
  const base = bases.find(hostOf(ctx));
  if (base === undefined) return undefined;
  const name = bases.nameAt(base, path);
  if (name !== undefined) return {name, by: 'path'};
  const loose = bases.looseNameAt(base, path);
  if (loose === undefined || hasDotSegments(path)) return undefined;
  if (loose.isPreview && ctx.req.method === 'POST') return undefined;
  return {name: loose.name, by: loose.isPreview ? 'preview' : 'loose path'};
}

/** Whether the method and path could be a visit to a short URL, on a domain with the path of `baseUrl`. */
export function isVisit({req}: Context, path: string, bases: Bases): boolean {
  const {main} = bases;
  return isVisitMethod(req) && (bases.nameAt(main, path) ?? bases.looseNameAt(main, path)) !== undefined;
}

export function isVisitMethod({method}: Context['req']): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'POST';
}
