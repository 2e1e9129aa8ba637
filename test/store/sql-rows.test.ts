import test from 'ava';
import fc from 'fast-check';
import {caselessKey, fittingKey} from '../../src/store/sql-rows.ts';

test('a key in small letters stands in the table as it is', (t) => {
  t.is(caselessKey('shorturl:link:example.com:abc-_9%'), 'shorturl:link:example.com:abc-_9%');
  t.is(caselessKey('aBc^ é🙂'), 'a^bc^^^{20}^{e9}^{1f642}');
});

test('different keys are written differently, without capitals, spaces and anything but ASCII', (t) => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'B', '^', '{', '}', '4', '1', 'é', 'É', ' ', '\0', '\ud800', '🙂'),
  });
  fc.assert(
    fc.property(key, key, (one, other) => {
      t.regex(caselessKey(one), /^[!-@[-~]*$/);
      t.is(caselessKey(one) === caselessKey(other), one === other);
    }),
    {numRuns: 2000},
  );
});

test('a key that is too long ends in a digest of the whole, and others stay as they are', (t) => {
  t.is(fittingKey('k'.repeat(80), 80), 'k'.repeat(80));
  const long = fittingKey(`${'k'.repeat(80)}a`, 80);
  t.regex(long, /^k{15}%[0-9a-f]{64}$/);
  t.not(fittingKey(`${'k'.repeat(80)}b`, 80), long);
});
