import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Context} from 'koa';
import {LRUCache} from 'lru-cache';
import {planted} from '../../planted.ts';
import type {Attribution, Via} from '../../conversions/attribution.ts';
import {inTime, requireBoolean} from '../../values/callback.ts';
import {ShortUrlError} from '../../errors.ts';
import {type Bases, isSameName} from '../../link/bases.ts';
import {maxTarget, parseUrl} from '../../values/parse-url.ts';
import type {Announcer} from '../../links/announcer.ts';
import {hostOf} from '../koa/request.ts';
import {isSigned, pairsOf} from './destination.ts';

/** The cookie that names the link of the last visit. */
const cookieName = 'short_url_via';

const cookiePattern = new RegExp(`(?:^|;)[\\t ]*${cookieName}="?([\\w-]+)`, 'g');
const maxCookies = 8;

/** The maximum memory for destinations, in bytes: about 10,000 with URLs of 100 characters. */
const maxKept = 8 * 1024 * 1024;

/** Estimated overhead of a destination, in bytes. */
const overhead = 500;

/** A destination, as far as it is the same for all visitors. Parsing it takes almost half as long as a redirect. */
interface Destination {
  /** With the port. */
  readonly host: string;
  /** Whether it may have another parameter. */
  readonly takesToken: boolean;
  /** The URL around the token. */
  readonly before: string;
  readonly behind: string;
}

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

/** The parameter by which pages of the site learn the link where there is no cookie, unless the site names another one. */
export const usualParameter = 'via';

/** Marks visitors with the link that brought them: by a cookie, and by a parameter of destinations elsewhere. */
export type Marker = ReturnType<typeof createMarker>;

export function createMarker(dependencies: MarkerDependencies) {
  const {attribution, bases, announcer, maxAge, consent, parameter, parameterFor} = dependencies;
  const ownParameter = parameter ?? usualParameter;
  const kept = new LRUCache<string, Destination>({
    maxSize: maxKept,
    sizeCalculation: (_, {length}) => overhead + 3 * length,
  });

  function destinationOf(target: string): Destination | undefined {
    const known = kept.get(target);
    if (known !== undefined) return known;
    const url = parseUrl(target);
    const destination = url && toDestination(url, ownParameter);
    if (destination !== undefined) kept.set(target, destination);
    return destination;
  }

  /**
   * Whether a destination gets the parameter. On the host of the short URL the cookie is enough. Pages on other domains of
   * the site get no cookie of that host, so they always get the parameter. Before the visitor has agreed, only pages of the
   * site get it.
   */
  function isGiven(ctx: Context, {host, takesToken}: Destination, target: string, hasAgreed: boolean): boolean {
    const isHere = host === hostOf(ctx).toLowerCase();
    const isOwn = isHere || bases.find(host) !== undefined;
    if (hasAgreed ? isHere || (parameter === undefined && !isOwn) : !isOwn) return false;
    return takesToken && (parameterFor === undefined || requireBoolean(parameterFor(new URL(target))));
  }

  function cookieOf(token: string, link: Via): string {
    const secure = bases.shortUrl(link).startsWith('https:') ? '; Secure' : '';
    return `${cookieName}=${token}; Max-Age=${planted('cookie-in-milliseconds') ? maxAge * 1000 : maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`;
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
   * @param target the link's own destination, without the query of the visit
   */
  async function mark(ctx: Context, link: Via, at: number, target: string) {
    try {
      const agreed = consent === undefined ? true : await inTime(consent(ctx));
      const hasAgreed = agreed !== undefined && requireBoolean(agreed);
      if (agreed === false) return undefined;
      const earlier = await credited(ctx);
      const token = earlier ?? (await attribution.token(link, at));
      const destination = destinationOf(target);
      return {
        cookie: hasAgreed && earlier === undefined ? cookieOf(token, link) : undefined,
        target:
          destination && isGiven(ctx, destination, target, hasAgreed) ? withToken(destination, token, target) : target,
      };
    } catch (cause) {
      const message =
        "The host's `attribution.consent` or `attribution.parameterFor` failed. The visitor was not marked.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return undefined;
    }
  }

  /** The variant of a link that its cookie names. */
  async function seenVariant(context: CookieContext, link: Via): Promise<string | undefined> {
    for (const token of tokensOf(context)) {
      const visit = await attribution.open(token);
      if (visit?.id === link.id && isSameName(visit, link)) return visit.variant;
    }
    return undefined;
  }

  /** The values of the parameter in the URL of a request, and then in that of the page of the site that it came from. */
  function tokensInUrls({url = '', headers}: AnsweredContext['req']): string[] {
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    const referer = ownUrl(headers.referer, headers);
    return [new URLSearchParams(query), ...(referer ? [referer.searchParams] : [])]
      .flatMap((parameters) => parameters.getAll(ownParameter))
      .slice(0, maxCookies);
  }

  /** A URL of a header, if it is on a domain of the site. */
  function ownUrl(text = '', {host}: AnsweredContext['req']['headers']): URL | undefined {
    const url = parseUrl(text);
    return url && (url.host === host?.toLowerCase() || bases.find(url.host) !== undefined) ? url : undefined;
  }

  /** Whether a visitor agrees with this request: no link and no other site can make a browser send it. */
  function isByVisitor({method, headers}: AnsweredContext['req']): boolean {
    if (method === 'GET' || method === 'HEAD') return false;
    // Browsers without `Sec-Fetch-Site`, and those on a site without https, send `Origin`.
    const isSame = headers['sec-fetch-site'] === 'same-origin';
    return isSame || ownUrl(headers.origin ?? headers.referer, headers) !== undefined;
  }

  /** Whether the visitor has agreed before. A failure of the host's callback is no consent. */
  async function agreedBefore(ctx: AnsweredContext): Promise<boolean> {
    try {
      return consent === undefined || (await inTime(consent(ctx as Context))) === true;
    } catch {
      return false;
    }
  }

  /**
   * Sets the cookie where the visitor agrees to it, or has agreed. Returns whether it did.
   *
   * @param via a token that the host has kept
   */
  async function accept(ctx: AnsweredContext, via: unknown): Promise<boolean> {
    const {req, res} = ctx;
    if (!planted('accepted-unasked') && !isByVisitor(req) && !(await agreedBefore(ctx))) return false;
    const given = typeof via === 'string' ? [via] : tokensInUrls(req);
    const token = await attribution.first(given);
    const link = await attribution.open(token);
    if (token === undefined || link === undefined) return false;
    if ((await credited({req})) !== undefined && !planted('first-link-loses-credit')) return false;
    res.appendHeader('Set-Cookie', cookieOf(token, link));
    return true;
  }

  return {mark, accept, seenVariant};
}

/** The part of a context that an answer needs which sets the cookie. */
export interface AnsweredContext {
  readonly req: Pick<IncomingMessage, 'method' | 'url' | 'headers'>;
  readonly res: Pick<ServerResponse, 'appendHeader'>;
}

/** The part of a request, of Node.js or a `Request`, or of its context, that has the cookies. */
export type CookieContext = CookieRequest | {readonly req: CookieRequest};

interface CookieRequest {
  readonly headers: {readonly cookie?: string | undefined} | Pick<Headers, 'get'>;
}

/**
 * The values of the cookie in a request, in their order: at most eight. A page of a subdomain can set one of the same name,
 * which must not hide the right one.
 */
export function tokensOf(context: CookieContext): string[] {
  const {headers} = 'req' in context ? context.req : context;
  // A header may have any name, also `get`.
  const isOfWeb = 'get' in headers && typeof headers.get === 'function';
  const cookie = isOfWeb ? headers.get('cookie') : (headers as {readonly cookie?: string}).cookie;
  const pairs = (cookie ?? '').matchAll(cookiePattern);
  return Array.from(pairs, ([, value = '']) => value).slice(0, maxCookies);
}

function toDestination(url: URL, parameter: string): Destination {
  const takesToken = /^https?:$/.test(url.protocol) && !isSigned(url);
  const others = pairsOf(url.search.slice(1)).filter(({name}) => name !== parameter);
  url.search = [...others.map(({pair}) => pair), `${parameter}=`].join('&');
  // Elsewhere in it the character is escaped.
  const [before = ''] = url.href.split('#', 1);
  return {host: url.host, takesToken, before, behind: url.href.slice(before.length)};
}

/** A destination with the token in its query, instead of an earlier one; without it if the result would be too long. */
function withToken({before, behind}: Destination, token: string, target: string): string {
  const url = before + token + behind;
  return url.length > maxTarget ? target : url;
}
