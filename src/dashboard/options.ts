import type {Context} from 'koa';
import type {PageLanguage} from '../index.ts';

/** The parts of a dashboard page, for the host's own layout. */
export interface DashboardPage {
  /** For `<title>`. It is plain text, so escape it. */
  readonly title: string;
  /** The language of the page, for `<html lang>`. */
  readonly language: PageLanguage;
  /** HTML for `<head>`: the style sheet and the script. */
  readonly head: string;
  /** HTML for the main part of the page. It contains the page's only `<h1>`. */
  readonly content: string;
}

/** The logged-in user, for the header of the dashboard. */
export interface DashboardUser {
  /** A name or an email address that the user recognizes. */
  readonly name: string;
  /**
   * The target of the link _Log out_: a path or an absolute URL. The browser requests it with GET. If your site logs out
   * with a form, use the address of the page with the form.
   */
  readonly logout?: string | undefined;
}

/** The name and email address of an account, for the operator's pages. */
export interface AccountDescription {
  /** At most 200 characters are shown. */
  readonly name?: string | undefined;
  /** At most 200 characters are shown. */
  readonly email?: string | undefined;
}

export interface DashboardOptions {
  /**
   * The path of the dashboard, as in `ctx.path`: without the prefix that koa-mount removes.
   * @default '/links'
   */
  readonly path?: string | undefined;
  /**
   * Returns the name of the logged-in user's account, a string or an integer, or undefined if nobody is logged in. The
   * account is created if it does not exist. Required.
   */
  readonly account: (ctx: Context) => string | number | null | undefined | Promise<string | number | null | undefined>;
  /**
   * The login page for a visitor who is not logged in: a path or an absolute URL, which gets `?next=` with the path to
   * return to. Or a function that returns it, for example for a login by OpenID, which keeps that path in its state.
   * Without this option, the visitor gets 401, as after a form whose login the function has on another origin.
   *
   * @example
   * login: (ctx, next) => `/auth?return_to=${encodeURIComponent(next)}`
   */
  readonly login?: string | ((ctx: Context, next: string) => string | Promise<string>) | undefined;
  /**
   * The name of the site.
   * @default the domain of `baseUrl`
   */
  readonly siteName?: string | undefined;
  /**
   * The target of the link on the name: a path or an absolute URL.
   * @default the root of the domain of `baseUrl`
   */
  readonly homeUrl?: string | undefined;
  /**
   * The colour of links and buttons, `#rgb` or `#rrggbb`. It is made darker or lighter where contrast requires it.
   * @default '#0b57d0'
   */
  readonly accent?: string | undefined;
  /**
   * Returns whether the user is an operator of the site. Operators may list all accounts, and find, block and unblock
   * every link.
   * @default () => false
   */
  readonly admin?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns the name and the email address of an account, for the operator's pages. It is called for all accounts on a
   * page at once, at most 100. If it throws, takes more than five seconds or returns anything else, the app gets an `error`
   * event and the page shows only the account's id.
   * @default () => undefined
   */
  readonly describeAccount?:
    | ((account: string) => AccountDescription | null | undefined | Promise<AccountDescription | null | undefined>)
    | undefined;
  /**
   * Returns the names of accounts whose user's name or email address matches the text that the operator searches for, of
   * at most 200 characters. Of the accounts that exist, the first 100 are shown. If it throws, takes more than five
   * seconds or returns anything else, the app gets an `error` event and the page says that the search failed. Without this
   * option, accounts are found by their ids.
   */
  readonly findAccounts?:
    ((text: string) => ReadonlyArray<string | number> | Promise<ReadonlyArray<string | number>>) | undefined;
  /**
   * Returns the name of the logged-in user and the address for logging out, which every page shows. If it throws, takes
   * more than five seconds or returns anything else, the app gets an `error` event and the page shows no name.
   * @default () => undefined
   */
  readonly user?:
    ((ctx: Context) => DashboardUser | null | undefined | Promise<DashboardUser | null | undefined>) | undefined;
  /**
   * Whether users see the pages about the API (the key, ready-made calls and the reference), and pages of the site may call
   * it at `<path>/api/<operation>`. With `false`, these paths are unknown. The API itself still works.
   * @default true
   */
  readonly api?: boolean | undefined;
  /**
   * Puts a page into the site's own layout and returns the whole document. The host then sets the
   * Content-Security-Policy. The dashboard needs `'self'` for `style-src`, `script-src`, `img-src`, `connect-src` and
   * `form-action`. If `login` is on another origin, add that origin to `form-action`.
   */
  readonly layout?: ((page: DashboardPage, ctx: Context) => string | Promise<string>) | undefined;
}
