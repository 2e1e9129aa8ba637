/* Made by `npm run generate` from the tables of options. Do not edit. */
import type {Context} from 'koa';
import type {AccountDescription, DashboardPage, DashboardUser} from '../options.ts';

/** The options of `dashboard` (docs/dashboard.md). */
export interface DashboardOptions {
  /**
   * The account of the logged-in user, a string or an integer, or `undefined` if nobody is logged in. It is created if
   * it does not exist. Anything else is answered with 500, and `error` events name it. Required.
   * @example
   * account: (ctx) => ctx.session.userId
   */
  readonly account: (ctx: Context) => string | number | null | undefined | Promise<string | number | null | undefined>;
  /**
   * The path of the dashboard, as in `ctx.path`: without the prefix that koa-mount removes.
   * @default '/links'
   */
  readonly path?: string | undefined;
  /**
   * The login page for a visitor who is not logged in: a path or an absolute URL, which gets `?next=` with the path to
   * return to. Or a function that returns it, for a login that keeps that path elsewhere, such as in the state of
   * OpenID. Without it, the answer is 401, as after a form whose login the function has on another origin.
   * @example
   * login: (ctx, next) => `/auth?return_to=${encodeURIComponent(next)}`
   */
  readonly login?: string | ((ctx: Context, next: string) => string | Promise<string>) | undefined;
  /**
   * Returns `{name, logout}`: the name of the logged-in user, and the path or URL that logs out by GET, which every
   * page shows. `logout` may be absent. If it fails, or returns another property, the page shows no name and the app
   * gets an `error` event.
   * @example
   * user: (ctx) => ({name: ctx.session.email, logout: '/logout'})
   */
  readonly user?: ((ctx: Context) => DashboardUser | null | undefined | Promise<DashboardUser | null | undefined>) | undefined;
  /**
   * Whether users see the keys and the API pages, and pages of the site may call the API
   * (docs/client.md#in-a-page-of-your-site) at `<path>/api/<operation>`. With `false`, these paths are unknown. The API
   * itself still works.
   * @default true
   */
  readonly api?: boolean | undefined;
  /**
   * Whether users may share numbers (docs/dashboard.md#share-numbers) on pages at `<path>/shared/<token>`, which need
   * no login. With `false`, these paths are unknown.
   * @default true
   */
  readonly share?: boolean | undefined;
  /**
   * Whether this user, who has an account, is an operator of the site and sees the operator's pages: they list all
   * accounts, and find, block and unblock every link.
   * @default () => false
   * @example
   * admin: (ctx) => ctx.session.role === 'admin'
   */
  readonly admin?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns `{name, email}`, each of which may be absent: the name and the email address of an account, which the
   * operator sees beside its id: at most 200 characters of each. It runs for all accounts of a page at once. If it
   * fails, or returns another property, the page shows only the id.
   * @example
   * describeAccount: async (account) => ({email: await db.emailOf(account)})
   */
  readonly describeAccount?: ((account: string) => AccountDescription | null | undefined | Promise<AccountDescription | null | undefined>) | undefined;
  /**
   * The accounts whose user's name or email address matches the text that the operator searches for. Of those that
   * exist, the first 100 are shown. If it fails, the page says so. Without it, the operator searches by id.
   * @example
   * findAccounts: async (text) => db.idsOfUsersLike(text)
   */
  readonly findAccounts?: ((text: string) => ReadonlyArray<string | number> | Promise<ReadonlyArray<string | number>>) | undefined;
  /** The name of the site; without it, the domain of `baseUrl`. */
  readonly siteName?: string | undefined;
  /** Where the name leads: a path or an absolute URL; without it, the root of the domain of `baseUrl`. */
  readonly homeUrl?: string | undefined;
  /**
   * The colour of links and buttons, `#rgb` or `#rrggbb`. It is made darker or lighter where contrast requires it.
   * @default '#0b57d0'
   */
  readonly accent?: string | undefined;
  /**
   * Puts a page into the site's own layout (docs/dashboard.md#use-your-own-layout) and returns the whole document. The
   * host then sets the Content-Security-Policy. Without it, the built-in layout is used.
   */
  readonly layout?: ((page: DashboardPage, ctx: Context) => string | Promise<string>) | undefined;
}
