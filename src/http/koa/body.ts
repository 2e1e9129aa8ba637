import type {Context} from 'koa';
import {isObject} from '../../values/describe.ts';

interface Parsed {
  readonly body?: unknown;
  readonly fields?: unknown;
}

/**
 * Whether a middleware of the host has read the body. A parser for other types sets `body` to an empty object without
 * reading the stream, so look at the stream. An empty stream ends without `readableDidRead`. Where a function runs without
 * a server, its adapter puts the bytes or the text into `req.body`, and the stream cannot be read.
 */
export function isRead({req}: Context): boolean {
  const {body} = req as Parsed;
  return req.readableDidRead || req.readableEnded || typeof body === 'string' || Buffer.isBuffer(body);
}

/**
 * What the host's body parser has made of the body. Parsers for Koa set `ctx.request.body`, or `ctx.request.fields`, and
 * others `req.body`. ThinkJS puts `post` and `file` into the body, and parsers of uploads `fields` and `files`.
 */
export function parsedBody({request, req}: Context): unknown {
  const {body = (req as Parsed).body, fields} = request as Parsed;
  const parsed = body ?? fields;
  if (!isObject(parsed) || !Object.keys(parsed).every((name) => ['post', 'file', 'fields', 'files'].includes(name))) {
    return parsed;
  }
  return [parsed['post'], parsed['fields']].find(isObject) ?? parsed;
}

/** The error of raw-body for a body that is too long, for one with too many parts. */
export function tooLarge(message: string): Error {
  return Object.assign(new Error(message), {status: 413, type: 'entity.too.large'});
}

/**
 * Reads the body from the request.
 *
 * @param limit in bytes
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off; the connection ends then
 */
export async function readStream(ctx: Context, limit: number): Promise<Buffer> {
  try {
    // Most sites get no body for us, and it takes a tenth of the time to load the package.
    const {default: getRawBody} = await import('raw-body');
    if (ctx.req.destroyed) ctx.throw(400, 'The request was cut off');
    // A chunked body has no length, unlike Koa's types say.
    const length = (ctx.request.length as number | undefined) ?? null;
    return await getRawBody(ctx.req, {length, limit});
  } catch (error) {
    // The rest of the body must not be read as the next request. HTTP/2 has no such header and no such danger.
    if (ctx.req.httpVersionMajor < 2) ctx.set('Connection', 'close');
    throw error;
  }
}
