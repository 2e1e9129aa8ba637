import {percentDecoded} from '../values/parse-url.ts';
import {customAlphabet} from 'nanoid';
import {ShortUrlError} from '../errors.ts';
import {type OptionTable, withDefaults} from '../values/options.ts';
import {flag, integer, type Shape, text} from '../values/shape.ts';
import type {ShortPartOptions} from './generated/short-part-options.ts';

/** Letters and digits that stay distinct when a short URL is read aloud or copied from paper. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz';

const generators = {
  mixed: customAlphabet(readable),
  lower: customAlphabet(readable.replaceAll(/[A-Z]/g, '')),
};

/** In characters (code points), of each segment. */
const maxLength = 64;

/** In bytes, of each segment when it is percent-encoded: what chats and printers of labels still take as one URL. */
const maxEncoded = 180;

const maxSegments = 5;

export const shortPart: Shape & {readonly max: number} = {
  max: maxLength,
  ...text,
  schema: {...text.schema, maxLength: maxSegments * (maxLength + 1) - 1, pattern: String.raw`^\S+$`},
  bounds: `1 to ${maxLength} of \`A-Z a-z 0-9 - _\` and, inside, \`.\` and \`~\`. The site may allow more characters and segments, or ignore case`,
};

export const shortPartOptions = {
  ignoreCase: {
    ...flag,
    default: false,
    sentence:
      'Whether `/Spring` and `/spring` are one link. Short parts are kept in lower case. The store remembers the setting, and the command `copy --ignore-case` changes it.',
  },
  unicode: {
    ...flag,
    default: false,
    sentence:
      'Whether letters, marks and digits of any script and emoji are allowed. The letters of one segment are of one script.',
  },
  segments: {
    ...integer(1, maxSegments),
    default: 1,
    sentence: 'The maximum number of segments with a slash between them.',
  },
} as const satisfies OptionTable<ShortPartOptions>;

export interface Reserved {
  readonly has: (slug: string) => boolean;
}

/** A dot or a tilde is never first or last: a sentence may end after a short URL, and `..` is another path. */
const ascii = new RegExp(String.raw`^[\w-](?:[\w.~-]{0,${maxLength - 2}}[\w-])?$`);

const emoji = '(?![\\p{L}\\u{1F3FB}-\\u{1F3FF}])\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}]?';
/**
 * Characters that show nothing are not in it, apart from the joiner inside an emoji. No two alternatives begin with the
 * same character, so that the time is linear.
 */
const unicode = new RegExp(
  `^(?![.~])(?:[.~_-]|(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{Nd}]|${emoji}(?:\\u200D${emoji})*|` +
    '[\\u{1F1E6}-\\u{1F1FF}]{2})+(?<![.~])$',
  'u',
);

/** Chinese, Japanese and Korean are written in several scripts, with some letters that are common to them, such as `ー`. */
const eastAsian = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];
const commonEastAsian = `(?=\\p{L})[${eastAsian.map((name) => `\\p{Script_Extensions=${name}}`).join('')}]`;

/** The scripts that are told apart. All further ones count as one. */
const scripts = [
  eastAsian,
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Devanagari', 'Bengali'],
  ...['Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan'],
  ...['Myanmar', 'Khmer', 'Ethiopic', 'Cherokee', 'Mongolian', 'Canadian_Aboriginal', 'Tifinagh', 'Coptic'],
].map((names) =>
  [names]
    .flat()
    .map((name) => `\\p{Script=${name}}`)
    .join(''),
);
const scriptPatterns = scripts.map((script, index) =>
  index === 0 ? new RegExp(`[${script}]|${commonEastAsian}`, 'u') : new RegExp(`[${script}]`, 'u'),
);
const otherScript = new RegExp(`(?![${scripts.join('')}\\p{Script=Common}\\p{Script=Inherited}])[\\p{L}\\p{M}]`, 'u');
/** Letters of no script, such as modifiers and the line that only stretches Arabic words. */
const noScript = new RegExp(`(?!${commonEastAsian})(?=\\p{Script=Common})\\p{L}`, 'u');

/**
 * What clings to a URL in a text: the end of a sentence, a bracket or quote, white space, what shows nothing, and what
 * editors write for an object (U+FFFC) or a lost character (U+FFFD).
 */
const clinging =
  /^[/.,;:!?'"`´>*|…‚„。，、；：！？\uFFFC\uFFFD\s\p{Close_Punctuation}\p{Initial_Punctuation}\p{Final_Punctuation}\p{Default_Ignorable_Code_Point}]$/u;

const maxClinging = 50;

/** The last character of a path, which may be percent-encoded in up to four bytes. */
const lastCharacter = /(?:%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}|.)$/isu;

/** Extensions of files. A file at the root of a site, such as `ads.txt`, speaks for the site. */
const extensions = new Set(
  (
    'txt md xml json json5 jsonld ndjson map csv tsv yml yaml toml ini cfg conf env log sql db sqlite bak ' +
    'html htm xhtml shtml mhtml php php3 php4 php5 phtml asp aspx ashx jsp jspx cgi pl py rb cfm ' +
    'js mjs cjs jsx ts tsx css scss less wasm webmanifest manifest appcache ' +
    'ico png apng jpg jpeg gif svg svgz webp avif bmp tif tiff heic heif jxl psd ai eps cur ' +
    'woff woff2 ttf otf eot mp3 mp4 m4a m4v aac wav ogg oga ogv opus flac webm mov avi mkv wmv flv mpg mpeg srt vtt m3u m3u8 ' +
    'pdf doc docx docm xls xlsx xlsm ppt pptx odt ods odp rtf epub mobi key ics vcf eml msg gpx kml kmz ' +
    'zip gz tgz tar bz2 xz 7z rar zst jar war apk aab ipa exe msi dmg pkg deb rpm iso bin appimage torrent ' +
    'sh bash bat cmd ps1 pem crt cer der p12 pfx p7b p7s p7m csr asc sig pub gpg atom rss opml wsdl xsd xsl xslt swf'
  ).split(' '),
);

/** Whether a short part looks like a file, and so belongs to the site. */
function isFile(slug: string): boolean {
  const dot = slug.lastIndexOf('.');
  if (dot > 0) return extensions.has(slug.slice(dot + 1).toLowerCase());
  return slug.length === 26 && slug.toLowerCase() === 'apple-app-site-association';
}

/** The parts of a vowel that Thai and Lao write as one character, around a tone mark. NFKC takes it apart. */
const thaiAm = /\u0E4D([\u0E48-\u0E4B]?)\u0E32/g;
const laoAm = /\u0ECD([\u0EC8-\u0ECB]?)\u0EB2/g;

/**
 * One form of what looks the same: composed, and without ligatures, mathematical letters and other forms of compatibility.
 * A selector of the form of an emoji shows nothing, and not every keyboard writes it.
 */
function unify(text: string): string {
  const unified = text.replaceAll('\uFE0F', '').normalize('NFKC');
  return unified.replaceAll(thaiAm, '$1\u0E33').replaceAll(laoAm, '$1\u0EB3');
}

/** A short part on a site that ignores case. Greek has two forms of one small letter. */
export function foldCase(slug: string): string {
  return slug.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** A name in the form in which it is compared with names of the site, without regard to the options of the site. */
export function foldName(name: string): string {
  // Where links answer first, every request asks, and Unicode would take most of its time.
  return /^[\w.~/-]*$/.test(name) ? name.toLowerCase() : foldCase(unify(name));
}

export class ShortParts {
  readonly ignoreCase: boolean;
  readonly #isUnicode: boolean;
  readonly #maxSegments: number;
  /** Whether a short part is one segment of ASCII, which a path has as it is. */
  readonly #isPlain: boolean;

  constructor(options: ShortPartOptions = {}) {
    const {ignoreCase, unicode: isUnicode, segments} = withDefaults(options, shortPartOptions);
    this.ignoreCase = ignoreCase;
    this.#isUnicode = isUnicode;
    this.#maxSegments = segments;
    this.#isPlain = !isUnicode && segments === 1;
  }

  /** A new short part, of characters that are not confused on paper. */
  generate(length: number): string {
    return generators[this.ignoreCase ? 'lower' : 'mixed'](length);
  }

  /** The stored form of a short part; undefined for a text that cannot be one. */
  read(text: string): string | undefined {
    if (this.#isPlain) return ascii.test(text) && !isFile(text) ? this.#folded(text) : undefined;
    // Bounds the time of the patterns: a character of a segment has at most two units, and an emoji a selector.
    if (text.length > 3 * maxLength * this.#maxSegments) return undefined;
    // What is not allowed may look like what is, such as a full-width slash.
    if (
      this.#isUnicode &&
      !text
        .replaceAll('\uFE0F', '')
        .split('/')
        .every((part) => unicode.test(part))
    )
      return undefined;
    const slug = this.#folded(text);
    const segments = slug.split('/');
    const isAllowed = segments.length <= this.#maxSegments && segments.every((segment) => this.#isSegment(segment));
    return isAllowed && !isFile(slug) ? slug : undefined;
  }

  /** The stored form of a short part in a path, where it may be percent-encoded; undefined if it can be none. */
  readEncoded(path: string): string | undefined {
    if (this.#isPlain || !path.includes('%')) return this.read(path);
    if (path.length > this.#maxSegments * (3 * maxEncoded + 1)) return undefined;
    // An encoded slash is part of a segment, and no segment may have one.
    const decoded = /%2f/i.test(path) ? undefined : percentDecoded(path);
    return decoded === undefined ? undefined : this.read(decoded);
  }

  /**
   * The stored form of a short part in a path that goes on: with characters that cling to a URL in a text, or with a `+`,
   * which asks for the preview. The path is none itself.
   */
  readLoose(path: string): {readonly slug: string; readonly isPreview: boolean} | undefined {
    // Most paths of a site end with a letter.
    if (!/[^\w~-]$|%[\da-f]{2}$/i.test(path.slice(-3))) return undefined;
    const part = withoutClinging(path);
    const short = part.replace(/(?:\+|%2B)$/i, '');
    const slug = short === path ? undefined : this.readEncoded(short);
    return slug === undefined ? undefined : {slug, isPreview: short !== part};
  }

  encode(slug: string): string {
    return this.#isPlain && ascii.test(slug) ? slug : encodeURI(slug);
  }

  /** @throws ShortUrlError `invalid_custom_url` for a malformed or reserved one */
  check(text: string, reserved: Reserved): string {
    const slug = this.read(text);
    if (slug !== undefined && !reserved.has(slug)) return slug;
    if (slug !== undefined || isFile(text)) throw reservedSlug();
    throw new ShortUrlError('invalid_custom_url', this.#expected());
  }

  /** The options that would together allow a short part which this site does not allow; none if it can never be one. */
  optionsFor(text: string): ReadonlyArray<'shortParts.unicode' | 'shortParts.segments'> {
    const own = {unicode: this.#isUnicode, segments: this.#maxSegments};
    const allows = (more: ShortPartOptions): boolean => new ShortParts({...own, ...more}).read(text) !== undefined;
    if (allows({})) return [];
    if (allows({unicode: true})) return ['shortParts.unicode'];
    if (allows({segments: maxSegments})) return ['shortParts.segments'];
    return allows({unicode: true, segments: maxSegments}) ? ['shortParts.unicode', 'shortParts.segments'] : [];
  }

  #folded(text: string): string {
    const unified = this.#isUnicode ? unify(text) : text;
    return this.ignoreCase ? foldCase(unified) : unified;
  }

  #isSegment(segment: string): boolean {
    if (!this.#isUnicode) return ascii.test(segment);
    return (
      unicode.test(segment) &&
      Array.from(segment).length <= maxLength &&
      encodeURIComponent(segment).length <= maxEncoded &&
      isOfOneScript(segment)
    );
  }

  #expected(): string {
    const characters = this.#isUnicode ? 'letters of one script, digits, emoji, hyphen' : 'A-Z, a-z, 0-9, hyphen';
    const parts = this.#maxSegments === 1 ? '' : `, in at most ${this.#maxSegments} segments with a slash between them`;
    return `The custom short part must have 1 to ${maxLength} of the characters ${characters}, underscore and, inside, dot and tilde${parts}.`;
  }
}

function withoutClinging(path: string): string {
  let rest = path;
  for (let count = 0; count < maxClinging; count += 1) {
    const [last = ''] = lastCharacter.exec(rest.slice(-12)) ?? [];
    if (!clinging.test(percentDecoded(last) ?? last)) break;
    rest = rest.slice(0, -last.length);
  }
  return rest;
}

/** Letters that look alike in two scripts would let one short part pass for another. */
function isOfOneScript(text: string): boolean {
  const found = scriptPatterns.filter((script) => script.test(text)).length;
  return !noScript.test(text) && found + (otherScript.test(text) ? 1 : 0) <= 1;
}

function reservedSlug(): ShortUrlError {
  return new ShortUrlError('invalid_custom_url', 'The custom short part is reserved by the site. Choose another one.');
}
