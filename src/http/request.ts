import type {Context} from 'koa';

/** Whether a browser asks for what its user has not opened yet. */
export function isPrefetch({req}: Context): boolean {
  return says(req.headers['sec-purpose']) || says(req.headers['purpose']);
}

function says(purpose: string | string[] | undefined): boolean {
  return purpose !== undefined && /\bprefetch\b/i.test(String(purpose));
}

/**
 * The path that the client asked for, undecoded and without the query: what a proxy or a mount point inside the host
 * has made of it since does not change which short URL it is.
 */
export function publicPath({originalUrl, req}: Context): string {
  // Koa takes the URL as it comes to Koa. Express and Connect have cut off the prefix it is mounted under by then.
  const url = (req as {originalUrl?: string}).originalUrl ?? originalUrl;
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?');
  return url.slice(Math.max(start, 0), query === -1 ? undefined : query);
}
