import type {Context} from 'koa';
import {layout} from './layout.ts';

/** The page that asks for a link's password. Its form posts the field `password` to the URL it stands at. */
export interface PasswordPage {
  readonly shortUrl: string;
  /** Whether a wrong password was sent; the page says so. */
  readonly wasWrong: boolean;
}

/** The page of a link that is out of service. */
export interface GonePage {
  readonly shortUrl: string;
}

/** The page that stands in while the store does not answer, or after too many wrong passwords. */
export interface UnavailablePage {
  readonly reason: 'store_unavailable' | 'too_many_requests';
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number;
}

/** Makes the HTML of a page. It may set headers, such as a Content-Security-Policy that fits it, on the context. */
export type RenderPage<Page> = (page: Page, ctx: Context) => string | Promise<string>;

/** The host's own pages in place of the built-in ones. */
export interface Pages {
  readonly password?: RenderPage<PasswordPage> | undefined;
  readonly gone?: RenderPage<GonePage> | undefined;
  readonly unavailable?: RenderPage<UnavailablePage> | undefined;
}

/** What the page of a name is told. */
export type PageOf<Name extends keyof Pages> = Parameters<NonNullable<Pages[Name]>>[0];

export const builtInPages: {[Name in keyof Required<Pages>]: NonNullable<Pages[Name]>} = {
  password: ({wasWrong}) =>
    layout(
      'This link asks for a password',
      `<form method="post">
${wasWrong ? '<p class="alarm" id="wrong" role="alert">That password is not right. Please try again.</p>\n' : ''}<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus${wasWrong ? ' aria-invalid="true" aria-describedby="wrong"' : ''}>
<button type="submit">Open the link</button>
</form>`,
    ),
  gone: () =>
    layout(
      'This link is no longer available',
      '<p>It has expired, or its owner has taken it out of service. Ask whoever gave it to you for a new one.</p>',
    ),
  unavailable: ({reason, retryAfter}) =>
    reason === 'too_many_requests'
      ? layout('Too many wrong passwords', `<p>Please try again in ${minutes(retryAfter)}.</p>`)
      : layout(
          'This link cannot be opened right now',
          '<p>The trouble is on our side and should be over soon. Please try again in a moment.</p>',
        ),
};

function minutes(seconds: number): string {
  const count = Math.max(1, Math.ceil(seconds / 60));
  return count === 1 ? 'a minute' : `${count} minutes`;
}
