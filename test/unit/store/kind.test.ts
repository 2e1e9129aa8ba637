import test from 'ava';
import fc from 'fast-check';
import {kindOf, kinds} from '../../../src/tools/kinds.ts';
import {storeKey, taggedKey} from '../../../src/store/kind.ts';

const kind = fc.constantFrom('list', 'account', 'reuse' as const);
const parts = fc.array(
  fc.oneof(
    fc.string({maxLength: 300}),
    fc.string({unit: 'binary', maxLength: 20}),
    fc.constantFrom('', ':', 'a:b', 'a', 'b', '%', '%61', ' ', 'A', '\ud800', '\ud801', '\0'),
  ),
  {minLength: 1, maxLength: 4},
);

test('plain parts are unchanged in the key', (t) => {
  t.is(storeKey('list', 'example.com', 'aBc-_9'), 'list:example.com:aBc-_9');
  t.is(storeKey('account', 'user@example.com'), 'account:user@example.com');
});

test('a digest replaces a part that is long, or that has a colon, a percent sign, a brace or anything but printable ASCII', (t) => {
  for (const part of ['a:b', '%', 'é', 'a b', '', '\n', '{}{a}', '{a}', 'x'.repeat(200)]) {
    t.regex(storeKey('account', part), /^account:%[\w-]{43}$/);
  }
});

test('every key is printable ASCII of at most 160 characters', (t) => {
  fc.assert(
    fc.property(kind, parts, (name, list) => {
      t.regex(storeKey(name, ...list), /^[!-~]{1,160}$/);
    }),
  );
});

test('different parts make different keys', (t) => {
  fc.assert(
    fc.property(kind, parts, kind, parts, (name, list, otherName, otherList) => {
      const same = JSON.stringify([name, list]) === JSON.stringify([otherName, otherList]);
      t.is(storeKey(name, ...list) === storeKey(otherName, ...otherList), same);
    }),
    {numRuns: 1000},
  );
});

test('a tagged key has its first parts as a hash tag, so all keys with them are on one node', (t) => {
  t.is(taggedKey('l', ['example.com', 'spring'], []), 'l:{example.com:spring}');
  t.is(taggedKey('v', ['example.com', 'spring'], ['a-_9']), 'v:{example.com:spring}:a-_9');
  const long = ['example.com:8080', 'x'.repeat(64)];
  const tag = /\{.+\}/.exec(taggedKey('l', long, []))?.[0] ?? '';
  t.regex(taggedKey('l', long, []), /^l:\{%[\w-]{43}\}$/);
  t.is(taggedKey('v', long, ['c']), `v:${tag}:c`);
});

test('a key belongs to the kind whose name it begins with', (t) => {
  for (const {name, keys} of kinds) {
    for (const key of keys) t.is(kindOf(key)?.name, name);
  }
  for (const key of ['', 'l', 'links:1', 'constructor:1', 'toString'])
    t.is(kindOf(key)?.name, key === 'l' ? 'l' : undefined);
});
