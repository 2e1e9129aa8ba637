import {ShortUrlError} from '../errors.ts';
import {hasIllegal} from '../values/characters.ts';
import {enumerated, grouped} from '../values/describe.ts';
import {type Shape, shapeOf, text} from '../values/shape.ts';
import {maxTarget, maxUrl, parseUrl} from '../values/parse-url.ts';

/** A long URL as it was given, and as it is sent in `Location`: serialised by `URL`, so that it is ASCII. */
export interface LongUrl {
  readonly url: string;
  readonly target: string;
}

/** Schemes that run code in a browser, read its files, or cannot be opened from another page. */
export const forbiddenSchemes: readonly string[] = [
  'javascript',
  'data',
  'vbscript',
  'file',
  'blob',
  'about',
  'view-source',
  'filesystem',
  'ws',
  'wss',
];

const webSchemes: ReadonlySet<string> = new Set(['http', 'https']);

/** Whether the text is a scheme, without the colon, that the option `schemes` may have. */
export function isScheme(text: unknown): text is string {
  return typeof text === 'string' && /^[a-z][a-z\d+.-]{0,63}$/.test(text) && !forbiddenSchemes.includes(text);
}

export const expectedSchemes =
  'an array of URL schemes in lower case without colon, such as mailto, and none that runs code or opens files';

/** The schemes of long URLs, besides http and https those of the option. */
export function schemesOf(others: readonly string[]): ReadonlySet<string> {
  return new Set([...webSchemes, ...others]);
}

/**
 * @param what names the URL in the message
 * @throws ShortUrlError `invalid_url`
 */
export function parseLongUrl(text: string, what = 'long URL', schemes = webSchemes): LongUrl {
  const invalid = (message: string) => new ShortUrlError('invalid_url', message);
  if (text.length > maxUrl) throw invalid(`The ${what} must be at most ${maxUrl} characters.`);
  if (hasIllegal(text) || /^\s|\s$/u.test(text)) {
    throw invalid(`The ${what} must not contain control characters, or begin or end with white space.`);
  }
  if (text.includes('\uFFFD')) {
    throw invalid(`The ${what} has the sign � in place of a character that was lost. Read its source as UTF-8.`);
  }
  const url = parseUrl(text);
  if (url === undefined || !schemes.has(schemeOf(url))) {
    throw invalid(`The ${what} must be an absolute URL with the scheme ${enumerated(Array.from(schemes), 'or')}.`);
  }
  const target = serialise(url);
  if (target.length > maxTarget) {
    throw invalid(`The ${what} is too long for browsers once it is percent-encoded: at most ${maxTarget} characters.`);
  }
  return {url: text, target};
}

/** A stored long URL as it goes into `Location`. Its scheme was allowed when it was stored. */
export function targetOfUrl(text: string): string {
  return serialise(new URL(text));
}

/** Whether a stored text is a URL that a visitor may be sent to. */
function isHarmless(text: unknown): boolean {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  return url !== undefined && isScheme(schemeOf(url));
}

/** Whether it is a URL that a visitor may be sent to, or empty, as that of a removed link. */
function isOpen(text: unknown): boolean {
  // Most are, and the check of a prefix costs less than parsing.
  return text === '' || (typeof text === 'string' && /^https?:/i.test(text)) || isHarmless(text);
}

/** A URL of a link, which the schemes of the site decide about. */
export const longUrl: Shape<string> = {
  ...text,
  schema: {...text.schema, maxLength: maxUrl},
  bounds: `at most ${grouped(maxUrl)} characters`,
  isEncoded: true,
};

export const openUrl = shapeOf<string>({expected: 'an absolute URL to which visitors may be sent', holds: isOpen});

function schemeOf({protocol}: URL): string {
  return protocol.slice(0, -1);
}

/** `URL` keeps spaces in what follows a scheme such as `mailto:`. */
function serialise({href}: URL): string {
  return href.replaceAll(' ', '%20');
}
