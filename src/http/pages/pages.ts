import type {Context} from 'koa';
import type {PageLanguage} from '../../language.ts';
import {type Brand, PageFrame} from './layout.ts';
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

/** What the built-in pages show of the site, and the host's own pages in place of them. */
export interface Pages {
  /** The name of the site, on the built-in pages. */
  readonly siteName?: string | undefined;
  /** Where the name leads: a path or an absolute URL. */
  readonly homeUrl?: string | undefined;
  /** The colour of the built-in pages, `#rgb` or `#rrggbb`. It is darkened or lightened where it could not be read. */
  readonly accent?: string | undefined;
  readonly password?: RenderPage<PasswordPage> | undefined;
  readonly gone?: RenderPage<GonePage> | undefined;
  readonly unavailable?: RenderPage<UnavailablePage> | undefined;
}

/** The names of the pages. */
export type PageName = 'password' | 'gone' | 'unavailable';

/** What the page of a name is told. */
export type PageOf<Name extends PageName> = Parameters<NonNullable<Pages[Name]>>[0];

/** The pages that come with the package. */
export class BuiltInPages implements Record<PageName, (page: never) => string> {
  readonly #frame: PageFrame;

  constructor(brand: Brand) {
    this.#frame = new PageFrame(brand);
  }

  get contentSecurityPolicy(): string {
    return this.#frame.contentSecurityPolicy;
  }

  password({language, wasWrong}: PasswordPage): string {
    const {title, hint, label, submit, wrong, wrongTitle} = texts[language].password;
    return this.#frame.render({
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
  }

  gone({language}: GonePage): string {
    const {title, text} = texts[language].gone;
    return this.#frame.render({language, title, icon: 'brokenLink', content: `<p>${text}</p>`});
  }

  unavailable({language, reason, retryAfter}: UnavailablePage): string {
    const {tooManyTries, unavailable, tryAgain} = texts[language];
    if (reason === 'too_many_requests') {
      const {title, text} = tooManyTries;
      // No button: until then every try is refused.
      return this.#frame.render({
        language,
        title,
        icon: 'clock',
        content: `<p>${text(waitOf(retryAfter, language))}</p>`,
      });
    }
    const {title, text} = unavailable;
    // To load the page again would send the form again; a link to where it stands does not.
    const content = `<p>${text}</p>\n<p class="action"><a href="">${tryAgain}</a></p>`;
    return this.#frame.render({language, title, icon: 'clock', content});
  }
}

/** How long a visitor has to wait, never less than it takes: `in 15 minutes`. */
function waitOf(seconds: number, language: PageLanguage): string {
  const words = new Intl.RelativeTimeFormat(language);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
