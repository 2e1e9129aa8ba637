import type {Context} from 'koa';
import getRawBody from 'raw-body';
import {ShortUrlError} from '../errors.ts';

/** More than any password needs, percent-encoded. */
const longestBody = '4kb';

/**
 * The field `password` of a form that was posted, whether a body parser of the host has read it already or not;
 * undefined if there is no such field, or no such form.
 *
 * @throws ShortUrlError `internal_error` if it was read already and nobody can say what was in it
 */
export async function readPassword(ctx: Context): Promise<string | undefined> {
  const {body} = ctx.request as {body?: unknown};
  if (typeof body === 'object' && body !== null) {
    const value = Object.hasOwn(body, 'password') ? (body as {password: unknown}).password : undefined;
    return typeof value === 'string' ? value : undefined;
  }
  if (!ctx.is('urlencoded')) return undefined;
  if (ctx.req.readableEnded) {
    throw new ShortUrlError(
      'internal_error',
      'Something in front of koa-short-url has read the password form and left nothing in `ctx.request.body`.',
    );
  }
  try {
    // Koa's types leave out that a body sent in chunks has no length.
    const length = (ctx.request.length as number | undefined) ?? null;
    const text = await getRawBody(ctx.req, {length, limit: longestBody, encoding: 'utf8'});
    return new URLSearchParams(text).get('password') ?? undefined;
  } catch {
    // Too long, cut off or not as long as announced: what is left of it must not be taken for the next request.
    ctx.set('Connection', 'close');
    return undefined;
  }
}
