import {hasIllegal} from '../host/characters.ts';
import {ShortUrlError} from '../host/errors.ts';
import {maxTarget, maxUrl, parseUrl} from './parse-url.ts';

/** A long URL as it was given, and as it is sent in `Location`: serialised by `URL`, so that it is ASCII. */
export interface LongUrl {
  readonly url: string;
  readonly target: string;
}

/**
 * @param what names the URL in the message
 * @throws ShortUrlError `invalid_url`
 */
export function parseLongUrl(text: string, what = 'long URL'): LongUrl {
  const invalid = (message: string) => new ShortUrlError('invalid_url', message);
  if (text.length > maxUrl) throw invalid(`The ${what} must be at most ${maxUrl} characters.`);
  if (hasIllegal(text) || /^\s|\s$/u.test(text)) {
    throw invalid(`The ${what} must not contain control characters, or begin or end with white space.`);
  }
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw invalid(`The ${what} must be an absolute URL with the scheme http or https.`);
  }
  if (url.href.length > maxTarget) {
    throw invalid(`The ${what} is too long for browsers once it is percent-encoded: at most ${maxTarget} characters.`);
  }
  return {url: text, target: url.href};
}
