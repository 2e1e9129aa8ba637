import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import type {Bases, LinkName} from '../../link/bases.ts';
import {withoutIllegal} from '../../values/characters.ts';
import {isRead} from '../koa/body.ts';
import {type Fields, readForm} from '../koa/form-body.ts';
import type {Call} from '../call.ts';
import {maxUrl, parseUrl} from '../../values/parse-url.ts';
import {hostOf, isVisitMethod} from '../koa/request.ts';

/** In bytes: more than any percent-encoded password needs. */
const maxBody = 4096;

const noFields =
  'The body parser of the site made no form of a posted password: `ctx.request.body` has no fields. Mount koa-short-url ' +
  'before the parser, or use one that sets `ctx.request.body` to the fields of a form.';

/** The operation in the address of the form. It is none of the API. */
const operation = 'open';

/**
 * The path to which the form of a link is posted. The shortener answers it before the site, as it does the API, so that no
 * CSRF check and no body parser of the site gets in the way. On a domain with another path than that of the API, which may
 * not reach the shortener there, it is that of the short URL.
 *
 * @param query of the visit, which the destination may get
 */
export function formPath(name: LinkName, bases: Bases, query = ''): string {
  const {path} = bases.main;
  const isOurs = bases.find(name.domain)?.path === path;
  const address = isOurs
    ? `${path}/api/v1/shorturl/${operation}/${Buffer.from(name.slug).toString('base64url')}`
    : new URL(bases.shortUrl(name)).pathname;
  // A host's own page may forget to escape it. A browser sends the quotation mark ' as it is.
  const escaped = query.replaceAll(/["'<>`]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return query === '' || query.length > maxUrl ? address : `${address}?${escaped}`;
}

/** Whether a call is that of a form. */
export function isForm(call: Call): boolean {
  return call.apiKey === undefined && call.operation === operation && call.segments.length <= 1;
}

/** The link whose form has this address; undefined for a call of the API. */
export function linkOfForm(ctx: Context, call: Call, bases: Bases): LinkName | undefined {
  if (!isForm(call)) return undefined;
  const [encoded = ''] = call.segments;
  const base = isVisitMethod(ctx.req) ? bases.find(hostOf(ctx)) : undefined;
  const slug = bases.shortParts.read(Buffer.from(encoded, 'base64url').toString());
  return base === undefined || slug === undefined ? undefined : {domain: base.domain, slug};
}

/** In characters. Of a longer referrer, and of one with bytes that HTML may not have, only the origin is sent along. */
const maxReferrer = 1000;

/** The page from which the visitor came to the form, for its field `referrer`; empty if the browser does not say. */
export function referrerOf(ctx: Context): string {
  const referrer = ctx.get('Referer');
  const isPlain = referrer.length <= maxReferrer && /^[ -~]*$/.test(referrer);
  return isPlain ? referrer : (parseUrl(referrer)?.origin ?? '');
}

/** The browser names the page of the form as the referrer. The visit counts with the one before. */
function restoreReferrer({req}: Context, fields: Fields): void {
  const referrer = fields.get('referrer');
  if (referrer === undefined) return;
  delete req.headers['referrer'];
  if (referrer === '' || referrer.length > maxReferrer) delete req.headers.referer;
  else req.headers.referer = withoutIllegal(referrer);
}

/**
 * Reads the posted button of a link that asks before it opens. The form may be empty.
 *
 * @returns false if the request was cut off
 */
export async function readConfirmation(ctx: Context): Promise<boolean> {
  const fields = await readForm(ctx, maxBody).catch(() => undefined);
  if (fields !== undefined) restoreReferrer(ctx, fields);
  return !isCutOff(ctx);
}

/** Whether the connection has closed before the whole body came. */
export function isCutOff({req}: Context): boolean {
  return req.destroyed && !req.complete;
}

/**
 * Reads the field `password` of a posted form.
 *
 * @param onLost called if a middleware of the host has read the body and kept no form
 * @returns undefined if the body has no such field, is no form or was cut off; empty for one that is too long for a password
 */
export async function readPassword(ctx: Context, onLost: (error: ShortUrlError) => void): Promise<string | undefined> {
  const isParsed = isRead(ctx);
  try {
    const fields = await readForm(ctx, maxBody);
    if (isParsed && !fields?.size) throw new ShortUrlError('internal_error', noFields);
    if (fields !== undefined) restoreReferrer(ctx, fields);
    return fields?.get('password');
  } catch (error) {
    if (error instanceof ShortUrlError) onLost(error);
    return (error as {readonly status?: unknown}).status === 413 ? '' : undefined;
  }
}
