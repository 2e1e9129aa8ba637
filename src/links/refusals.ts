import {ShortUrlError} from '../errors.ts';

export function taken(): ShortUrlError {
  return new ShortUrlError('custom_url_taken', 'The custom short part is taken on that domain; choose another.');
}

export function ownUrl(): ShortUrlError {
  return new ShortUrlError(
    'forbidden_url',
    'The long URL must not be a short URL of this site, nor lead into its API.',
  );
}

export function accountRemoved(): ShortUrlError {
  return new ShortUrlError('invalid_api_key', 'The account was removed.');
}

/** One answer for "not there" and "not yours". */
export function unknown(): ShortUrlError {
  return new ShortUrlError('unknown_short_url', 'There is no such short URL in this account.');
}
