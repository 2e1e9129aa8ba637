/* Made by `npm run generate` from the tables of options. Do not edit. */
import type {Context} from 'koa';
import type {Pages} from '../../http/visit/pages/pages.ts';
import type {ShortPartOptions} from '../../link/generated/short-part-options.ts';
import type {VisitedLink} from '../../link/link.ts';
import type {ReservedOption} from '../../site/reserved.ts';
import type {StoreOption} from '../../store/opening/option.ts';
import type {ConversionText, PageLanguage} from '../../values/language.ts';

export type {RouterLike} from '../../site/reserved.ts';
export type {StoreOption} from '../../store/opening/option.ts';

/** How visitors are marked with the link that brought them. */
export interface AttributionOptions {
  /**
   * How long a link gets the conversions of a visitor, and the browser keeps the cookie. 1 to 34,560,000 seconds (400
   * days).
   * @default 2592000 (30 days)
   */
  readonly maxAge?: number | undefined;
  /**
   * How long a customer of `conversions.identify` is kept after the last use, and then to the end of that day (UTC). 1
   * to 315,360,000 seconds (3,650 days).
   * @default 63072000 (730 days)
   */
  readonly customerAge?: number | undefined;
  /**
   * The currency of conversions that are recorded without one: three capital letters of ISO 4217, such as `EUR`.
   * Without it they have none.
   */
  readonly currency?: string | undefined;
  /**
   * Which link gets the conversions of a visitor who has followed several: that of the `last` visit, or that of the
   * `first` one within `maxAge`, whose cookie is not replaced.
   * @default 'last'
   */
  readonly credit?: 'last' | 'first' | undefined;
  /**
   * What the dashboard calls the conversions of a name: a text, or `{one, other}` with the forms for one and for
   * several, or these for each of the six languages. Where a language is missing, the first is used.
   * @example
   * {order: {one: 'Ticket sold', other: 'Tickets sold'}, registration: {en: 'Registrations', de: 'Anmeldungen'}}
   */
  readonly names?: Readonly<Record<string, ConversionText | Readonly<Partial<Record<PageLanguage, ConversionText>>>>> | undefined;
  /**
   * Whether this visitor may be marked, for example by the site's cookie banner. If it fails, the visitor is not
   * marked. After `undefined`, which means not asked yet, nothing is set on the device, pages of the site get the
   * parameter (by default `via`), and `conversions.accept` sets the cookie later
   * (docs/conversions.md#consent-that-comes-later).
   * @default () => true
   */
  readonly consent?: ((ctx: Context) => boolean | undefined | Promise<boolean | undefined>) | undefined;
  /**
   * The parameter, such as `via`, with which destinations on other hosts get the value of the cookie. Without it they
   * get none. A presigned URL, such as one of S3 or CloudFront, never gets it: its query has a parameter that is or
   * ends with `signature`, `sig` or `hmac`. 1 to 32 of `A-Z a-z 0-9 - _`.
   */
  readonly parameter?: string | undefined;
  /**
   * Whether a destination gets the parameter. If it fails, the visitor is not marked.
   * @default () => true
   * @example
   * ({hostname}) => hostname.endsWith('.example')
   */
  readonly parameterFor?: ((destination: URL) => boolean) | undefined;
}

/** The options of `shortUrl` (docs/reference.md). */
export interface ShortUrlOptions {
  /**
   * The public URL of the site: its scheme, its domain and, if it has one, the path prefix of its short URLs and API.
   * Required.
   */
  readonly baseUrl: string;
  /**
   * More domains for short URLs. A bare domain (`sho.rt`) gets the scheme and path of `baseUrl`. An absolute URL
   * (`https://go.example.org/to`) keeps its own. There are no wildcards.
   * @default []
   */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * Your users' own domains (docs/domains.md): whether the account may create links on the domain, or, without an
   * account, whether your site serves it. The domain is in lower case and ASCII, without port. The first is asked at
   * each create on such a domain, the second at visits and for destinations, once a minute for each domain and process.
   * If it fails, a create on such a domain fails with `internal_error`, and domains that the site has served within an
   * hour go on. Without it, only the domains of `baseUrl` and `baseDomains` are the site's.
   * @example
   * domains: async (domain, account) => {
   *   const owner = await db.verifiedDomain(domain);
   *   return owner !== undefined && (account === undefined || account === owner);
   * }
   */
  readonly domains?: ((domain: string, account: string | undefined) => boolean | Promise<boolean>) | undefined;
  /**
   * The domains of `domains` that the dashboard offers an account for new links: up to 100 names. Without it, or if it
   * fails, only those of the other options are offered.
   * @example
   * domainsOf: (account) => db.verifiedDomainsOf(account)
   */
  readonly domainsOf?: ((account: string) => readonly string[] | Promise<readonly string[]>) | undefined;
  /**
   * Where links are stored: a connection string, a pool or client that your site has open, a Keyv instance or a Keyv
   * storage adapter: see stores (docs/stores.md). Required with `NODE_ENV=production`.
   * @default 'memory:'
   * @example
   * store: new pg.Pool({connectionString: process.env.DATABASE_URL})
   */
  readonly store?: StoreOption | undefined;
  /**
   * The timeout of one store operation. An API call that runs into it answers 503. A request may need several
   * operations, so it may take longer. 50 to 60,000 milliseconds.
   * @default 2000
   */
  readonly storeTimeout?: number | undefined;
  /**
   * Encrypts the stored API keys, which can then be shown again: at least 32 random characters, the same in every
   * process. Required with every store except memory. Pass `[new, old]` to change it
   * (docs/deployment.md#change-the-secret): the first secret encrypts, and all of them decrypt.
   * @example
   * secret: process.env.SHORT_URL_SECRET
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * The prefix of all keys in the store, so that several sites can share it. 1 to 32 of `A-Z a-z 0-9 . _ -`.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * Short parts that no link can have (docs/getting-started.md#which-names-your-users-cannot-take): strings, and
   * `@koa/router` instances, whose first path segments are reserved, also those of routes that you add later. Case is
   * ignored. `api`, names of files, the paths of dashboards and, with `defer: true`, pages that visitors have seen are
   * always reserved.
   * @default []
   * @example
   * reserved: [router, 'about']
   */
  readonly reserved?: ReservedOption | undefined;
  /**
   * What a short part (docs/links.md#short-parts) may be, besides `A-Z a-z 0-9 - _` and, inside, `.` and `~`.
   * @default {ignoreCase: false, unicode: false, segments: 1}
   * @example
   * shortParts: {unicode: true}
   */
  readonly shortParts?: ShortPartOptions | undefined;
  /**
   * The length of a generated short part. The part gets longer if collisions are frequent. 1 to 64.
   * @default 7
   */
  readonly slugLength?: number | undefined;
  /**
   * The status of a redirect. 301, 302, 307 or 308.
   * @default 302
   */
  readonly redirectStatus?: 301 | 302 | 307 | 308 | undefined;
  /**
   * Whether the host's own pages answer before the links, wherever the middleware is mounted: a link then answers only
   * where your site would answer 404. With `false`, links answer first, so list the host's pages in `reserved`.
   * @default true
   */
  readonly defer?: boolean | undefined;
  /**
   * Your rule for long URLs. After `false` the URL is refused with `forbidden_url`. If it fails, so does the create,
   * with `internal_error`. `url` is the URL as it was given, and `target` where it leads, as a browser writes it:
   * compare `new URL(target).hostname`, because `https://EVIL%2Eexample` leads to `evil.example`, and ignore a dot at
   * its end.
   * @default () => true
   * @example
   * allowUrl: (url, account, target) => new URL(target).hostname !== 'evil.example'
   */
  readonly allowUrl?: ((url: string, account: string, target: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Your rule for visits, asked before a visit that would count. After `false` it is not counted: the request is
   * redirected, or gets the page `preview` if the link has a visit limit. If it fails, the visit is counted. The
   * default excludes the bots, link previews and programs such as `curl` that isbot recognizes by their `User-Agent`,
   * requests of apps by the frameworks of iOS and Android, and requests without a `User-Agent`. Programs of Microsoft
   * Office get the page `preview` and never count: they open the short URL in the browser then, whose visit counts.
   * @example
   * countVisit: (ctx) => !isbot(ctx.get('User-Agent')) && !ctx.ip.startsWith('10.')
   */
  readonly countVisit?: ((ctx: Context, link: VisitedLink) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns the details to count with a visit, by name: at most 8 different names of 1 to 32 of `a-z 0-9 _`. Values are
   * cut to 64 characters, and empty ones are not counted. For each link and process, about 100 values of a name are
   * counted separately, and all others as `other`. All values are stored, so return nothing that identifies a person,
   * such as an IP address. If it fails, the visit is counted without details; an invalid detail is left out. Both are
   * reported by `error` events. The default returns `referrer`, the host name of the `Referer` or `direct`; `device`
   * (`ios`, `android` or `desktop`); and `country`, two letters, if Cloudflare, Vercel or CloudFront names it and
   * `app.proxy` is true. It is exported as `defaultVisitDetails`.
   * @example
   * visitDetails: (ctx) => ({...defaultVisitDetails(ctx), campaign: String(ctx.query.utm_campaign ?? '')})
   */
  readonly visitDetails?: ((ctx: Context) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
  /**
   * Chooses the destination for a visitor: returns a long URL, or `undefined` for the link's own. If it fails, or
   * returns anything else or a short URL of the site, the link's own destination is used.
   * @example
   * destination: (ctx) => (ctx.get('X-Beta') === '1' ? 'https://beta.example.org/' : undefined)
   */
  readonly destination?: ((ctx: Context, link: VisitedLink) => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * URL schemes that the URLs of links may have besides http and https, in lower case and without colon. Those that run
   * code or open files are refused: `javascript`, `data`, `vbscript`, `file`, `blob`, `about`, `view-source`,
   * `filesystem`, `ws`, `wss`.
   * @default []
   * @example
   * schemes: ['mailto', 'tel', 'myapp']
   */
  readonly schemes?: readonly string[] | undefined;
  /**
   * Whose days count: the IANA name of a time zone, such as `'Europe/Berlin'`. It applies to dates and times without an
   * offset, the days of statistics and of `createQuota`, and the dates in rules. Times in answers are always UTC. Days
   * that were counted before a change of the option stay as they were.
   * @default 'UTC'
   */
  readonly timeZone?: string | undefined;
  /**
   * Whether the query of a visit is added to the destination, for links that do not set `forwardQuery`. Parameters that
   * the destination already has keep their values. A query of more than 8,192 characters is not added, and nothing is
   * to a presigned URL, such as one of S3, a phone number (`tel:`) or a mail (`mailto:`).
   * @default false
   */
  readonly forwardQuery?: boolean | undefined;
  /**
   * Which links ask before they open (docs/one-time-links.md), if they do not set `confirm`: none, those with a visit
   * limit (`limited`), or `always` all without a password. The visitor presses a button, which programs that check
   * links do not do.
   * @default 'never'
   * @example
   * confirm: 'limited'
   */
  readonly confirm?: 'never' | 'limited' | 'always' | undefined;
  /**
   * Marks visitors with the link that brought them, for conversions (docs/conversions.md): each counted visit sets the
   * cookie `short_url_via`. Without it, visitors are not marked. With `{}` or more, they are.
   * @example
   * attribution: {currency: 'EUR'}
   */
  readonly attribution?: AttributionOptions | undefined;
  /**
   * How many wrong passwords a client may enter at one link within 15 minutes, counted across all processes. Then the
   * answer is 429 with `Retry-After`. 1 to 100.
   * @default 5
   */
  readonly passwordAttempts?: number | undefined;
  /**
   * How many wrong API keys a client may send within 15 minutes, counted in each process. 1 or more.
   * @default 100
   */
  readonly keyAttempts?: number | undefined;
  /**
   * How many links an account may create per day, in the `timeZone`: 1 or more, or, for plans, a function that returns
   * it for an account: 0 or more, or `Infinity`. If the function fails, so does the create, with `internal_error`.
   * Without it there is no limit.
   * @example
   * createQuota: async (account) => ((await planOf(account)) === 'free' ? 20 : Infinity)
   */
  readonly createQuota?: number | ((account: string) => number | Promise<number>) | undefined;
  /**
   * The pages for visitors: the name, home URL and colour of the site on the built-in pages, or functions that return
   * the HTML of the host's own pages.
   * @default {}
   * @example
   * pages: {siteName: 'Low Tide', accent: '#0b5d66'}
   */
  readonly pages?: Pages | undefined;
  /**
   * A clock for tests, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}
