import type {Context} from 'koa';
import type {Card} from '../cards.ts';
import {aColor} from '../../../values/accent.ts';
import {anAddress} from '../../../values/address.ts';
import type {PageLanguage} from '../../../values/language.ts';
import {parseUrl} from '../../../values/parse-url.ts';
import {callback, type Shape, shapeOf, text} from '../../../values/shape.ts';
import {type Brand, escape, PageFrame} from './layout.ts';
import {texts} from './texts.ts';

/** A page for visitors. */
interface VisitorPage {
  /** The built-in pages' language that the visitor's browser prefers; English if it prefers none of them. */
  readonly language: PageLanguage;
}

/** The page of a link that is disabled, expired, removed or blocked. */
export interface GonePage extends VisitorPage {
  readonly shortUrl: string;
}

/** The page that asks for a link's password. */
export interface PasswordPage extends VisitorPage {
  readonly shortUrl: string;
  /** The path to which the form posts the field `password`. No CSRF check of the site sees that request. */
  readonly action: string;
  /** Whether the visitor has just sent a wrong password. */
  readonly wasWrong: boolean;
  /** Post it as the field `referrer`, so that the visit counts with the page from which the visitor came. */
  readonly referrer: string;
}

/** The page of a link that asks before it opens. */
export interface ConfirmPage extends VisitorPage {
  readonly shortUrl: string;
  /** The path to which the button posts. No CSRF check of the site sees that request. */
  readonly action: string;
  /** The host name of the destination; empty for a URL without one, such as that of a mail address. */
  readonly host: string;
  /** What chat programs and social networks show of the link; null if the link does not set it. */
  readonly card: Card | null;
  /** Post it as the field `referrer`, so that the visit counts with the page from which the visitor came. */
  readonly referrer: string;
}

/** The page that visitors see while the store does not answer, or after too many wrong passwords. */
export interface UnavailablePage extends VisitorPage {
  readonly reason: 'store_unavailable' | 'too_many_requests';
  /** The number of seconds after which the visitor can retry. */
  readonly retryAfter: number;
}

/**
 * The page of a short URL with a `+` behind it. The programs that show a link's card and those of Microsoft Office get it
 * too, and on a link with a visit limit also other requests that are not counted, such as those of bots and link previews.
 */
export interface PreviewPage extends VisitorPage {
  readonly shortUrl: string;
  /**
   * Where the link leads; null if it has a password or a visit limit, asks before it opens, does not work, or if Microsoft
   * Office asks.
   */
  readonly destination: string | null;
  /** Whether the link works now. */
  readonly isActive: boolean;
  /** Null for a removed link. */
  readonly created: Date | null;
  /** What chat programs and social networks show of the link; null if the link does not set it. */
  readonly card: Card | null;
}

/** Returns the HTML of a page. It may set headers on the context, such as another Content-Security-Policy. */
export type RenderPage<Page> = (page: Page, ctx: Context) => string | Promise<string>;

/** The site's name, home page and colour for the built-in pages, and the host's own pages that replace them. */
export interface Pages extends Brand {
  /**
   * Where visitors report a link: an absolute URL of http, https or mailto, or a function of the short URL that returns one. The
   * built-in pages that show or ask about a link lead there.
   */
  readonly reportUrl?: string | ((shortUrl: string) => string) | undefined;
  readonly password?: RenderPage<PasswordPage> | undefined;
  readonly confirm?: RenderPage<ConfirmPage> | undefined;
  readonly gone?: RenderPage<GonePage> | undefined;
  readonly preview?: RenderPage<PreviewPage> | undefined;
  readonly unavailable?: RenderPage<UnavailablePage> | undefined;
}

const aReportUrl = shapeOf<Pages['reportUrl']>({
  expected: 'an absolute URL, such as https://example.com/report, or a function of the short URL',
  holds: (value) => typeof value === 'function' || isReportUrl(value),
});

/** What each of them may be. */
export const pageShapes: Readonly<Record<keyof Pages, Shape>> = {
  siteName: text,
  homeUrl: anAddress,
  accent: aColor,
  reportUrl: aReportUrl,
  password: callback(),
  confirm: callback(),
  gone: callback(),
  preview: callback(),
  unavailable: callback(),
};

export type PageName = 'password' | 'confirm' | 'gone' | 'preview' | 'unavailable';

export type PageOf<Name extends PageName> = Parameters<NonNullable<Pages[Name]>>[0];

export class BuiltInPages implements Record<PageName, (page: never, reportUrl?: string) => string> {
  readonly #frame: PageFrame;
  readonly #timeZone: string;
  readonly #siteName: string | undefined;

  constructor(brand: Brand, schemes: ReadonlySet<string>, timeZone: string) {
    this.#frame = new PageFrame(brand, schemes);
    this.#timeZone = timeZone;
    this.#siteName = brand.siteName;
  }

  get contentSecurityPolicy(): string {
    return this.#frame.contentSecurityPolicy;
  }

  /** The policy of a page that shows the image of a card. One from a host that a policy cannot name is not loaded. */
  policyWithImage(image: string): string {
    const {origin} = new URL(image);
    const isName = /^https:\/\/[\w.-]+(?::\d+)?$/.test(origin);
    return isName
      ? this.contentSecurityPolicy.replace("img-src 'self'", `img-src 'self' ${origin}`)
      : this.contentSecurityPolicy;
  }

  password({language, action, wasWrong, referrer}: PasswordPage): string {
    const {title, hint, label, wrong, wrongTitle} = texts[language].password;
    return this.#frame.render({
      language,
      title,
      news: wasWrong ? wrongTitle : undefined,
      icon: 'lock',
      content: `<p id="hint">${hint}</p>
<form method="post" action="${escape(action)}">
${hidden(referrer)}<label for="password">${label}</label>
${wasWrong ? `<p class="wrong" id="wrong" role="alert">${wrong}</p>\n` : ''}<input id="password" name="password" type="password" autocomplete="off" enterkeyhint="go" required autofocus ${wasWrong ? 'aria-invalid="true" aria-describedby="wrong hint"' : 'aria-describedby="hint"'}>
<button type="submit">${texts[language].openLink}</button>
</form>`,
    });
  }

  confirm({language, action, host, card, referrer}: ConfirmPage, reportUrl?: string): string {
    const {title, leadsTo, why} = texts[language].confirm;
    const shown = [
      ...shownCard(card),
      host && `<p>${leadsTo(`<strong translate="no">${escape(host)}</strong>`)}</p>`,
      `<p class="fact">${why}</p>`,
      `<form method="post" action="${escape(action)}">
${hidden(referrer)}<button type="submit">${texts[language].openLink}</button>
</form>`,
      report(language, reportUrl),
    ];
    return this.#frame.render({language, title, icon: 'link', content: shown.filter(Boolean).join('\n')});
  }

  gone({language}: GonePage): string {
    const {title, text} = texts[language].gone;
    return this.#frame.render({language, title, icon: 'brokenLink', content: `<p>${text}</p>`});
  }

  preview({language, shortUrl, destination, isActive, created, card}: PreviewPage, reportUrl?: string): string {
    const {preview, openLink} = texts[language];
    if (!isActive) return this.gone({shortUrl, language});
    const text =
      destination === null ? `<p>${preview.text}</p>` : `<p class="url" translate="no">${marked(destination)}</p>`;
    const day = created?.toLocaleDateString(language, {dateStyle: 'long', timeZone: this.#timeZone});
    const shown = [...shownCard(card), text];
    return this.#frame.render({
      language,
      title: destination === null ? preview.title : preview.leadsTo,
      icon: 'link',
      head: card === null ? '' : this.#tags(shortUrl, card),
      content: `${shown.filter(Boolean).join('\n')}${day === undefined ? '' : `\n<p class="fact">${preview.created(day)}</p>`}
<p class="action"><a href="${escape(shortUrl)}" rel="nofollow">${openLink}</a></p>${report(language, reportUrl)}`,
    });
  }

  /** The tags of a card: Open Graph (ogp.me), and those of X. */
  #tags(shortUrl: string, {title, description, image}: Card): string {
    const tags = [
      ['property', 'og:type', 'website'],
      ['property', 'og:url', shortUrl],
      ['property', 'og:site_name', this.#siteName],
      ['property', 'og:title', title],
      ['property', 'og:description', description],
      ['property', 'og:image', image],
      ['name', 'twitter:card', image === null ? 'summary' : 'summary_large_image'],
      ['name', 'twitter:title', title],
      ['name', 'twitter:description', description],
      ['name', 'twitter:image', image],
    ] as const;
    return tags
      .flatMap(([kind, name, content]) => (content ? [`<meta ${kind}="${name}" content="${escape(content)}">\n`] : []))
      .join('');
  }

  unavailable({language, reason, retryAfter}: UnavailablePage): string {
    const {tooManyTries, unavailable, tryAgain} = texts[language];
    if (reason === 'too_many_requests') {
      const {title, text} = tooManyTries;
      // No button, because every attempt before then is refused.
      return this.#frame.render({
        language,
        title,
        icon: 'clock',
        content: `<p>${text(waitOf(retryAfter, language))}</p>`,
      });
    }
    const {title, text} = unavailable;
    // A link to the same URL, because a reload would post the form again.
    const content = `<p>${text}</p>\n<p class="action"><a href="">${tryAgain}</a></p>`;
    return this.#frame.render({language, title, icon: 'clock', content});
  }
}

/** Whether it may be where visitors report a link. */
export function isReportUrl(url: unknown): url is string {
  return typeof url === 'string' && ['http:', 'https:', 'mailto:'].includes(parseUrl(url)?.protocol ?? '');
}

/** The link to where visitors report a short URL, as HTML. */
function report(language: PageLanguage, url: string | undefined): string {
  if (url === undefined) return '';
  return `\n<p class="fact"><a href="${escape(url)}" rel="nofollow">${texts[language].report}</a></p>`;
}

/** What people see of a card, as HTML. */
function shownCard(card: Card | null): ReadonlyArray<string | null | undefined> {
  return [
    card?.image && `<img class="card" src="${escape(card.image)}" alt="">`,
    card?.title && `<p><strong>${escape(card.title)}</strong></p>`,
    card?.description && `<p>${escape(card.description)}</p>`,
  ];
}

/** The field of a form with the page from which the visitor came. */
function hidden(referrer: string): string {
  return `<input type="hidden" name="referrer" value="${escape(referrer)}">\n`;
}

/** A URL with its host in bold, as HTML. */
function marked(url: string): string {
  const [, start = '', host = '', end = url] = /^(https?:\/\/(?:[^/@]*@)?)([^/?#]+)(.*)$/s.exec(url) ?? [];
  return `${escape(start)}${host && `<strong>${escape(host)}</strong>`}${escape(end)}`;
}

/** The wait in words, such as `in 15 minutes`, with minutes rounded up. */
function waitOf(seconds: number, language: PageLanguage): string {
  const words = new Intl.RelativeTimeFormat(language);
  return seconds < 60 ? words.format(seconds, 'second') : words.format(Math.ceil(seconds / 60), 'minute');
}
