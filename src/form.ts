import type {Context} from 'koa';
import getRawBody from 'raw-body';
import {ShortUrlError} from './errors.ts';

/** The fields of a form by their names. Of a field that was sent twice in a form the first counts. */
export type Fields = ReadonlyMap<string, string>;

/**
 * The fields of a form that was posted, whether a body parser of the host has read it already or not; undefined if what
 * was posted is no form.
 *
 * @param limit what it may take, in bytes, as it was sent
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off; the connection ends then
 * @throws ShortUrlError `internal_error` if it was read already and nobody can say what was in it
 */
export async function readForm(ctx: Context, limit: number): Promise<Fields | undefined> {
  const isForm = Boolean(ctx.is('urlencoded'));
  // A parser that reads other types only leaves an empty object for a body and the stream as it was. An empty form ends
  // without having been read.
  const isRead = ctx.req.readableDidRead || ctx.req.readableEnded;
  if (!isRead) return isForm ? fieldsIn(await readStream(ctx, limit)) : undefined;
  const body = parsedBody(ctx);
  if (typeof body === 'object' && body !== null) return fieldsOf(body);
  if (!isForm) return undefined;
  if (typeof body === 'string') return fieldsIn(body);
  throw new ShortUrlError(
    'internal_error',
    'Something in front of koa-short-url has read the form and left nothing in `ctx.request.body`.',
  );
}

/** Where a parser in front leaves what it has read: one of Koa in the first place, one of Express or Connect in the second. */
function parsedBody({request, req}: Context): unknown {
  return (request as {body?: unknown}).body ?? (req as {body?: unknown}).body;
}

async function readStream(ctx: Context, limit: number): Promise<string> {
  try {
    // Koa's types leave out that a body sent in chunks has no length.
    const length = (ctx.request.length as number | undefined) ?? null;
    return await getRawBody(ctx.req, {length, limit, encoding: 'utf8'});
  } catch (error) {
    // Too long, cut off or not as long as announced: what is left of it must not be taken for the next request.
    ctx.set('Connection', 'close');
    throw error;
  }
}

function fieldsIn(form: string): Fields {
  return new Map(Array.from(new URLSearchParams(form)).reverse());
}

function fieldsOf(body: object): Fields {
  return new Map(Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
