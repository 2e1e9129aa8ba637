import type {Context} from 'koa';
import type {PageLanguage} from './language.ts';
import {layout} from './layout.ts';
import {texts} from './texts.ts';

/** The page that asks for a link's password. Its form posts the field `password` to the URL it stands at. */
export interface PasswordPage {
  readonly shortUrl: string;
  /** What the visitor's browser prefers of the languages that the built-in pages have; English where it names none. */
  readonly language: PageLanguage;
  /** Whether a wrong password was sent; the page says so. */
  readonly wasWrong: boolean;
}

/** The page of a link that is out of service. */
export interface GonePage {
  readonly shortUrl: string;
  /** What the visitor's browser prefers of the languages that the built-in pages have; English where it names none. */
  readonly language: PageLanguage;
}

/** The page that stands in while the store does not answer, or after too many wrong passwords. */
export interface UnavailablePage {
  /** What the visitor's browser prefers of the languages that the built-in pages have; English where it names none. */
  readonly language: PageLanguage;
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

export const builtInPages: {[Name in keyof Required<Pages>]: (page: PageOf<Name>) => string} = {
  password({language, wasWrong}) {
    const {title, hint, label, submit, wrong, wrongTitle} = texts[language].password;
    return layout({
      language,
      title,
      news: wasWrong ? wrongTitle : undefined,
      icon: 'lock',
      content: `<p id="hint">${hint}</p>
<form method="post">
<label for="password">${label}</label>
${wasWrong ? `<p class="wrong" id="wrong" role="alert">${wrong}</p>\n` : ''}<input id="password" name="password" type="password" autocomplete="off" enterkeyhint="go" required autofocus ${wasWrong ? 'aria-invalid="true" aria-describedby="wrong hint"' : 'aria-describedby="hint"'}>
<button type="submit">${submit}</button>
</form>`,
    });
  },
  gone({language}) {
    const {title, text} = texts[language].gone;
    return layout({language, title, icon: 'brokenLink', content: `<p>${text}</p>`});
  },
  unavailable({language, reason, retryAfter}) {
    const {tooManyTries, unavailable, tryAgain} = texts[language];
    const isTooMany = reason === 'too_many_requests';
    const text = isTooMany ? tooManyTries.text(waitOf(retryAfter, language)) : unavailable.text;
    return layout({
      language,
      title: isTooMany ? tooManyTries.title : unavailable.title,
      icon: 'clock',
      // To load the page again would send the form again; a link to where it stands does not.
      content: `<p>${text}</p>
<p class="action"><a href="">${tryAgain}</a></p>`,
    });
  },
};

/** How long a visitor has to wait, never less than it takes: `in 15 minutes`. */
function waitOf(seconds: number, language: PageLanguage): string {
  const words = new Intl.RelativeTimeFormat(language);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
