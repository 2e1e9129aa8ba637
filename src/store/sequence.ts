import {ShortUrlError} from '../errors.ts';

/**
 * No sequence of a site is as large. With a damaged number, walks would read empty positions for hours, or for ever, and
 * creates would use positions that no walk reaches.
 */
const maxNumber = 10 ** 10;

/** @throws ShortUrlError `internal_error` for a number that no sequence has given out */
export function checkNumber(number: number, sequence: string): number {
  if (number <= maxNumber) return number;
  const message = `The number of ${sequence} in the store is damaged. Stop the site, and run: koa-short-url check --clean`;
  throw new ShortUrlError('internal_error', message);
}
