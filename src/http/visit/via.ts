import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Context} from 'koa';
import type {Attribution, Via} from '../../conversions/attribution.ts';
import {inTime, requireBoolean} from '../../values/callback.ts';
import {ShortUrlError} from '../../errors.ts';
import type {Bases} from '../../link/bases.ts';
import {maxTarget, parseUrl} from '../../link/parse-url.ts';
import type {Announcer} from '../../links/announcer.ts';
import {hostOf} from '../koa/request.ts';
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
  /** Undefined is not asked yet. */
  readonly consent?: ((ctx: Context) => Consent | Promise<Consent>) | undefined;
  readonly credit?: 'last' | 'first' | undefined;
  /** The parameter of destinations that has the token. */
  readonly parameter?: string | undefined;
  /** Whether a destination gets it. */
  readonly parameterFor?: ((destination: URL) => boolean) | undefined;
}

type Consent = boolean | undefined;

/** The parameter by which pages of the site learn the link before the visitor was asked. */
const ownParameter = 'via';

/** Marks visitors with the link that brought them: by a cookie, and by a parameter of destinations elsewhere. */
export type Marker = ReturnType<typeof createMarker>;

export function createMarker(dependencies: MarkerDependencies) {
  const {attribution, bases, announcer, maxAge, consent, parameter, parameterFor = () => true} = dependencies;

  /**
   * The parameter of a destination. On the host of the short URL the cookie is enough, and before the visitor has agreed to
   * it, only pages of the site get the token.
   */
  function parameterOf(ctx: Context, destination: URL, hasAgreed: boolean): string | undefined {
    const isHere = destination.host === hostOf(ctx).toLowerCase();
    const isOwn = isHere || bases.find(destination.host) !== undefined;
    if (hasAgreed ? isHere || parameter === undefined : !isOwn) return undefined;
    const isAllowed = /^https?:$/.test(destination.protocol) && !isSigned(destination);
    return isAllowed && requireBoolean(parameterFor(new URL(destination))) ? (parameter ?? ownParameter) : undefined;
  }

  function cookieOf(token: string, link: Via): string {
    const secure = bases.shortUrl(link).startsWith('https:') ? '; Secure' : '';
    return `${cookieName}=${token}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  /** The token of an earlier link, which keeps its credit. */
  async function credited(context: CookieContext): Promise<string | undefined> {
    return dependencies.credit === 'first' ? attribution.first(tokensOf(context)) : undefined;
  }

  /**
   * The cookie for a counted visit, if one is set, and its destination; undefined if the visitor does not agree. Never
   * rejects: a failure is reported, and the visitor is not marked.
   *
   * @param at the time of the visit
   */
  async function mark(ctx: Context, link: Via, at: number, target: string) {
    try {
      const agreed = consent === undefined ? true : await inTime(consent(ctx));
      const hasAgreed = agreed !== undefined && requireBoolean(agreed);
      if (agreed === false) return undefined;
      const earlier = await credited(ctx);
      const token = earlier ?? (await attribution.token(link, at));
      const url = parameter === undefined && hasAgreed ? undefined : parseUrl(target);
      const name = url && parameterOf(ctx, url, hasAgreed);
      return {
        cookie: hasAgreed && earlier === undefined ? cookieOf(token, link) : undefined,
        target: url && name !== undefined ? withToken(url, `${name}=${token}`) : target,
      };
    } catch (cause) {
      const message =
        "The host's `attribution.consent` or `attribution.parameterFor` failed. The visitor was not marked.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return undefined;
    }
  }

  /** The values of the parameter in the URL of a request, and then in that of the page of the site that it came from. */
  function tokensInUrls({url = '', headers}: AnsweredContext['req']): string[] {
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    const referer = parseUrl(headers.referer ?? '');
    const isOwn = referer && (referer.host === headers.host?.toLowerCase() || bases.find(referer.host) !== undefined);
    return [new URLSearchParams(query), ...(isOwn ? [referer.searchParams] : [])]
      .flatMap((parameters) => parameters.getAll(parameter ?? ownParameter))
      .slice(0, maxCookies);
  }

  /** Sets the cookie where the visitor agrees to it. Returns whether it did. */
  async function accept({req, res}: AnsweredContext, via: unknown): Promise<boolean> {
    const given = typeof via === 'string' ? [via] : tokensInUrls(req);
    const token = await attribution.first(given);
    const link = await attribution.open(token);
    if (token === undefined || link === undefined || (await credited({req})) !== undefined) return false;
    res.appendHeader('Set-Cookie', cookieOf(token, link));
    return true;
  }

  return {mark, accept};
}

/** The part of a context that an answer needs which sets the cookie. */
export interface AnsweredContext {
  readonly req: Pick<IncomingMessage, 'url' | 'headers'>;
  readonly res: Pick<ServerResponse, 'appendHeader'>;
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
