import {ShortUrlError} from '../errors.ts';
import type {Base, Bases} from './bases.ts';
import {parseExpiryDate} from './dates.ts';
import type {CreateLink} from './link.ts';
import {parseUrl} from './parse-url.ts';
import {longestPassword} from './password.ts';
import type {ReservedSlugs} from './slug.ts';

const longestUrl = 8192;
/** Clients take 16 KB of headers in all, and `Location` is one of them. */
const longestTarget = 15_000;

/** A request to create a link that has been found in order, as far as that can be said without the store. */
export interface NewLink {
  readonly url: string;
  readonly target: string;
  readonly base: Base;
  readonly slug: string | undefined;
  readonly password: string | undefined;
  readonly end: number | undefined;
}

export interface NewLinkRules {
  readonly bases: Bases;
  readonly reserved: ReservedSlugs;
  readonly now: number;
}

/**
 * Checks the parts of a request to create a link, in the order in which they were given.
 *
 * @throws ShortUrlError with the code of the first part that is not in order
 */
export function checkNewLink(input: CreateLink, {bases, reserved, now}: NewLinkRules): NewLink {
  let destination: Pick<NewLink, 'url' | 'target'> | undefined;
  let base = bases.main;
  let end: number | undefined;
  const checks: Record<keyof CreateLink, (value: string) => void> = {
    url: (value) => (destination = {url: value, target: serializeUrl(value)}),
    customUrl: (value) => {
      reserved.check(value);
    },
    password: checkPassword,
    expiryDate: (value) => (end = parseExpiryDate(value, now)),
    baseDomain: (value) => (base = findBase(value, bases)),
  };
  // Only what stands here was checked: not what is inherited, nor what a getter says when it is asked again.
  const checked: {-readonly [Name in keyof CreateLink]?: string} = {};
  for (const [name, value] of Object.entries(isObject(input) ? input : {}) as Array<[keyof CreateLink, unknown]>) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) {
      const names = Object.keys(checks).join(', ');
      throw new ShortUrlError('unknown_parameter', `A link is created from ${names}; something else was given.`);
    }
    if (typeof value !== 'string' || value === '') {
      throw new ShortUrlError('malformed_parameter', `Expected \`${name}\` to be a string that is not empty.`);
    }
    checks[name](value);
    checked[name] = value;
  }
  if (destination === undefined) {
    throw new ShortUrlError('missing_parameter', 'The long URL is missing: a link is created for a `url`.');
  }
  return {...destination, base, slug: checked.customUrl, password: checked.password, end};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The URL as it goes into `Location`: WHATWG-serialised, so that it is ASCII throughout. */
function serializeUrl(text: string): string {
  const invalid = (message: string) => new ShortUrlError('invalid_url', message);
  if (text.length > longestUrl) throw invalid(`The long URL must be at most ${longestUrl} characters.`);
  // U+FFFE and U+FFFF are here because no XML document can carry them, and lone surrogates because no UTF-8 can.
  if (/[\p{Control}\p{Surrogate}\uFFFE\uFFFF]|^\s|\s$/u.test(text)) {
    throw invalid('The long URL must not hold control characters, nor begin or end with white space.');
  }
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw invalid('The long URL must be an absolute URL with the scheme http or https.');
  }
  if (url.href.length > longestTarget) {
    throw invalid(
      `The long URL is too long for browsers once it is percent-encoded: at most ${longestTarget} characters.`,
    );
  }
  return url.href;
}

function checkPassword(text: string): void {
  if (Buffer.byteLength(text) > longestPassword) {
    throw new ShortUrlError('invalid_password', `The password must be at most ${longestPassword} bytes of UTF-8.`);
  }
}

function findBase(text: string, bases: Bases): Base {
  if (/[/\\]|^[a-z][a-z0-9+.-]*:(?!\d+$)/i.test(text)) {
    throw new ShortUrlError(
      'invalid_base_domain',
      'The base domain must be written without scheme, path and trailing slash, in the form domain.com.',
    );
  }
  const base = bases.find(text);
  if (base === undefined) {
    throw new ShortUrlError('unknown_base_domain', 'The base domain must be one of the domains of this site.');
  }
  return base;
}
