import test from 'ava';
import fc from 'fast-check';
import {storeKey, taggedKey} from '../../src/records.ts';

const kind = fc.constantFrom('link', 'account', 'key');
const parts = fc.array(
  fc.oneof(
    fc.string({maxLength: 300}),
    fc.string({unit: 'binary', maxLength: 20}),
    fc.constantFrom('', ':', 'a:b', 'a', 'b', '%', '%61', ' ', 'A', '\ud800', '\ud801', '\0'),
  ),
  {minLength: 1, maxLength: 4},
);

test('plain parts are unchanged in the key', (t) => {
  t.is(storeKey('link', 'example.com', 'aBc-_9'), 'link:example.com:aBc-_9');
  t.is(storeKey('account', 'user@example.com'), 'account:user@example.com');
});

test('a digest replaces a part that is long, or that has a colon, a percent sign or anything but printable ASCII', (t) => {
  for (const part of ['a:b', '%', 'é', 'a b', '', '\n', 'x'.repeat(200)]) {
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
  t.is(taggedKey('link', ['example.com', 'spring']), 'link:{example.com:spring}');
  t.is(taggedKey('visits', ['example.com', 'spring'], 'a-_9'), 'visits:{example.com:spring}:a-_9');
  const long = ['example.com:8080', 'x'.repeat(64)];
  const tag = /\{.+\}/.exec(taggedKey('link', long))?.[0] ?? '';
  t.regex(taggedKey('link', long), /^link:\{%[\w-]{43}\}$/);
  t.is(taggedKey('visits', long, 'c'), `visits:${tag}:c`);
});
