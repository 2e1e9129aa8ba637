import type {Context} from 'koa';
import type {Announcer} from '../../links/announcer.ts';
import {ShortUrlError} from '../../errors.ts';
import {inTime, isThenable} from '../../values/callback.ts';
import {beginning, withoutIllegal} from '../../values/characters.ts';
import {type Details, direct, directVisits, maxValueLength} from '../../visits/detail-values.ts';
import {countedName} from '../../link/counters.ts';
import {parseUrl} from '../../values/parse-url.ts';
import {trustsProxy} from '../../site/proxy.ts';
import {deviceOf} from './agents.ts';

export type ReadDetails = (ctx: Context) => Details | Promise<Details>;

/** A bound on what is stored: each name has its own list of values in the store. */
export const maxNames = 8;

/** The common case: printable ASCII that needs no change. */
const plainValue = new RegExp(`^[ -~]{1,${maxValueLength}}$`);

/** Matches a `Referer` as browsers write it, and captures the host name. Faster than parsing the URL. */
const usualReferer = /^https?:\/\/([a-z\d.-]{1,64})(?::\d+)?(?:[/?#]|$)/;

/** The headers in which CDNs name the visitor's country by two letters: Cloudflare, Vercel and CloudFront. */
const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country', 'cloudfront-viewer-country'];

/**
 * The default of the option `visitDetails`, to be extended: the host name of the `Referer`, or `direct` if there is none, the
 * device, and the country if a CDN in front of the site names it.
 *
 * @example
 * const visitDetails = (ctx: Context) => ({...defaultVisitDetails(ctx), campaign: String(ctx.query.utm_campaign ?? '')});
 */
export function defaultVisitDetails({app, req: {headers}}: Context): Details {
  const {referer, 'user-agent': agent} = headers;
  const device = agent === undefined ? undefined : deviceOf(agent);
  const country = trustsProxy(app) ? countryOf(headers) : undefined;
  const referrer = referer === undefined ? '' : hostNameOf(referer);
  if (referrer === '' && country === undefined) return directVisits[device ?? 'unknown'];
  return {referrer: referrer === '' ? direct : referrer, ...(device && {device}), ...(country && {country})};
}

function hostNameOf(referer: string): string {
  return usualReferer.exec(referer)?.[1] ?? toCounted(parseUrl(referer)?.hostname ?? '');
}

/** Cloudflare sends `XX` for an unknown country, and `T1` for Tor. */
function countryOf(headers: Context['req']['headers']): string | undefined {
  for (const name of countryHeaders) {
    const country = headers[name];
    if (typeof country === 'string' && /^[a-z]{2}$/i.test(country) && country !== 'XX') return country.toUpperCase();
  }
  return undefined;
}

/** Calls the host's `visitDetails` and keeps the valid details of its result. */
export class VisitDetails {
  readonly #read: ReadDetails;
  readonly #announcer: Pick<Announcer, 'reportIn'>;
  readonly #names = new Set<string>();

  constructor(read: ReadDetails, announcer: Pick<Announcer, 'reportIn'>) {
    this.#read = read;
    this.#announcer = announcer;
  }

  /** Never throws or rejects: an invalid detail is reported and left out. */
  read(ctx: Context): Details | Promise<Details> {
    // The built-in function returns valid details, so skip the checks.
    return this.#read === defaultVisitDetails ? defaultVisitDetails(ctx) : this.#ask(ctx);
  }

  #ask(ctx: Context): Details | Promise<Details> {
    const fail = (cause: unknown): Details => {
      this.#report("The host's `visitDetails` failed. The visit was counted without details.", cause, ctx);
      return {};
    };
    try {
      const read = this.#read(ctx);
      if (!isThenable(read)) return this.#clean(read, ctx);
      return Promise.resolve(inTime(read))
        .then((values) => this.#clean(values, ctx))
        .catch(fail);
    } catch (cause) {
      return fail(cause);
    }
  }

  #clean(values: unknown, ctx: Context): Details {
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new TypeError('Expected an object whose properties are the names and values of details');
    }
    const details: Array<[string, string]> = [];
    for (const [name, value] of Object.entries(values) as Array<[string, unknown]>) {
      const fault = this.#faultOf(name, value);
      if (fault === undefined) {
        const text = value === undefined ? '' : toCounted(value as string);
        if (text !== '') details.push([name, text]);
      } else {
        const message = "The host's `visitDetails` returned an invalid detail. The visit was counted without it.";
        this.#report(message, new TypeError(fault), ctx);
      }
    }
    return Object.fromEntries(details);
  }

  /** The message does not repeat the value, which may be confidential. */
  #faultOf(name: string, value: unknown): string | undefined {
    if (value !== undefined && typeof value !== 'string') {
      return `Expected the value of each detail to be a string, got a ${typeof value}`;
    }
    if (this.#names.has(name)) return undefined;
    if (!countedName.holds(name)) return `Expected the name of each detail to be ${countedName.expected}`;
    if (this.#names.size >= maxNames) return `Expected at most ${maxNames} different names of details`;
    this.#names.add(name);
    return undefined;
  }

  #report(message: string, cause: unknown, ctx: Context): void {
    this.#announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
  }
}

/** The value without illegal characters, cut to the maximum length. */
function toCounted(value: string): string {
  if (plainValue.test(value)) return value;
  const text = withoutIllegal(value);
  return text.length <= maxValueLength ? text : beginning(text, maxValueLength);
}
