import type {Context} from 'koa';

/** The URL as the browser asked for it, with what koa-mount, or Express or Connect around the app, has taken away. */
export function originalUrlOf(ctx: Context): string {
  return (ctx.req as {originalUrl?: string}).originalUrl ?? ctx.originalUrl;
}

/** The path below the dashboard's; undefined for a path that is elsewhere. */
export function pathBelow(path: string, dashboardPath: string): string | undefined {
  if (path === dashboardPath) return '';
  return path.startsWith(`${dashboardPath}/`) ? path.slice(dashboardPath.length + 1) : undefined;
}

/** Where the dashboard's first page is whose URL lacks the slash at its end; undefined where it has one. */
export function slashAddress(originalUrl: string): string | undefined {
  const {path, query} = parts(originalUrl);
  if (path.endsWith('/')) return undefined;
  return `./${path.slice(path.lastIndexOf('/') + 1)}/${query}`;
}

/** In characters. Some servers take no longer address than this, and a header no longer than about twice as much. */
const maxReturn = 4000;

/**
 * The login page, told where to come back to: to the page that was asked for, or, where something was posted, to the
 * page that `back` names relative to it.
 */
export function loginAddress(login: string, originalUrl: string, back?: string): string {
  const {path, query} = parts(originalUrl);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const wanted = back === undefined ? path + query : folder + back.replace(/^\.\//, '');
  const next = encodeURIComponent(wanted.length > maxReturn ? folder : wanted);
  return `${login}${login.includes('?') ? '&' : '?'}next=${next}`;
}

function parts(originalUrl: string): {path: string; query: string} {
  const [, path = '/', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(.*)$/s.exec(originalUrl) ?? [];
  return {path, query};
}
