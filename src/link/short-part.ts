import {customAlphabet} from 'nanoid';
import {ShortUrlError} from '../host/errors.ts';

/** Letters and digits that stay distinct when a short URL is read aloud or copied from paper. */
const readable = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz';

export const generateSlug: (length: number) => string = customAlphabet(readable);

/** The default of the option `slugLength`. */
export const defaultSlugLength = 7;

const pattern = /^[\w-]{1,64}$/;

/** The short parts that no link can have. */
export interface Reserved {
  readonly has: (slug: string) => boolean;
}

/** Whether the text has the form of a short part: 1 to 64 of `A-Z a-z 0-9 - _`. */
export function isSlug(text: string): boolean {
  return pattern.test(text);
}

/**
 * The short part, if a link can have it.
 *
 * @throws ShortUrlError `invalid_custom_url` for a reserved or malformed one
 */
export function checkSlug(slug: string, reserved: Reserved): string {
  if (!isSlug(slug)) {
    throw new ShortUrlError(
      'invalid_custom_url',
      'The custom short part must have 1 to 64 of the characters A-Z, a-z, 0-9, hyphen and underscore.',
    );
  }
  if (reserved.has(slug)) throw reservedSlug();
  return slug;
}

export function reservedSlug(): ShortUrlError {
  return new ShortUrlError('invalid_custom_url', 'The custom short part is reserved by the site. Choose another one.');
}
