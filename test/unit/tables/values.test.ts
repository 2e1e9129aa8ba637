import test from 'ava';
import {decimal, digitsOf} from '../../../src/tables/values.ts';

test('an amount has the digits of ISO 4217, which Intl does not know', (t) => {
  const hundredths = 'HUF IDR COP PKR ALL AFN IRR KPW LAK LBP MGA MMK SOS SYP YER TWD EUR USD MRU';
  for (const currency of hundredths.split(' ')) t.is(decimal(123_456, currency), '1234.56', currency);
  for (const currency of 'JPY KRW ISK UGX XOF XAF XPF CLP UYI'.split(' ')) t.is(decimal(123_456, currency), '123456');
  for (const currency of 'BHD IQD JOD KWD LYD OMR TND'.split(' '))
    t.is(decimal(123_456, currency), '123.456', currency);
  for (const currency of ['CLF', 'UYW']) t.is(decimal(123_456, currency), '12.3456', currency);
  t.is(decimal(123_456, null), '123456');
  t.is(decimal(4, 'EUR'), '0.04');
});

test('few currencies are not counted in hundredths', (t) => {
  const others = Intl.supportedValuesOf('currency').filter((currency) => digitsOf(currency) !== 2);
  // Every version of Node.js knows these.
  t.true(others.length >= 22 && others.length <= 26, others.join(' '));
});
