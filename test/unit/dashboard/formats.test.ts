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
