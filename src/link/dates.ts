import {ShortUrlError} from '../host/errors.ts';

/** In milliseconds. */
export const dayLength = 86_400_000;

/** The day (UTC) of a moment, counted from the epoch. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / dayLength);
}

/** A moment as the API writes it: UTC, `yyyy-mm-dd hh:mm:ss`. */
export function formatDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** A day since the epoch as `yyyy-mm-dd`. */
export function formatDate(daysSinceEpoch: number): string {
  return formatDateTime(daysSinceEpoch * dayLength).slice(0, 10);
}

/** The midnight (UTC) after a moment. */
export function endOfDay(milliseconds: number): number {
  return (dayOf(milliseconds) + 1) * dayLength;
}

/** The last second on which a link that ends at this moment works. */
export function formatExpiryDate(end: number): string {
  return formatDateTime(end - 1000);
}

/**
 * The moment at which a link with this expiry date ends, in milliseconds since the epoch: the midnight (UTC) after it,
 * because the date itself is the last day on which the link works.
 *
 * @throws ShortUrlError `invalid_expiry_date` if it is not a real `yyyy-mm-dd` date, or already past
 */
export function parseExpiryDate(text: string, now: number): number {
  const midnight = parseDate(text);
  if (midnight === undefined) {
    throw new ShortUrlError('invalid_expiry_date', 'The expiry date must be a valid date in the form yyyy-mm-dd.');
  }
  if (endOfDay(midnight) <= now) {
    throw new ShortUrlError('invalid_expiry_date', 'The expiry date must be today (UTC) or later.');
  }
  return endOfDay(midnight);
}

/** The midnight (UTC) at which a real `yyyy-mm-dd` date begins; undefined for any other text. */
export function parseDate(text: string): number | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse reads 2030-02-30 as the 2nd of March. Only a real date is formatted as it was given.
  return !Number.isNaN(midnight) && formatDate(dayOf(midnight)) === text ? midnight : undefined;
}
