import {createHash} from 'node:crypto';
import {accentOf} from '../../../values/accent.ts';
import type {PageLanguage} from '../../../values/language.ts';

const style = `
:root { color-scheme: light dark; --text: #1c2229; --quiet: #515b66; --page: #f3f4f6; --card: #fff; --edge: #e1e4e8; --field: #77818c; --accent: #0b57d0; --on-accent: #fff; --tint: #e8f0fe; --alarm: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e8ebee; --quiet: #adb6c0; --page: #121518; --card: #1c2126; --edge: #2c333a; --field: #7f8994; --accent: #a8c7fa; --on-accent: #062e6f; --tint: #22324a; --alarm: #f6b1ab; } }
*, ::before { box-sizing: border-box; }
html { text-size-adjust: 100%; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100svh; display: grid; align-items: center; justify-items: center; padding: clamp(.5rem, 4vw, 1rem); background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; hyphens: auto; }
main { width: 100%; max-width: 27rem; padding: clamp(.75rem, 7vw, 2.5rem); background: var(--card); border: 1px solid var(--edge); border-radius: 1rem; }
svg { display: block; width: 3rem; height: 3rem; margin-bottom: 1.25rem; padding: .75rem; border-radius: 50%; background: var(--tint); fill: none; stroke: var(--accent); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
h1 { margin: 0 0 .5rem; font-size: clamp(1.125rem, 1rem + 2.2vw, 1.5rem); line-height: 1.25; text-wrap: balance; }
p { margin: 0; color: var(--quiet); text-wrap: pretty; }
.url { color: inherit; font-size: 1.0625rem; hyphens: none; unicode-bidi: plaintext; }
.card { max-width: 100%; max-height: 12rem; border-radius: .5rem; }
.fact { margin-top: .75rem; font-size: .875rem; }
.fact a { color: inherit; }
form, .action { margin: 1.75rem 0 0; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
.wrong { margin-bottom: .5rem; color: var(--alarm); }
input, button, .action a { display: block; width: 100%; min-height: 3rem; padding: .6875rem .875rem; border: 1px solid transparent; border-radius: .5rem; font: inherit; }
input { border-color: var(--field); background: transparent; color: inherit; }
[aria-invalid] { border-color: var(--alarm); box-shadow: inset 0 0 0 1px var(--alarm); }
button, .action a { background: var(--accent); color: var(--on-accent); font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button { margin-top: 1.25rem; }
button:hover, .action a:hover { text-decoration: underline; }
.site { display: block; margin: 0 0 1.5rem; color: inherit; font-weight: 700; text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** The site on the built-in pages. */
export interface Brand {
  /** The name of the site, on the built-in pages. */
  readonly siteName?: string | undefined;
  /** The target of the link on the name: a path or an absolute URL. */
  readonly homeUrl?: string | undefined;
  /** The colour of the built-in pages, `#rgb` or `#rrggbb`. It is made darker or lighter where contrast requires it. */
  readonly accent?: string | undefined;
}

/** Stroked SVG paths in a view box of 24 by 24. */
const icons = {
  lock: 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5zM12 15v2',
  brokenLink: 'M9 17H7A5 5 0 0 1 7 7M15 7h2a5 5 0 0 1 4 8M8 12h4M2 2l20 20',
  link: 'M9 17H7A5 5 0 0 1 7 7h2M15 7h2a5 5 0 0 1 0 10h-2M8 12h8',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 7v5l3 2',
};

export interface Layout {
  readonly language: PageLanguage;
  readonly title: string;
  /** Elements of the head, each on a line. */
  readonly head?: string;
  /** An error, put before the title of the document, because a screen reader reads the title first. */
  readonly news?: string | undefined;
  readonly icon: keyof typeof icons;
  readonly content: string;
}

/** Allows every destination, because browsers apply it to the redirect that answers the form as well. */
function formAction(schemes: ReadonlySet<string>): string {
  return `form-action 'self' ${Array.from(schemes, (scheme) => `${scheme}:`).join(' ')}`;
}

const notFramed = "frame-ancestors 'none'";

/**
 * The Content-Security-Policy of the host's own pages. It does not restrict what they load.
 *
 * @param ofSite the policies that the site has set before, which are kept except for their `form-action`
 * @param schemes those of long URLs
 */
export function policyOfOwnPage(ofSite: readonly string[], schemes: ReadonlySet<string>): string {
  if (ofSite.length === 0) return `${formAction(schemes)}; base-uri 'self'; ${notFramed}`;
  // A browser obeys each of several policies.
  return [...ofSite, notFramed].join(', ').replaceAll(/\bform-action\b[^;,]*/gi, formAction(schemes));
}

export class PageFrame {
  /** Allows the style of the page, the icon of the site and the form. */
  readonly contentSecurityPolicy: string;
  readonly #style: string;
  /** Follows the title of the document. */
  readonly #suffix: string;
  /** The name of the site, above the page. */
  readonly #heading: string;

  constructor({siteName, homeUrl, accent}: Brand, schemes: ReadonlySet<string>) {
    this.#style = style + (accent === undefined ? '' : accentRules(accent));
    const name = escape(siteName ?? '');
    this.#suffix = siteName === undefined ? '' : ` · ${name}`;
    const open = homeUrl === undefined ? 'p class="site"' : `a class="site" href="${escape(homeUrl)}"`;
    this.#heading = siteName === undefined ? '' : `<${open}>${name}</${open.charAt(0)}>\n`;
    this.contentSecurityPolicy = [
      "default-src 'none'",
      "img-src 'self'",
      `style-src 'sha256-${createHash('sha256').update(this.#style).digest('base64')}'`,
      formAction(schemes),
      "base-uri 'none'",
      notFramed,
    ].join('; ');
  }

  /** Escapes nothing: all values are texts of this package or escaped. */
  render({language, title, news, icon, head = '', content}: Layout): string {
    return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${news === undefined ? '' : `${news} – `}${title}${this.#suffix}</title>
${head}<style>${this.#style}</style>
</head>
<body>
<main>
${this.#heading}<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[icon]}"/></svg>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  }
}

function accentRules(color: string): string {
  const {light, dark} = accentOf(color);
  const rule = (scheme: typeof light, tint: string): string =>
    `:root { --accent: ${scheme.accent}; --on-accent: ${scheme.onAccent}; --tint: ${tint}; }`;
  return `${rule(light, '#eef1f4')}\n@media (prefers-color-scheme: dark) { ${rule(dark, '#272e35')} }\n`;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
