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
  const isForm = Boolean(ctx.is('urlencoded'));
  // A parser that reads other types only leaves an empty object for a body and the stream as it was. An empty form ends
  // without having been read.
  const isRead = ctx.req.readableDidRead || ctx.req.readableEnded;
  if (!isRead) return isForm ? readStream(ctx) : undefined;
  const body = parsedBody(ctx);
  if (typeof body === 'object' && body !== null) {
    const value = Object.hasOwn(body, 'password') ? (body as {password: unknown}).password : undefined;
    return typeof value === 'string' ? value : undefined;
  }
  if (!isForm) return undefined;
  if (typeof body === 'string') return passwordIn(body);
  throw new ShortUrlError(
    'internal_error',
    'Something in front of koa-short-url has read the password form and left nothing in `ctx.request.body`.',
  );
}

/** Where a parser in front leaves what it has read: one of Koa in the first place, one of Express or Connect in the second. */
function parsedBody({request, req}: Context): unknown {
  return (request as {body?: unknown}).body ?? (req as {body?: unknown}).body;
}

async function readStream(ctx: Context): Promise<string | undefined> {
  try {
    // Koa's types leave out that a body sent in chunks has no length.
    const length = (ctx.request.length as number | undefined) ?? null;
    return passwordIn(await getRawBody(ctx.req, {length, limit: longestBody, encoding: 'utf8'}));
  } catch {
    // Too long, cut off or not as long as announced: what is left of it must not be taken for the next request.
    ctx.set('Connection', 'close');
    return undefined;
  }
}

function passwordIn(form: string): string | undefined {
  return new URLSearchParams(form).get('password') ?? undefined;
}
