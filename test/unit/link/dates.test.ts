import test from 'ava';
import {endOfDay, formatDate, formatDateTime, formatExpiryDate, parseExpiryDate} from '../../../src/link/dates.ts';

const midnight = Date.UTC(2031, 4, 7);

test('moments and days are written in UTC', (t) => {
  t.is(formatDateTime(Date.UTC(2031, 4, 6, 7, 8, 9, 999)), '2031-05-06 07:08:09');
  t.is(formatDate(0), '1970-01-01');
  t.is(formatDate(20_000), '2024-10-04');
  t.is(formatExpiryDate(midnight), '2031-05-06 23:59:59');
});

test('a day ends at the following midnight', (t) => {
  for (const moment of [midnight - 1, midnight - 86_400_000]) t.is(endOfDay(moment), midnight);
  t.is(endOfDay(midnight), midnight + 86_400_000);
});

test('a link works until the end of its expiry date, which may be today', (t) => {
  for (const now of [0, midnight - 86_400_000, midnight - 1]) t.is(parseExpiryDate('2031-05-06', now), midnight);
  t.throws(() => parseExpiryDate('2031-05-06', midnight), {code: 'invalid_expiry_date', message: /today/});
});

test('an expiry date is a valid date in the form yyyy-mm-dd', (t) => {
  t.is(parseExpiryDate('2032-02-29', 0), Date.UTC(2032, 2, 1));
  for (const text of [
    '',
    'tomorrow',
    '2031-02-29',
    '2031-13-01',
    '2031-5-6',
    '2031-05-06 ',
    ' 2031-05-06',
    '2031-05-06T00:00:00Z',
    '31-05-06',
    '2031/05/06',
    '+012031-05-06',
    '+012031-05',
  ]) {
    t.throws(() => parseExpiryDate(text, 0), {code: 'invalid_expiry_date', message: /valid date/}, text);
  }
});
