import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import type {Bases, LinkName} from '../../link/bases.ts';
import {isRead} from '../koa/body.ts';
import {readForm} from '../koa/form.ts';
import type {Call} from '../call.ts';
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
 */
export function formPath(name: LinkName, bases: Bases): string {
  const {path} = bases.main;
  if (bases.find(name.domain)?.path !== path) return new URL(bases.shortUrl(name)).pathname;
  return `${path}/api/v1/shorturl/${operation}/${Buffer.from(name.slug).toString('base64url')}`;
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
    return fields?.get('password');
  } catch (error) {
    if (error instanceof ShortUrlError) onLost(error);
    return (error as {readonly status?: unknown}).status === 413 ? '' : undefined;
  }
}
