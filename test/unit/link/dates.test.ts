import test from 'ava';
import {Calendar, formatDate, formatDateTime} from '../../../src/values/calendar.ts';
import {formatExpiryDate, readExpiryDate, readStartDate} from '../../../src/link/dates.ts';

const midnight = Date.UTC(2031, 4, 7);
const utc = new Calendar();
const berlin = new Calendar('Europe/Berlin');
const at = (text: string): number => Date.parse(text);

test('moments and days are written in UTC', (t) => {
  t.is(formatDateTime(Date.UTC(2031, 4, 6, 7, 8, 9, 999)), '2031-05-06 07:08:09');
  t.is(formatDate(0), '1970-01-01');
  t.is(formatDate(20_000), '2024-10-04');
  t.is(formatExpiryDate(midnight), '2031-05-06 23:59:59');
});

test('a date is a day of the time zone', (t) => {
  t.is(readExpiryDate('2031-05-06', berlin, 0), midnight - 2 * 3_600_000);
  t.is(readStartDate('2031-12-01', berlin), at('2031-11-30T23:00:00Z'));
});

test('a moment is the first second of a start and the last one of an expiry', (t) => {
  for (const text of ['2031-05-06 18:00', '2031-05-06T18:00', '2031-05-06 18:00:00', '2031-05-06T18:00:00+02:00']) {
    t.is(readStartDate(text, berlin), at('2031-05-06T16:00:00Z'), text);
    t.is(readExpiryDate(text, berlin, 0), at('2031-05-06T16:00:01Z'), text);
  }
  t.is(readStartDate(new Date(Date.UTC(2031, 4, 6, 18, 0, 0, 999)), berlin), at('2031-05-06T18:00:00Z'));
});

test('an offset may be Z, or have hours and minutes with or without a colon', (t) => {
  const forms = ['2031-05-06T18:00Z', '2031-05-06 18:00:00.123z', '2031-05-06T23:30+05:30', '2031-05-06T23:30+0530'];
  for (const text of [...forms, '2031-05-06T15:00-03']) {
    t.is(readStartDate(text, berlin), at('2031-05-06T18:00:00Z'), text);
  }
});

test('anything that is no real date or moment is refused', (t) => {
  for (const value of [
    '',
    'tomorrow',
    '2031-02-29',
    '2031-13-01',
    '2031-5-6',
    '2031-05-06 ',
    ' 2031-05-06',
    '31-05-06',
    '2031/05/06',
    '+012031-05-06',
    '2031-05-06 24:00',
    '2031-05-06 12:60',
    '2031-05-06 12',
    '2031-05-06T12:00+24:00',
    '9999-12-31T23:59-01:00',
    '0000-01-01T00:00+01:00',
    new Date(Number.NaN),
  ]) {
    t.throws(() => readExpiryDate(value, utc, 0), {code: 'invalid_expiry_date'}, String(value));
    t.throws(() => readStartDate(value, utc), {code: 'malformed_parameter'}, String(value));
  }
});
