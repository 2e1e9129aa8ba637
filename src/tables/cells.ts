import {percentDecoded} from '../values/parse-url.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNone} from './words.ts';

/** The value of an SQL expression, which only a database can compute. */
export const expression = Symbol('an SQL expression');

/** Larger numbers are not counts but misread values. */
const maxCount = 1e12;

/**
 * A text, or undefined for none.
 *
 * @throws UnreadableValue `unreadable_row` for an SQL expression
 */
export function readText(value: unknown): string | undefined {
  if (value === expression) {
    throw new UnreadableValue('unreadable_row', 'A value is an expression that only a database can compute.');
  }
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}

/**
 * Parses a count; 0 if it is absent. Digits may be grouped by threes with a comma, a dot, an apostrophe or a space.
 *
 * @throws UnreadableValue `unreadable_number`
 */
export function readCount(value: unknown, what: string): number {
  if (value === undefined || value === null) return 0;
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '?';
  if (isNone(text)) return 0;
  const plain = /^\d{1,3}(?:([,.'\u00A0\u202F ])\d{3})(?:\1\d{3})*$/.test(text) ? text.replaceAll(/\D/g, '') : text;
  const count = /^\d+$/.test(plain) ? Number(plain) : Number.NaN;
  if (count <= maxCount) return count;
  throw new UnreadableValue('unreadable_number', `The ${what} must be an integer that is not negative.`);
}

/** Longer than any short URL. */
const maxShortUrl = 8192;

/** Removes the slashes at the end in linear time. */
export function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === '/') end -= 1;
  return text.slice(0, end);
}

/** A short URL: its host, its last part, and the path before that, such as `/s`. */
export interface ShortUrlParts {
  readonly domain: string;
  readonly path: string;
  readonly shortPart: string;
}

/** The host in a cell that names a domain, with or without a scheme and a path. */
export function readDomain(value: unknown): string | undefined {
  const text = readText(value)?.slice(0, maxShortUrl);
  if (text === undefined || isNone(text)) return undefined;
  return /^(?:https?:)?(?:\/\/)?([^/?#]+)/i.exec(text)?.[1];
}

/** Reads a short URL, with or without a scheme. */
export function readShortUrl(value: unknown): ShortUrlParts | undefined {
  const text = readText(value);
  if (text === undefined || text.length > maxShortUrl) return undefined;
  const [, domain = '', path = ''] = /^(?:https?:)?(?:\/\/)?([^/?#]+)\/([^?#]*)$/i.exec(text) ?? [];
  const parts = withoutSlashes(path).split('/');
  const shortPart = parts.pop() ?? '';
  if (domain === '' || shortPart === '') return undefined;
  return {
    domain,
    path: parts.map((part) => `/${percentDecoded(part) ?? part}`).join(''),
    shortPart: percentDecoded(shortPart) ?? shortPart,
  };
}

/** The end of a short URL that is this short part, perhaps in other letters or below a path; undefined if it is none. */
export function partIn({path, shortPart}: ShortUrlParts, named: string): string | undefined {
  const wanted = withoutSlashes(percentDecoded(named) ?? named).replace(/^\//, '');
  const end = `${path}/${shortPart}`.slice(-wanted.length - 1);
  return end.toLowerCase() === `/${wanted.toLowerCase()}` ? end.slice(1) : undefined;
}

/** How programs that write for pages write `&`. */
const entities = /&(?:amp|#0?38);/gi;

export function withoutEntities(url: string): string {
  return url.replaceAll(entities, '&');
}

/** Whether each `&` of a URL is written so. */
export function isAllEntities(url: string): boolean {
  return url.includes('&') && !url.replaceAll(entities, '').includes('&');
}
