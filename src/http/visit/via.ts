import type {Context} from 'koa';
import type {Attribution, Via} from '../../conversions/attribution.ts';
import {inTime, requireBoolean} from '../../host/callback.ts';
import {ShortUrlError} from '../../host/errors.ts';
import type {Bases} from '../../link/bases.ts';
import {maxTarget, parseUrl} from '../../link/parse-url.ts';
import type {Announcer} from '../../links/announcer.ts';
import {hostOf} from '../request.ts';
import {isSigned} from './destination.ts';

/** The cookie that names the link of the last visit. */
const cookieName = 'short_url_via';

const cookiePattern = new RegExp(`(?:^|;)[\\t ]*${cookieName}="?([\\w-]+)`, 'g');
const maxCookies = 8;

export interface MarkerDependencies {
  readonly attribution: Attribution;
  readonly bases: Bases;
  readonly announcer: Pick<Announcer, 'reportIn'>;
  /** How long the browser keeps the cookie, in seconds. */
  readonly maxAge: number;
  readonly consent?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /** The parameter of destinations that has the token. */
  readonly parameter?: string | undefined;
  /** Whether a destination gets it. */
  readonly parameterFor?: ((destination: URL) => boolean) | undefined;
}

/** Marks visitors with the link that brought them: by a cookie, and by a parameter of destinations elsewhere. */
export type Marker = ReturnType<typeof createMarker>;

export function createMarker(dependencies: MarkerDependencies) {
  const {attribution, bases, announcer, maxAge, consent, parameter, parameterFor = () => true} = dependencies;

  /** Not on the host of the short URL, where the cookie is enough. */
  function needsParameter(ctx: Context, destination: URL): boolean {
    const isElsewhere = /^https?:$/.test(destination.protocol) && destination.host !== hostOf(ctx).toLowerCase();
    return isElsewhere && !isSigned(destination) && requireBoolean(parameterFor(new URL(destination)));
  }

  /**
   * The cookie for a counted visit, and its destination; undefined if the host does not consent. Never rejects: a failure
   * is reported, and the visitor is not marked.
   *
   * @param at the time of the visit
   */
  return async (ctx: Context, link: Via, at: number, target: string) => {
    try {
      if (consent !== undefined && !requireBoolean(await inTime(consent(ctx)))) return undefined;
      const token = await attribution.token(link, at);
      const url = parameter === undefined ? undefined : parseUrl(target);
      const secure = bases.shortUrl(link).startsWith('https:') ? '; Secure' : '';
      return {
        cookie: `${cookieName}=${token}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`,
        target: url && needsParameter(ctx, url) ? withToken(url, `${parameter}=${token}`) : target,
      };
    } catch (cause) {
      const message =
        "The host's `attribution.consent` or `attribution.parameterFor` failed. The visitor was not marked.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return undefined;
    }
  };
}

/** The part of a request of Node.js, or of its context, that has the cookies. */
export type CookieContext = CookieRequest | {readonly req: CookieRequest};

interface CookieRequest {
  readonly headers: {readonly cookie?: string | undefined};
}

/**
 * The values of the cookie in a request, in their order: at most eight. A page of a subdomain can set one of the same name,
 * which must not hide the right one.
 */
export function tokensOf(context: CookieContext): string[] {
  const {headers} = 'req' in context ? context.req : context;
  const pairs = (headers.cookie ?? '').matchAll(cookiePattern);
  return Array.from(pairs, ([, value = '']) => value).slice(0, maxCookies);
}

/** A destination with the token in its query, instead of an earlier one; without it if the result would be too long. */
function withToken(url: URL, pair: string): string {
  const target = url.href;
  const name = pair.slice(0, pair.indexOf('='));
  const others = url.search.slice(1).split('&');
  const kept = others.filter((other) => other !== '' && other !== name && !other.startsWith(`${name}=`));
  url.search = [...kept, pair].join('&');
  return url.href.length > maxTarget ? target : url.href;
}
