import type {Context} from 'koa';
import type {Pages} from './http/pages/pages.ts';
import type {StoreOption} from './store/option.ts';

/** The part of a `@koa/router` that tells which paths it answers. */
export interface RouterLike {
  readonly stack: ReadonlyArray<{readonly path: string | RegExp}>;
}

export interface ShortUrlOptions {
  /** The site: scheme, domain and, if any, the path prefix of the short URLs and the API. Required. */
  readonly baseUrl: string;
  /**
   * More domains of the site that short URLs may live on. A bare domain (`sho.rt`) takes the scheme and path of
   * `baseUrl`; an absolute URL brings its own.
   * @default []
   */
  readonly baseDomains?: readonly string[] | undefined;
  /**
   * Where links are kept: a connection string, a Keyv instance or a Keyv storage adapter.
   * @default 'memory:'
   */
  readonly store?: StoreOption | undefined;
  /**
   * How long the store may take for an operation before it counts as away, in milliseconds: an integer from 50 to 60000.
   * An API call then answers 503. A request may take several operations, and so somewhat longer.
   * @default 2000
   */
  readonly storeTimeout?: number | undefined;
  /**
   * Seals API keys, so that they can be shown again: at least 32 random characters, the same in every process. The first
   * of several seals, and all open. Required with every store but memory.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * Stands before every key in the store, so that several shorteners can share it: 1 to 32 of `A-Z a-z 0-9 . _ -`.
   * @default 'shorturl'
   */
  readonly namespace?: string | undefined;
  /**
   * Short parts that nobody may choose, besides `api`: strings, or a `@koa/router` whose first path segments are
   * reserved. They are compared without regard to case.
   * @default []
   */
  readonly reserved?: readonly string[] | RouterLike | undefined;
  /**
   * Characters of a generated short part, 1 to 64; more where so many are taken that they collide.
   * @default 7
   */
  readonly slugLength?: number | undefined;
  /**
   * The status of a redirect: 301, 302, 307 or 308.
   * @default 302
   */
  readonly redirectStatus?: 301 | 302 | 307 | 308 | undefined;
  /**
   * Whether the host's own pages answer before the links do, wherever the middleware stands. With false links answer
   * first, and `reserved` keeps the names of pages from being chosen.
   * @default true
   */
  readonly defer?: boolean | undefined;
  /**
   * The host's own rule for long URLs: false, or a promise of it, refuses one with `forbidden_url`.
   * @default () => true
   */
  readonly allowUrl?: ((url: string, account: string) => boolean | Promise<boolean>) | undefined;
  /**
   * The host's own rule for visits: false, or a promise of it, leaves one out of the count.
   * @default () => true
   */
  readonly countVisit?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * What is counted of a visit besides, by name: at most 8 names in all, of 1 to 32 of `a-z 0-9 _`, and values that
   * are cut to 64 characters. Of each name the first 100 values of a link are counted by themselves, further ones as
   * `other`, and so is a value that is new to the process while the store does not answer. Whatever it returns is
   * stored: leave out what tells a person, such as an address.
   * @default the host name of the `Referer`, or `direct`, as `referrer`
   */
  readonly visitDetails?:
    ((ctx: Context) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
  /**
   * Wrong passwords that a client may try at a link within 15 minutes, 1 to 100, over all processes on the store.
   * @default 5
   */
  readonly passwordAttempts?: number | undefined;
  /**
   * Wrong API keys that a client may try within 15 minutes, 1 or more, in each process.
   * @default 100
   */
  readonly keyAttempts?: number | undefined;
  /**
   * Links that an account may create on a day (UTC), 1 or more. Without it there is no limit.
   */
  readonly createQuota?: number | undefined;
  /**
   * What visitors see: the name, home URL and colour of the site on the built-in pages, and the host's own pages in
   * place of them, functions that return HTML.
   * @default {}
   */
  readonly pages?: Pages | undefined;
  /**
   * A clock for tests: milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}
