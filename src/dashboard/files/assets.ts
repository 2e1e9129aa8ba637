import {createHash} from 'node:crypto';
import {type AccentColors, accentOf} from '../../values/accent.ts';
import {script, styleSheet} from '../generated/files.ts';
import {attributes, html, type Html} from '../html.ts';
import type {FileReply} from '../request.ts';

const year = 365 * 24 * 60 * 60;

interface Asset extends FileReply {
  /** Has a digest of the content, so that browsers can cache the file for a year. */
  readonly name: string;
}

export class Assets {
  readonly #style: Asset;
  readonly #script: Asset;

  /** @param accent `#rgb` or `#rrggbb` */
  constructor(accent: string) {
    this.#style = asset('style', 'css', `@layer links {\n${styleSheet}\n${accentRules(accent)}\n}`);
    this.#script = asset('script', 'js', script);
  }

  tags(root: string): Html {
    return html`<link rel="stylesheet" ${attributes({href: root + this.#style.name})} />
      <script type="module" ${attributes({src: root + this.#script.name})}></script>`;
  }

  /**
   * The file at a path below the dashboard; undefined if there is none. A name of another version gets this version's
   * file, which must not be cached: during a deployment, a page of one version may load files from the other version.
   */
  find(path: string): FileReply | undefined {
    const [, kind] = /^(style|script)-[\w-]+\.(?:css|js)$/.exec(path) ?? [];
    if (kind === undefined) return undefined;
    const found = kind === 'style' ? this.#style : this.#script;
    return path === found.name ? found : {...found, maxAge: 0};
  }
}

function asset(name: string, extension: 'css' | 'js', body: string): Asset {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 16);
  const type = extension === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  return {name: `${name}-${digest}.${extension}`, type, body, maxAge: year};
}

/** The host's colour is in the style sheet because a strict Content-Security-Policy forbids inline styles. */
function accentRules(accent: string): string {
  const {light, dark} = accentOf(accent);
  const rule = (color: string, onColor: string): string =>
    `.links-dashboard, .links-page { --links-accent: ${color} !important; --links-on-accent: ${onColor} !important; }`;
  const both = (name: keyof AccentColors): string => `light-dark(${light[name]}, ${dark[name]})`;
  return `${rule(light.accent, light.onAccent)}
@supports (color: light-dark(#000, #fff)) { ${rule(both('accent'), both('onAccent'))} }`;
}
