import type {Context} from 'koa';
import type {Pages} from '../http/visit/pages/pages.ts';
import type {ReservedOption} from '../site/reserved.ts';
import type {ShortPartOptions} from '../link/short-part.ts';
import type {VisitedLink} from '../link/link.ts';
import type {PageLanguage} from '../web/language.ts';
import type {StoreOption} from '../store/opening/option.ts';

/** How visitors are marked with the link that brought them. */
export interface AttributionOptions {
  /**
   * How long a link gets the conversions of a visitor, and the browser keeps the cookie: 1 to 34560000 seconds (400 days).
   * @default 2592000, which is 30 days
   */
  readonly maxAge?: number | undefined;
  /**
   * How long a customer of `conversions.identify` is kept after the last use: 1 to 315360000 seconds (ten years), and then
   * to the end of that day (UTC).
   * @default 63072000, which is two years
   */
  readonly customerAge?: number | undefined;
  /**
   * The currency of conversions that are recorded without one: three capital letters of ISO 4217, such as `EUR`. Without
   * it they have none.
   */
  readonly currency?: string | undefined;
  /**
   * What the dashboard calls the conversions of a name: a text, or one for each of the six languages. Where a language is
   * missing, the first text is used.
   * @example
   * {order: 'Tickets sold', registration: {en: 'Registrations', de: 'Anmeldungen'}}
   */
  readonly names?: Readonly<Record<string, string | Readonly<Partial<Record<PageLanguage, string>>>>> | undefined;
  /**
   * Whether this visitor may be marked, for example by the site's cookie banner: a boolean, or undefined if the visitor was
   * not asked yet, or a promise of one of them. Otherwise the visitor is not marked, and an `error` event reports the
   * mistake. After undefined nothing is set on the device, pages of the site get the parameter (by default
   * `via`), and `conversions.accept` sets the cookie.
   * @default () => true
   */
  readonly consent?: ((ctx: Context) => boolean | undefined | Promise<boolean | undefined>) | undefined;
  /**
   * Which link gets the conversions of a visitor who has followed several: that of the last visit, or that of the first one
   * within `maxAge`, whose cookie is not replaced.
   * @default 'last'
   */
  readonly credit?: 'last' | 'first' | undefined;
  /**
   * A parameter, such as `via`, that destinations on other hosts get with the same value as the cookie: 1 to 32 of
   * `A-Z a-z 0-9 - _`. Without it they get none. A presigned URL, such as one of S3, never gets it.
   */
  readonly parameter?: string | undefined;
  /**
   * Whether a destination gets the parameter. It must return a boolean; otherwise the visitor is not marked, and an `error`
   * event reports the mistake.
   * @default () => true
   * @example
   * ({hostname}) => hostname.endsWith('.example')
   */
  readonly parameterFor?: ((destination: URL) => boolean) | undefined;
}

export interface ShortUrlOptions {
  /** The site's scheme, domain and, if it has one, the path prefix of its short URLs and API. Required. */
  readonly baseUrl: string;
  /**
   * Additional domains for short URLs. A bare domain (`sho.rt`) gets the scheme and path of `baseUrl`. An absolute URL
   * keeps its own.
   * @default []
   */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * The domains that your users bring (docs/domains.md): whether this account may make links on the domain, or, if `account`
   * is undefined, whether your site serves it. A boolean, or a promise of it, which has five seconds to resolve. The domain
   * is in lower case and ASCII, without port. The first is asked at each create on such a domain, the second at visits and
   * for destinations, once a minute for each domain and process. While it fails, an `error` event reports it, and domains
   * that the site has served within an hour go on.
   * @default domains other than those of `baseUrl` and `baseDomains` are not the site's
   * @example
   * domains: async (domain, account) => {
   *   const owner = await db.verifiedDomain(domain);
   *   return owner !== undefined && (account === undefined || account === owner);
   * }
   */
  readonly domains?: ((domain: string, account: string | undefined) => boolean | Promise<boolean>) | undefined;
  /**
   * The domains of `domains` that the dashboard offers an account for new links, besides those of the options: an array of
   * up to 100 names, or a promise of it. If it fails, an `error` event reports it, and only those of the options are offered.
   * @default none
   * @example
   * domainsOf: (account) => db.verifiedDomainsOf(account)
   */
  readonly domainsOf?: ((account: string) => readonly string[] | Promise<readonly string[]>) | undefined;
  /**
   * Where links are stored: a connection string, what the site has open, a Keyv instance or a Keyv storage adapter
   * (docs/stores.md). Required if `NODE_ENV` is `production`.
   * @default 'memory:'
   * @example
   * store: new pg.Pool({connectionString: process.env.DATABASE_URL})
   */
  readonly store?: StoreOption | undefined;
  /**
   * The timeout of one store operation: an integer from 50 to 60000, in milliseconds. An API call that runs into it
   * answers 503. A request may need several operations, so it may take longer.
   * @default 2000
   */
  readonly storeTimeout?: number | undefined;
  /**
   * Encrypts the stored API keys, which can then be shown again: at least 32 random characters, the same in every
   * process. Pass `[new, old]` to change it: the first secret encrypts, and all of them decrypt. Required unless the
   * store is in memory.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * The prefix of every key in the store, which lets several shorteners share it: 1 to 32 of `A-Z a-z 0-9 . _ -`.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * Short parts that no link can have: strings, and `@koa/router` instances, whose first path segments are reserved. Case
   * is ignored. `api`, names of files, the paths of dashboards and, with `defer: true`, pages that visitors have seen are
   * always reserved.
   * @default []
   */
  readonly reserved?: ReservedOption | undefined;
  /**
   * What a short part may be, besides `A-Z a-z 0-9 - _` and, inside, `.` and `~` (docs/links.md).
   * @default {ignoreCase: false, unicode: false, segments: 1}
   */
  readonly shortParts?: ShortPartOptions | undefined;
  /**
   * The length of a generated short part, 1 to 64 characters. The part gets longer if collisions are frequent.
   * @default 7
   */
  readonly slugLength?: number | undefined;
  /**
   * The status of a redirect: 301, 302, 307 or 308.
   * @default 302
   */
  readonly redirectStatus?: 301 | 302 | 307 | 308 | undefined;
  /**
   * Whether the host's own pages answer before the links, wherever the middleware is mounted. With `false`, links answer
   * first, so list the host's pages in `reserved`.
   * @default true
   */
  readonly defer?: boolean | undefined;
  /**
   * The host's own rule for long URLs. If it returns `false`, or a promise of it, the URL is refused with
   * `forbidden_url`. It must return a boolean; otherwise the create fails with `internal_error`. `url` is the URL as it was
   * given, and `target` where it leads, as a browser writes it: compare `new URL(target).hostname`, because
   * `https://EVIL%2Eexample` leads to `evil.example`.
   * @default () => true
   */
  readonly allowUrl?: ((url: string, account: string, target: string) => boolean | Promise<boolean>) | undefined;
  /**
   * The host's own rule for visits, asked before a visit that would count. If it returns `false`, or a promise of it, the visit is not counted: the request is
   * redirected, or gets the page `preview` if the link has a visit limit. It must return a boolean; otherwise the visit is
   * counted, and an `error` event reports the mistake.
   * @default bots and link previews that isbot recognizes by their `User-Agent`, programs of Microsoft Office and requests
   *   without a `User-Agent` are not counted
   */
  readonly countVisit?: ((ctx: Context, link: VisitedLink) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns the details to count with a visit, by name: at most 8 different names of 1 to 32 of `a-z 0-9 _`. Values are
   * cut to 64 characters. For each link and process, about 100 values of a name are counted separately, and all others as
   * `other`. All values are stored, so return nothing that identifies a person, such as an address.
   * @default `referrer`, the host name of the `Referer` or `direct`; `device` (`ios`, `android` or `desktop`); and `country`,
   *   two letters, if a CDN names it and `app.proxy` is true
   */
  readonly visitDetails?:
    ((ctx: Context) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
  /**
   * Whether the query of a visit is added to the destination, for links that do not set `forwardQuery`. Parameters that
   * the destination already has keep their values. Nothing is added to a presigned URL, such as one of S3.
   * @default false
   */
  readonly forwardQuery?: boolean | undefined;
  /**
   * Chooses the destination for a visitor: returns a long URL, or undefined for the link's own destination. A promise has
   * five seconds to resolve. If the function fails, or returns anything else or a short URL of the site, the link's own
   * destination is used, and an `error` event reports the mistake.
   */
  readonly destination?:
    ((ctx: Context, link: VisitedLink) => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * Marks visitors with the link that brought them, so that `conversions.record` can tell it (docs/conversions.md): each
   * counted visit sets the cookie `short_url_via`. Visitors are not marked if the option is not set.
   */
  readonly attribution?: AttributionOptions | undefined;
  /**
   * How many wrong passwords a client may enter at a link within 15 minutes, 1 to 100, counted across all processes.
   * @default 5
   */
  readonly passwordAttempts?: number | undefined;
  /**
   * How many wrong API keys a client may send within 15 minutes, 1 or more, counted in each process.
   * @default 100
   */
  readonly keyAttempts?: number | undefined;
  /**
   * How many links an account may create per day, 1 or more, or a function that returns it for an account, also as a
   * promise: 0 or more, or `Infinity`. No limit if it is not set. If the function fails, the create fails.
   */
  readonly createQuota?: number | ((account: string) => number | Promise<number>) | undefined;
  /**
   * The pages for visitors: the name, home URL and colour of the site on the built-in pages, or functions that return
   * the HTML of the host's own pages.
   * @default {}
   */
  readonly pages?: Pages | undefined;
  /**
   * URL schemes that links may have besides http and https, in lower case and without colon, such as `mailto`, `tel` or
   * that of an app. Schemes that run code or open files, such as `javascript`, are a TypeError.
   * @default []
   */
  readonly schemes?: readonly string[] | undefined;
  /**
   * Whose days count: the IANA name of a time zone, such as `Europe/Berlin`. It applies to dates and times without an
   * offset, the days of statistics and of `createQuota`, and the dates in rules. Times in answers are always UTC. Days that
   * were counted before a change of the option stay as they were (docs/links.md).
   * @default 'UTC'
   */
  readonly timeZone?: string | undefined;
  /**
   * A clock for tests: milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}
