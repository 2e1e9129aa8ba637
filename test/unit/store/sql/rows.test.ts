import test from 'ava';
import fc from 'fast-check';
import {
  casedKey,
  caselessKey,
  checkedKeySize,
  fittingKey,
  keyPart,
  keysAtOnce,
} from '../../../../src/store/sql/rows.ts';

test('a key in lower case stands unchanged in the table', (t) => {
  t.is(caselessKey('shorturl:link:example.com:abc-_9%'), 'shorturl:link:example.com:abc-_9%');
  t.is(caselessKey('aBc^ é🙂'), 'a^bc^^^{20}^{e9}^{1f642}');
});

test('different keys have different forms, in lower-case ASCII without spaces', (t) => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'B', '^', '{', '}', '4', '1', 'é', 'É', ' ', '\0', '\ud800', '🙂'),
  });
  fc.assert(
    fc.property(key, key, (one, other) => {
      t.regex(caselessKey(one), /^[!-@[-~]*$/);
      t.is(caselessKey(one) === caselessKey(other), one === other);
      t.is(casedKey(caselessKey(one)), one);
    }),
    {numRuns: 2000},
  );
});

test('a key that is too long ends in a digest of the whole key, and others stay unchanged', (t) => {
  t.is(fittingKey('k'.repeat(80), 80), 'k'.repeat(80));
  const long = fittingKey(`${'k'.repeat(80)}a`, 80);
  t.regex(long, /^k{15}%[0-9a-f]{64}$/);
  t.not(fittingKey(`${'k'.repeat(80)}b`, 80), long);
});

test('a part of a listing has only the keys with the prefix, and continues after the last key read', (t) => {
  const keys = Array.from({length: keysAtOnce}, (_, index) => `${index % 2 ? 'a' : 'b'}:${index}`);
  const {keys: ours, next} = keyPart(keys, {prefix: 'a:', size: 255});
  t.is(ours.length, keysAtOnce / 2);
  t.is(next, keys.at(-1));
  t.is(keyPart(keys.slice(1), {prefix: 'a:', size: 255}).next, undefined);
});

test('a listing fails at a truncated key with its prefix, and ignores truncated keys of others', (t) => {
  const cut = fittingKey('a:'.padEnd(300, 'k'), 190);
  t.throws(() => keyPart([cut], {prefix: 'a:', size: 190}), {instanceOf: TypeError, message: /190 characters/});
  t.deepEqual(keyPart([cut], {prefix: 'b:', size: 190}).keys, []);
});

test('a listing fails at a key that was truncated within its prefix', (t) => {
  const prefix = 'a-long-namespace:';
  const cut = fittingKey(prefix.padEnd(200, 'k'), 80);
  t.false(cut.startsWith(prefix));
  t.throws(() => keyPart([cut], {prefix, size: 80}), {instanceOf: TypeError, message: /80 characters/});
});

test('a key column that is too small for a truncated key is refused', (t) => {
  t.is(checkedKeySize(undefined), 255);
  t.is(checkedKeySize(80), 80);
  for (const size of [64, 79, NaN]) t.throws(() => checkedKeySize(size), {instanceOf: TypeError, message: /`keySize`/});
});
