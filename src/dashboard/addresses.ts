import type {Context} from 'koa';

/** An address with a query. Parameters that are undefined or empty are left out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(present).toString();
  return query === '' ? path : `${path}?${query}`;
}

export function linkAddress(
  root: string,
  shortUrl: string,
  parameters: Record<string, string | undefined> = {},
): string {
  return withQuery(`${root}link`, {short_url: shortUrl, ...parameters});
}

export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '');
}

/** The URL that the browser requested, with the prefix that koa-mount, Express or Connect have removed. */
export function originalUrlOf(ctx: Context): string {
  return (ctx.req as {originalUrl?: string}).originalUrl ?? ctx.originalUrl;
}

/** The path that the browser requested. */
export function requestedPath(ctx: Context): string {
  return partsOf(originalUrlOf(ctx)).path;
}

/** The rest of a path below the dashboard; undefined for a path outside it. */
export function pathBelow(path: string, dashboardPath: string): string | undefined {
  if (path === dashboardPath) return '';
  return path.startsWith(`${dashboardPath}/`) ? path.slice(dashboardPath.length + 1) : undefined;
}

/** The relative address of the home page on the page at a path below the dashboard. */
export function rootOf(path: string): string {
  return path.includes('/') ? '../' : './';
}

/** The address of the home page with a slash at its end; undefined if the URL has one already. */
export function slashAddress(originalUrl: string): string | undefined {
  const {path, query} = partsOf(originalUrl);
  if (path.endsWith('/')) return undefined;
  return `./${path.slice(path.lastIndexOf('/') + 1)}/${query}`;
}

/** The path of the dashboard as browsers see it, without a slash at its end. */
export function rootPathOf(originalUrl: string, path: string): string {
  const {path: whole} = partsOf(originalUrl);
  return whole.slice(0, whole.length - path.length).replace(/\/$/, '');
}

/** In characters. Some servers accept no longer address, and no header longer than about twice as much. */
const maxNext = 4000;

/**
 * The path to return to after login.
 *
 * @param back the page to return to after a form was posted, relative to the requested URL; by default that URL itself
 */
export function pathAfterLogin(originalUrl: string, back?: string): string {
  const {path: requested, query} = partsOf(originalUrl);
  // A login page that redirects to `//host` would leave the site.
  const path = requested.replace(/^[/\\]{2,}/, '/');
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const wanted = back === undefined ? path + query : folder + back.replace(/^\.\//, '');
  return wanted.length > maxNext ? folder : wanted;
}

/** The address of a login page that returns to the path `next`. */
export function loginAddress(login: string, next: string): string {
  return `${login}${login.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`;
}

function partsOf(originalUrl: string): {path: string; query: string} {
  const [, path = '/', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/s.exec(originalUrl) ?? [];
  return {path, query};
}

/** `ctx.path`; undefined if the request target has none. Koa throws for `http://[::1/a`, and has null for `http://`. */
export function pathOf(ctx: Context): string | undefined {
  try {
    const {path} = ctx as {readonly path: string | null};
    return path ?? undefined;
  } catch {
    return undefined;
  }
}
