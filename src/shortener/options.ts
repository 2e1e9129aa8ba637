import type {Context} from 'koa';
import type {Pages} from '../http/visit/pages/pages.ts';
import type {ReservedOption} from '../links/input/reserved.ts';
import type {VisitedLink} from '../links/link.ts';
import type {StoreOption} from '../store/opening/option.ts';

export interface ShortUrlOptions {
  /** The site: scheme, domain and, if any, the path prefix of the short URLs and the API. Required. */
  readonly baseUrl: string;
  /**
   * More domains of the site for short URLs. A bare domain (`sho.rt`) gets the scheme and path of `baseUrl`; an absolute
   * URL has its own.
   * @default []
   */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * The store of the links: a connection string, a Keyv instance or a Keyv storage adapter (docs/stores.md). Under
   * `NODE_ENV=production` it is required.
   * @default 'memory:'
   */
  readonly store?: StoreOption | undefined;
  /**
   * The timeout of one store operation in milliseconds, an integer from 50 to 60000. An API call whose operation times
   * out answers 503. A request may need several operations, so it may take longer.
   * @default 2000
   */
  readonly storeTimeout?: number | undefined;
  /**
   * Encrypts the stored API keys, so that they can be shown again: at least 32 random characters, the same in every
   * process. With several secrets the first one encrypts and each can decrypt. Required with every store but memory.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * The prefix of every key in the store, so that several shorteners can share it: 1 to 32 of `A-Z a-z 0-9 . _ -`.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * Short parts that a link cannot have, besides `api`, the paths of dashboards and the pages that visitors have
   * requested: strings, and each `@koa/router` whose first path segments are reserved. Case is ignored.
   * @default []
   */
  readonly reserved?: ReservedOption | undefined;
  /**
   * The length of a generated short part, 1 to 64 characters. It is longer if collisions are frequent.
   * @default 7
   */
  readonly slugLength?: number | undefined;
  /**
   * The status of a redirect: 301, 302, 307 or 308.
   * @default 302
   */
  readonly redirectStatus?: 301 | 302 | 307 | 308 | undefined;
  /**
   * Whether the host's own pages answer before the links, wherever the middleware is mounted. With `false` links answer
   * first; name the host's pages in `reserved` then.
   * @default true
   */
  readonly defer?: boolean | undefined;
  /**
   * The host's own rule for long URLs. If it returns `false`, or a promise of it, the URL is refused with
   * `forbidden_url`. It must return a boolean; otherwise the create fails with `internal_error`.
   * @default () => true
   */
  readonly allowUrl?: ((url: string, account: string) => boolean | Promise<boolean>) | undefined;
  /**
   * The host's own rule for visits. If it returns `false`, or a promise of it, the visit is not counted: the request is
   * redirected, or gets the page `preview` if the link has a limit of visits. It must return a boolean; otherwise the
   * visit is counted, and an `error` event reports the mistake.
   * @default bots and link previews, which the package isbot knows by their `User-Agent`, do not count
   */
  readonly countVisit?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns the details to count with a visit, by name: at most 8 different names of 1 to 32 of `a-z 0-9 _`. Values are
   * cut to 64 characters. About 100 values of a name are counted by themselves for each link and process, further ones as
   * `other`. All values are stored, so return nothing that identifies a person, such as an address.
   * @default the host name of the `Referer`, or `direct`, as `referrer`
   */
  readonly visitDetails?:
    ((ctx: Context) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
  /**
   * Whether the query of a visit is added to the destination, for links that do not set `forwardQuery`. A parameter that
   * the destination has already keeps its value.
   * @default false
   */
  readonly forwardQuery?: boolean | undefined;
  /**
   * The host's own choice of a destination for a visitor: a long URL, or undefined for the destination of the link. A
   * promise has five seconds. If it fails, or returns anything else or a short URL of the site, the destination of the
   * link is used, and an `error` event reports the mistake.
   */
  readonly destination?:
    ((ctx: Context, link: VisitedLink) => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * How many wrong passwords a client may enter at a link within 15 minutes, 1 to 100, counted over all processes.
   * @default 5
   */
  readonly passwordAttempts?: number | undefined;
  /**
   * How many wrong API keys a client may send within 15 minutes, 1 or more, counted in each process.
   * @default 100
   */
  readonly keyAttempts?: number | undefined;
  /**
   * How many links an account may create in a day (UTC), 1 or more. Without it there is no limit.
   */
  readonly createQuota?: number | undefined;
  /**
   * The pages for visitors: the name, home URL and colour of the site on the built-in pages, or functions that return
   * the HTML of the host's own pages.
   * @default {}
   */
  readonly pages?: Pages | undefined;
  /**
   * A clock for tests: milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}
