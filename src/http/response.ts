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
 * @param onBreak hears why a list broke off that was being sent already
 */
export function respondWithAnswer(
  ctx: Context,
  {envelope, format, stream, error}: Answer,
  onBreak: (cause: unknown) => void,
): void {
  ctx.status = envelope.code;
  ctx.set(apiHeaders);
  if (error?.code === 'method_not_allowed') ctx.set('Allow', 'GET');
  if (error?.retryAfter !== undefined) ctx.set('Retry-After', String(error.retryAfter));
  ctx.set('Content-Type', contentType(format));
  if (stream === undefined) {
    ctx.body = writeEnvelope(envelope, format);
    return;
  }
  const body = Readable.from(streamEnvelope(envelope, stream, format));
  // Cut off in the middle, a list must not look like a shorter one, whatever stands between this stream and the client.
  body.once('error', (cause) => {
    ctx.res.destroy();
    onBreak(cause);
  });
  ctx.body = body;
}

/** Headers that describe the body which the host had answered with, and not the one that takes its place. */
const bodyHeaders = [
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Content-Language',
  'Content-Disposition',
  'Transfer-Encoding',
  'ETag',
  'Last-Modified',
  'Expires',
];

/** Takes back what the host had answered, so that another answer can take its place. */
export function discardBody(ctx: Context): void {
  for (const name of bodyHeaders) ctx.remove(name);
  const {body} = ctx as {body: unknown};
  if (body instanceof Readable) body.once('error', () => undefined).destroy();
  ctx.body = null;
}

/** Sends the visitor on. Nobody may keep the answer: the next visit is counted too, and may find the link disabled. */
export function redirect(ctx: Context, status: number, target: string): void {
  discardBody(ctx);
  ctx.status = status;
  ctx.set('Location', target);
  ctx.set('Cache-Control', 'private, no-store');
}
