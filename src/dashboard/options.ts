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
