import type {ShortUrlError} from '../errors.ts';

/** Only the operator can fix these errors. The `error` event has the details. */
const texts: Partial<Record<ShortUrlError['code'], string>> = {
  internal_error: 'The request failed because of a bug in the server.',
  store_unavailable: 'The store is not available. Try again later.',
};

/** The message of an error for a client: without details of the store or of a fault in the program. */
export function publicMessage({code, message}: ShortUrlError): string {
  return texts[code] ?? message;
}
