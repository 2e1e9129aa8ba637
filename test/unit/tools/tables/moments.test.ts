import test from 'ava';
import {readLastMoment, readMoment, timeZone} from '../../../../src/tools/tables/moments.ts';

const utc = timeZone();
const read = (value: unknown, zone = utc): string | undefined => {
  const moment = readMoment(value, 'date', zone);
  return moment === undefined ? undefined : new Date(moment).toISOString().slice(0, 19);
};

test('dates are read with and without time and zone', (t) => {
  const expected = '2023-08-03T11:42:37';
  for (const text of [
    '2023-08-03 11:42:37',
    ' 2023-08-03T11:42:37.123Z ',
    '2023-08-03T11:42:37+0000',
    '2023-08-03T13:42:37+02:00',
    '2023-08-03 06:42:37 -05',
    '1691062957',
    1_691_062_957_000,
    'August 3, 2023 11:42:37',
    'Aug 3 2023, 11:42:37 AM',
    '3 Aug 2023 11:42:37',
    '03 August 2023, 11:42:37am',
  ]) {
    t.is(read(text), expected, String(text));
  }
  t.is(read('2023-08-03'), '2023-08-03T00:00:00');
  t.is(read('2023-08-03 11:42'), '2023-08-03T11:42:00');
});

test('a date without a zone is in the given zone, in summer and in winter', (t) => {
  const berlin = timeZone('Europe/Berlin');
  t.is(read('2023-08-03 11:42:37', berlin), '2023-08-03T09:42:37');
  t.is(read('2023-01-03 11:42:37', berlin), '2023-01-03T10:42:37');
  t.is(read('2023-03-26 01:59:59', berlin), '2023-03-26T00:59:59');
  t.is(read('2023-03-26 03:00:00', berlin), '2023-03-26T01:00:00');
  t.is(read('2023-08-03T11:42:37Z', berlin), '2023-08-03T11:42:37');
  t.is(read('2023-08-03 11:42:37', timeZone('-03:30')), '2023-08-03T15:12:37');
  t.throws(() => timeZone('Mars/Olympus'), {instanceOf: TypeError});
});

test('an expiry date without a time is the last day, however it is written, and one with a time the last second', (t) => {
  for (const text of [
    '2030-12-31',
    '2030-12-31 UTC',
    '2030-12-31Z',
    'Dec 31, 2030',
    'December 31 2030',
    '31 Dec 2030',
  ]) {
    t.is(readLastMoment(text, utc), Date.UTC(2031, 0, 1), text);
    t.is(readMoment(text, 'expiry date', utc, 'its end'), Date.UTC(2031, 0, 1), text);
    t.is(read(text), '2030-12-31T00:00:00', text);
  }
  t.is(readLastMoment('2030-12-31+02:00', utc), Date.UTC(2030, 11, 31, 22));
  const berlin = timeZone('Europe/Berlin');
  t.is(readLastMoment('2030-12-31', berlin), Date.UTC(2030, 11, 31, 23));
  t.is(readLastMoment('2031-03-30', berlin), Date.UTC(2031, 2, 30, 22));
  const lastSecond = Date.UTC(2030, 11, 31, 23, 59, 59);
  for (const text of ['2030-12-31 23:59:59', 'Dec 31, 2030 11:59:59 PM', String(lastSecond / 1000)]) {
    t.is(readLastMoment(text, utc), Date.UTC(2031, 0, 1), text);
  }
});

test("an empty text, and MySQL's zero date, give no date", (t) => {
  for (const text of [undefined, null, '', '  ', '0000-00-00 00:00:00', 'NULL']) t.is(read(text), undefined);
});

test('an invalid or ambiguous date is refused', (t) => {
  for (const text of ['03/08/2023', '2023-02-30', '2023-13-01', 'yesterday', '2023-08-03 25:00:00', '12', {}, true]) {
    t.throws(() => read(text), {code: 'unreadable_date'}, JSON.stringify(text));
  }
  for (const text of [
    'Feb 30, 2024',
    '31 Apr 2024',
    'Feb 29, 2023',
    'Foo 12, 2024',
    'Jan 5, 2024 25:00',
    'Jan 5 2024 24:00',
  ]) {
    t.throws(() => read(text), {code: 'unreadable_date'}, text);
  }
});

test('a date that its zone brings out of the moments that a record can have is refused', (t) => {
  const last = '9999-12-31 23:59:59';
  t.is(readLastMoment(last, utc), Date.UTC(10_000, 0));
  t.is(read('0000-01-01 00:00:00'), '0000-01-01T00:00:00');
  t.throws(() => readLastMoment(last, timeZone('-05:00')), {message: /expiry date cannot be read/});
  t.throws(() => read('0000-01-01 00:00:00', timeZone('+02:00')), {message: /date cannot be read/});
});
