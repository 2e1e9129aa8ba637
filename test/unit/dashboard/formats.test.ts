import test from 'ava';
import {Formats} from '../../../src/dashboard/formats.ts';

test('a link whose visits have no known time is not shown as never visited', (t) => {
  const formats = new Formats('en', 'UTC');
  t.is(formats.lastVisit({totalVisits: 0, lastAccessed: null}, 'never'), 'never');
  t.is(formats.lastVisit({totalVisits: 7, lastAccessed: null}, 'never'), '–');
  t.is(
    formats.lastVisit({totalVisits: 7, lastAccessed: '2031-05-06 12:00:00'}, 'never').replace('\u202F', ' '),
    'May 6, 2031, 12:00 PM',
  );
});

test('an amount is shown with the digits of ISO 4217, whatever Intl says', (t) => {
  const formats = new Formats('en', 'UTC');
  const shown = Object.entries({
    EUR: 124_440,
    HUF: 123_456,
    IQD: 123_456,
    JPY: 1200,
    KWD: 1,
    COP: 100,
    UYW: 5,
    ISK: 700,
  });
  t.deepEqual(
    shown.map(([currency, value]) => formats.money(value, currency).replaceAll('\u00A0', ' ')),
    ['€1,244.40', 'HUF 1,234.56', 'IQD 123.456', '¥1,200', 'KWD 0.001', 'COP 1.00', 'UYW 0.0005', 'ISK 700'],
  );
  t.is(new Formats('de', 'UTC').money(-123_456, 'HUF').replaceAll('\u00A0', ' '), '-1.234,56 HUF');
});

test('French says the first of a month as no other day, also in a span and with a time', (t) => {
  const formats = new Formats('fr', 'UTC');
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
  t.is(plain(formats.date('2031-10-01')), '1er oct. 2031');
  t.is(plain(formats.day('2031-10-11')), '11 oct.');
  t.regex(plain(formats.moment('2031-10-01 11:01:00')), /^1er oct\. 2031\D+11:01$/);
  t.regex(formats.range('2031-10-01', '2031-10-31'), /^1er\D+31 oct\. 2031$/);
  t.regex(formats.range('2031-09-21', '2031-10-01'), /^21 sept\.\D+1er oct\. 2031$/);
});
