import type {Context} from 'koa';

/**
 * Headers that the host set for its own page and that describe its body, or would let a cache store the answer that
 * replaces it.
 */
const bodyHeaders: ReadonlySet<string> = new Set([
  'allow',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-range',
  'content-type',
  'digest',
  'edge-control',
  'etag',
  'expires',
  'last-modified',
  'refresh',
  'repr-digest',
  'surrogate-control',
  'x-accel-expires',
]);

/** The headers of the pages of the package. */
export const pageHeaders = {
  'Cache-Control': 'no-store',
  // With `no-referrer`, which some hosts set, browsers would send `Origin: null` with the forms of these pages.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

/** A cache obeys the header with its own name rather than `Cache-Control` (RFC 9213). */
const targetedCacheControl = '-cache-control';

/** Removes the headers that belong to an answer of the host, which another answer replaces. */
export function discardHeaders({res, response}: Context): void {
  for (const name of res.getHeaderNames()) {
    if (bodyHeaders.has(name) || name.endsWith(targetedCacheControl)) response.remove(name);
  }
}

/**
 * Sets the headers of an answer, and removes those that the host has set for all its answers and that would be wrong for
 * this one. Every answer of the API, the dashboard and the built-in pages begins with it: a cache that obeys the
 * host's header must not give the page of one user to another.
 */
export function replaceHeaders(ctx: Context, headers: Readonly<Record<string, string>>): void {
  discardHeaders(ctx);
  ctx.set(headers);
}
