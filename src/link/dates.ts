import {planted} from '../planted.ts';
import {ShortUrlError} from '../errors.ts';
import {time} from '../values/shape.ts';
import {type Calendar, dayLength, formatDateTime, parseDate} from '../values/calendar.ts';

/** The last second on which a link that ends at this moment works. */
export function formatExpiryDate(end: number): string {
  return formatDateTime(end - 1000);
}

/** A day or a second, in milliseconds since the epoch: from its first moment to the first moment after it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const expected = 'a valid date or time, such as 2030-12-31, 2030-12-31 18:00 or 2030-12-31T18:00:00+01:00';

/**
 * The moment at which a link ends, because the given day or second is the last in which it works.
 *
 * @throws ShortUrlError `invalid_expiry_date` if it is not a date, or already past
 */
export function readExpiryDate(value: string | Date, calendar: Calendar, now: number): number {
  const span = spanOf(value, calendar);
  if (span === undefined) throw invalidExpiryDate(`The expiry date must be ${expected}.`);
  if (span.end <= now) throw invalidExpiryDate(`The expiry date must not be past (${calendar.timeZone}).`);
  return span.end;
}

/**
 * The first moment of a day or second, such as that in which a link begins to work.
 *
 * @throws ShortUrlError `malformed_parameter`
 */
export function readStartDate(value: string | Date, calendar: Calendar, what = 'start date'): number {
  const span = spanOf(value, calendar);
  if (span !== undefined) return span.start;
  throw new ShortUrlError('malformed_parameter', `The ${what} must be ${expected}.`);
}

/** @throws ShortUrlError `invalid_expiry_date` for a link that would end before it begins */
export function checkOrder(start: number | undefined, end: number | undefined): void {
  if (start === undefined || end === undefined || start < end) return;
  throw invalidExpiryDate('The start date must be before the expiry date.');
}

function invalidExpiryDate(message: string): ShortUrlError {
  return new ShortUrlError('invalid_expiry_date', message);
}

/** A day or a second; undefined for anything else, and for what neither a record can have nor the API could write. */
function spanOf(value: string | Date, calendar: Calendar): Span | undefined {
  const span = value instanceof Date ? secondAt(value.getTime()) : readSpan(value, calendar);
  return span !== undefined && time.holds(span.start) && time.holds(span.end) ? span : undefined;
}

const form = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(?:(Z)|([+-])(\d{2}):?(\d{2})?)?)?$/i;

function readSpan(text: string, calendar: Calendar): Span | undefined {
  const [, date = '', clock, utc, sign, hours = '0', minutes = '0'] = form.exec(text) ?? [];
  const midnight = parseDate(date);
  if (midnight === undefined) return undefined;
  if (clock === undefined) {
    const day = midnight / dayLength;
    return {start: calendar.startOf(day), end: calendar.startOf(day + 1)};
  }
  // Other numbers, such as 24:00 or 12:60, are no time.
  const local = Date.parse(`${date}T${clock}Z`);
  if (Number.isNaN(local) || clock.startsWith('24')) return undefined;
  if (utc === undefined && sign === undefined) return secondAt(planted('time-utc') ? local : calendar.momentOf(local));
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return secondAt(sign === '-' ? local + offset : local - offset);
}

function secondAt(milliseconds: number): Span | undefined {
  if (Number.isNaN(milliseconds)) return undefined;
  const start = Math.floor(milliseconds / 1000) * 1000;
  return {start, end: start + 1000};
}
