import type {Context} from 'koa';
import type {PageLanguage} from '../index.ts';

/** What a page of the dashboard is made of, for a layout of the host's own. */
export interface DashboardPage {
  /** For `<title>`: text, not HTML. */
  readonly title: string;
  /** The language that the page is in, for `<html lang>`. */
  readonly language: PageLanguage;
  /** HTML for `<head>`: the style sheet and the script. */
  readonly head: string;
  /** HTML for the main part of the page. It has the only `<h1>`. */
  readonly content: string;
}

export interface DashboardOptions {
  /**
   * Where the dashboard lives: a path as `ctx.path` has it where the middleware stands, without what koa-mount takes away.
   * @default '/links'
   */
  readonly path?: string | undefined;
  /**
   * Who is looking: the name of an account, or undefined for nobody. The account is created if it is not there yet.
   * Required.
   */
  readonly account: (ctx: Context) => string | null | undefined | Promise<string | null | undefined>;
  /**
   * Where a visitor who is nobody logs in: a path or an absolute URL. It gets `?next=`, the path to come back to.
   * Without it the visitor gets 401.
   */
  readonly login?: string | undefined;
  /**
   * The name of the site.
   * @default the domain of `baseUrl`
   */
  readonly siteName?: string | undefined;
  /**
   * Where the name leads: a path or an absolute URL.
   * @default the top of the domain of `baseUrl`
   */
  readonly homeUrl?: string | undefined;
  /**
   * The colour of links and buttons, `#rgb` or `#rrggbb`. It is darkened or lightened where it could not be read.
   * @default '#0b57d0'
   */
  readonly accent?: string | undefined;
  /**
   * Who may find, block and unblock every link, and list the accounts.
   * @default () => false
   */
  readonly admin?: ((ctx: Context) => boolean | Promise<boolean>) | undefined;
  /**
   * Puts a page into the site's own layout: returns the whole document. The Content-Security-Policy of the page is the
   * host's then; the dashboard needs no more than `'self'` for `style-src`, `script-src`, `img-src`, `connect-src` and
   * `form-action`.
   */
  readonly layout?: ((page: DashboardPage, ctx: Context) => string | Promise<string>) | undefined;
}
