import test from 'ava';
import {isDayFirstBy, readEnd, readMoment, timeZone} from '../../../src/tables/moments.ts';

const utc = {zone: timeZone()};
const read = (value: unknown, zone = utc.zone, isDayFirst?: boolean): string | undefined => {
  const moment = readMoment(value, 'date', {zone, isDayFirst});
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
    t.is(readEnd(text, 'expiry date', utc), Date.UTC(2031, 0, 1), text);
    t.is(read(text), '2030-12-31T00:00:00', text);
  }
  t.is(readEnd('2030-12-31+02:00', 'expiry date', utc), Date.UTC(2030, 11, 31, 22));
  const berlin = {zone: timeZone('Europe/Berlin')};
  t.is(readEnd('2030-12-31', 'expiry date', berlin), Date.UTC(2030, 11, 31, 23));
  t.is(readEnd('2031-03-30', 'expiry date', berlin), Date.UTC(2031, 2, 30, 22));
  const lastSecond = Date.UTC(2030, 11, 31, 23, 59, 59);
  for (const text of ['2030-12-31 23:59:59', 'Dec 31, 2030 11:59:59 PM', String(lastSecond / 1000)]) {
    t.is(readEnd(text, 'expiry date', utc), Date.UTC(2031, 0, 1), text);
  }
});

test('a date is read as spreadsheets of many countries have it', (t) => {
  for (const text of [
    ...['31.12.2027', '31. 12. 2027', '31.12.27', '2027/12/31', '2027.12.31', '2027-12-31', '20271231'],
    ...['31/12/2027', '12/31/2027', '31-12-2027', '12/31/27', '2027年12月31日', '2027. 12. 31.'],
    ...['31. Dezember 2027', 'Freitag, 31. Dezember 2027', '31. Dez. 2027', '31-Dez-27', '31 décembre 2027'],
    ...['ven. 31 déc. 2027', '31 de diciembre de 2027', 'viernes, 31 de diciembre de 2027', '31 dic 2027'],
    ...['Friday, December 31, 2027', 'December 31st, 2027', '31-Dec-27', '2027-Dec-31', '31 dicembre 2027'],
  ]) {
    t.is(read(text), '2027-12-31T00:00:00', text);
  }
  for (const text of [
    ...[
      '31.12.2027 18:05',
      '31.12.2027, 18:05 Uhr',
      '12/31/2027 6:05 PM',
      '12/31/2027 6:05pm',
      '31/12/2027 6:05 p. m.',
    ],
    ...['2027/12/31 下午6:05', 'December 31, 2027 6:05 PM', 'December 31, 2027 7:05 PM (GMT+1)', '31/12/27 18:05:00'],
    ...['2027-12-31T18:05:00.000Z', '31 décembre 2027 à 18:05', '31.12.27 18:05'],
  ]) {
    t.is(read(text), '2027-12-31T18:05:00', text);
  }
  t.is(read('1. März 2027'), '2027-03-01T00:00:00');
  t.is(read('mar. 2 mars 2027'), '2027-03-02T00:00:00');
  t.is(read('1-Mrz-27'), '2027-03-01T00:00:00');
  t.is(read('1.3.2027'), '2027-03-01T00:00:00');
});

test('a date whose day may be its month is refused, unless the language of the file says which', (t) => {
  for (const text of ['03/04/2027', '3/4/27', '03-04-2027 10:00']) {
    t.throws(() => read(text), {code: 'ambiguous_date'}, text);
    t.is(read(text, utc.zone, true)?.slice(0, 10), '2027-04-03', text);
    t.is(read(text, utc.zone, false)?.slice(0, 10), '2027-03-04', text);
  }
  t.is(read('04/04/2027'), '2027-04-04T00:00:00');
  t.is(read('03.04.2027'), '2027-04-03T00:00:00');
  t.deepEqual(['de', 'fr', 'es', 'en-GB', 'en-US', 'en', 'zh-Hans', undefined].map(isDayFirstBy), [
    true,
    true,
    true,
    true,
    false,
    undefined,
    undefined,
    undefined,
  ]);
});

test('what files have for no date gives none, and also means that a link does not end', (t) => {
  for (const text of [
    ...[undefined, null, false, '', '  ', '0000-00-00 00:00:00', 'NULL', '(NULL)', '#NV', '-', 'never', '0'],
    ...['9999-12-31', '31.12.9999', '9999-12-31T23:59:59Z', '0001-01-01 00:00:00', '1/1/0001', '1899-12-30'],
    ...['1900-01-00', '01/01/1900', '30.12.1899 00:00:00'],
  ]) {
    t.is(read(text), undefined, String(text));
    t.is(readEnd(text, 'expiry date', utc), undefined, String(text));
  }
});

test('an invalid date is refused', (t) => {
  for (const text of [
    ...['2023-02-30', '2023-13-01', 'yesterday', '2023-08-03 25:00:00', '12', {}, true, '12/2027', '32.12.2027'],
    ...['31/31/2027', '46752', '2027-12-31 to 2028-01-01', '1.2.3.2027', '10:20'],
  ]) {
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

test('a date of our own export that its zone brings out of the moments that a record can have is refused', (t) => {
  const last = '9999-12-31 23:59:59';
  const exact = {...utc, isExact: true};
  t.is(readEnd(last, 'expiry date', exact), Date.UTC(10_000, 0));
  t.throws(() => readEnd(last, 'expiry date', {...exact, zone: timeZone('-05:00')}), {
    message: /expiry date cannot be read/,
  });
});

test('a text that is long, or has much white space, costs little time', (t) => {
  const start = process.cpuUsage();
  for (const text of [`1${' '.repeat(77)}x`, `1${' ,'.repeat(39)}x`, `1${'T '.repeat(38)}:1`, '1.'.repeat(40)]) {
    for (let count = 0; count < 200; count += 1) t.throws(() => read(text), {code: 'unreadable_date'});
  }
  t.true(process.cpuUsage(start).user < 2_000_000);
});
