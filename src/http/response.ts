import {Readable} from 'node:stream';
import type {Context} from 'koa';
import {contentType, streamEnvelope, writeEnvelope} from './envelope.ts';
import type {Answer} from './api.ts';

const apiHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/**
 * Writes an answer of the API.
 *
 * @param onBreak hears why a list broke off that was being sent already; not called if the client hung up
 */
export function respondWithAnswer(
  ctx: Context,
  {envelope, format, stream, error}: Answer,
  onBreak: (cause: unknown) => void,
): void {
  ctx.status = envelope.code;
  ctx.set(apiHeaders);
  if (error?.code === 'method_not_allowed') ctx.set('Allow', 'GET');
  if (error?.code === 'invalid_api_key') ctx.set('WWW-Authenticate', 'Bearer');
  if (error?.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.set('Content-Type', contentType(format));
  if (stream === undefined) {
    ctx.body = writeEnvelope(envelope, format);
    return;
  }
  const body = Readable.from(streamEnvelope(envelope, stream, format));
  // Cut off in the middle, a list must not look like a shorter one, whatever stands between this stream and the client.
  body.once('error', (cause) => {
    // The client hung up over HTTP/1: Koa 3 ends the body with an error then.
    if (ctx.res.destroyed) return;
    // Over HTTP/2 an end without an error is a proper end; over HTTP/1 an error would only be reported twice.
    ctx.res.destroy(ctx.req.httpVersionMajor >= 2 ? cause : undefined);
    onBreak(cause);
  });
  ctx.body = body;
}

/** Headers of the host's own 404 that say something of its body, or let others keep what takes its place. */
const bodyHeaders: ReadonlySet<string> = new Set([
  'allow',
  'cdn-cache-control',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-range',
  'content-type',
  'digest',
  'etag',
  'expires',
  'last-modified',
  'refresh',
  'repr-digest',
  'surrogate-control',
  'transfer-encoding',
]);

/** Takes back what the host had answered, so that another answer can take its place. */
export function discardBody(ctx: Context): void {
  for (const name of ctx.res.getHeaderNames()) if (bodyHeaders.has(name)) ctx.remove(name);
  release((ctx as {body: unknown}).body);
  ctx.body = null;
}

/** A body that nobody reads would keep its file or connection open. */
function release(body: unknown): void {
  if (body instanceof Readable) body.once('error', () => undefined).destroy();
  else if (body instanceof Response) release(body.body);
  else if (body instanceof ReadableStream && !body.locked) body.cancel().catch(() => undefined);
}

/** Sends the visitor on. Nobody may keep the answer: the next visit is counted too, and may find the link disabled. */
export function redirect(ctx: Context, status: number, target: string): void {
  discardBody(ctx);
  ctx.status = status;
  ctx.set('Location', target);
  ctx.set('Cache-Control', 'private, no-store');
  // Koa would say so for GET alone, and HEAD gets the same headers.
  ctx.set('Content-Length', '0');
}
