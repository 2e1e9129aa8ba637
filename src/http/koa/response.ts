import {Readable} from 'node:stream';
import type {Context} from 'koa';
import {discardHeaders, replaceHeaders} from './headers.ts';
import {contentType, streamEnvelope, writeEnvelope, type Answer} from '../envelope.ts';

const apiHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/** @param onBreak is called with the cause if a list fails after its first bytes; not called if the client hung up */
export async function respondWithAnswer(
  ctx: Context,
  {envelope, format, stream, picture, error, allow}: Answer,
  onBreak: (cause: unknown) => void,
): Promise<void> {
  ctx.status = envelope.code;
  replaceHeaders(ctx, apiHeaders);
  if (allow !== undefined) ctx.set('Allow', allow);
  if (error?.code === 'invalid_api_key') ctx.set('WWW-Authenticate', 'Bearer');
  if (error?.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  if (picture !== undefined) {
    ctx.set('Cache-Control', 'private, max-age=86400');
    ctx.set('Content-Type', picture.type);
    ctx.body = picture.content;
    return;
  }
  ctx.set('Content-Type', contentType(format));
  if (stream === undefined) {
    ctx.body = await writeEnvelope(envelope, format);
    return;
  }
  const body = Readable.from(streamEnvelope(envelope, stream, format));
  // A truncated list must not look like a shorter one, so the connection ends abnormally.
  body.once('error', (cause) => {
    // The client hung up over HTTP/1. Koa 3 destroys the body with an error then.
    if (ctx.res.destroyed) return;
    // HTTP/2 needs an error, otherwise the stream ends normally. Over HTTP/1 it would be reported twice.
    ctx.res.destroy(ctx.req.httpVersionMajor >= 2 ? cause : undefined);
    onBreak(cause);
  });
  ctx.body = body;
}

/** Removes the host's answer, so that another one without a stream can replace it. */
export function discardBody(ctx: Context): void {
  discardHeaders(ctx);
  const {response} = ctx;
  release(response.body);
  // Koa also removes `Transfer-Encoding`, after which Node.js ends a stream by closing the connection.
  response.body = null;
}

/** Closes the file or connection of a body that will not be sent. */
function release(body: unknown): void {
  if (body instanceof Readable) body.once('error', () => undefined).destroy();
  else if (body instanceof Response) release(body.body);
  else if (body instanceof ReadableStream && !body.locked) body.cancel().catch(() => undefined);
}

/** Redirects the visitor. No cache may store the answer: the next visit is counted, or finds the link disabled. */
export function redirect(ctx: Context, status: number, target: string): void {
  const {res, response} = ctx;
  // The site may have given up the request meanwhile.
  if (res.headersSent) return;
  discardBody(ctx);
  response.status = status;
  // Setting a header through Koa takes V8 several times as long.
  res.setHeader('Location', target);
  res.setHeader('Cache-Control', 'private, no-store');
  // Search engines show the URL of a temporary redirect otherwise.
  if (!res.hasHeader('X-Robots-Tag')) res.setHeader('X-Robots-Tag', 'noindex');
  // Koa 3 sets it for other methods than HEAD. Without it Node.js would close the connection.
  res.setHeader('Content-Length', '0');
}

/** Without `Retry-After`, after which Chromium would prefetch no page of the site for that time. */
export function refusePrefetch(ctx: Context): void {
  discardBody(ctx);
  ctx.status = 503;
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Length', '0');
}
