import type {ShortUrlError} from '../errors.ts';

/** Failures that only the site's operator can mend. What helps with that is in the `error` event. */
const texts: Partial<Record<ShortUrlError['code'], string>> = {
  internal_error: 'The request could not be completed because of a fault in the program.',
  store_unavailable: 'The store is not available. Try again later.',
};

/** What a client of the site is told of an error. */
export function publicMessage({code, message}: ShortUrlError): string {
  return texts[code] ?? message;
}
