import test from 'ava';
import fc from 'fast-check';
import {ShortUrlError} from '../../../../src/errors.ts';
import {decodeBase64} from '../../../../src/http/api/base64.ts';
import {readBearer} from '../../../../src/http/api/bearer.ts';
import {parseCall} from '../../../../src/http/call.ts';
import {creationParameters} from '../../../../src/http/api/known-parameters.ts';
import type {Parameter} from '../../../../src/http/api/operation.ts';
import {readParameters} from '../../../../src/http/api/parameters.ts';
import {isLinear} from '../../../support/linear.ts';

const options = ['custom_url', 'password', 'expiry_date', 'base_domain'];
const create = {
  parameters: Object.fromEntries(['url', ...options].map((name) => [name, parameter(name)])),
};

function parameter(name: string): Parameter {
  const known = creationParameters[name];
  if (known === undefined) throw new Error(`There is no parameter ${name}`);
  return known;
}

const encodings: ReadonlyArray<(text: string) => string> = [
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
];

/** Any text that UTF-8 can hold, often a URL. */
const text = fc.oneof(
  fc.string({unit: 'binary', minLength: 1}),
  fc.webUrl({withFragments: true, withQueryParameters: true}),
  fc.webUrl().map((url) => `${url}?q=ÿ???~~~>>>`),
);

test('base64 that is truncated, of two alphabets, wrongly padded or not UTF-8 is refused', (t) => {
  for (const value of [
    '',
    '=',
    'a',
    'ab=',
    'abc==',
    'YQ=',
    'aGk==',
    'aHR0cHM6Ly9',
    'a+b_',
    'aGk=x',
    'a b=',
    '/w==',
    'wIA=',
    '7aCA',
    'aGl=',
  ]) {
    t.is(decodeBase64(value), undefined, value);
  }
});

test('a value of equals signs is refused in linear time, so that no call blocks the event loop', async (t) => {
  t.true(await isLinear(10_000, (length) => decodeBase64(`${'='.repeat(length)}A`)));
});

test('url and the other parameters decode in any order, also with literal slashes in base64', (t) => {
  const pairs = fc
    .shuffledSubarray(options)
    .chain((names) =>
      fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), fc.string({unit: 'grapheme', minLength: 1})))),
    );
  fc.assert(
    fc.property(text, fc.constantFrom(...encodings), pairs, pairs, (url, encode, before, after) => {
      const later = after.filter(([name]) => !before.some(([other]) => other === name));
      const segments = [...before, ['url', undefined] as const, ...later]
        .flatMap(([name, value]) => [name, value === undefined ? encode(url) : encodeURIComponent(value)])
        .join('/')
        .split('/');
      const read = readParameters(segments, create);
      const expected = new Map([...before, ['url', url] as const, ...later]);
      return JSON.stringify([...read]) === JSON.stringify([...expected]);
    }),
    {numRuns: 500},
  );
  t.pass();
});

test('every path is either read or refused with a code', (t) => {
  const segment = fc.oneof(
    fc.constantFrom('url', 'password', 'custom_url', '__proto__', 'constructor', '', '%', '%2F', '%FF', 'aGk', 'a/b'),
    fc.string({unit: 'binary'}),
  );
  fc.assert(
    fc.property(fc.array(segment, {maxLength: 12}), (segments) => {
      try {
        readParameters(segments, create);
        return true;
      } catch (error) {
        return error instanceof ShortUrlError && error.status === 400;
      }
    }),
    {numRuns: 1000},
  );
  t.pass();
});

test('a path of thousands of slashes is read in linear time', async (t) => {
  const read = (count: number) => {
    const segments = ['url', ...Array.from({length: count}, () => '_+')];
    t.throws(() => readParameters(segments, create), {instanceOf: ShortUrlError});
  };
  t.true(await isLinear(1000, read));
});

test('an error names an unknown parameter and the nearest known one, and never repeats a value', (t) => {
  const none = {parameters: {}};
  for (const [path, names, message] of [
    [
      'password/s3cret/colour',
      create,
      /^There is no parameter `colour`\. Parameters of the operation: url, custom_url, password, expiry_date, base_domain\.$/,
    ],
    ['x', none, /^There is no parameter `x`\. .*: none\.$/],
    ['password/x/', create, /^Segment 3 after the operation is empty/],
    ['url/aGk/expiry_dat/x', create, /`expiry_dat`\. Did you mean `expiry_date`\?/],
    [`url/aGk/${'a'.repeat(500)}/x`, create, /`a{32}`/],
    ['password/x/password/s3cret', create, /`password` was given twice/],
  ] as const) {
    const error = t.throws(() => readParameters(path.split('/'), names), {message}, path);
    t.false(error.message.includes('s3cret'));
  }
});

test('the first error from the left is reported', (t) => {
  const url = Buffer.from('https://example.org/').toString('base64url');
  for (const [path, code] of [
    [`url/${url}/bogus/x`, 'unknown_parameter'],
    [`bogus/x/url/!`, 'unknown_parameter'],
    [`url/${url}/url/${url}`, 'duplicate_parameter'],
    [`url/aHR0cHM6Ly9leGFtcGxlLm9yZy8/cT0+Pj4/Pz9+fn4=/url/${url}`, 'duplicate_parameter'],
    [`url/${url}/password/`, 'malformed_parameter'],
    [`url/${url}/password`, 'malformed_parameter'],
    ['url//password/x', 'malformed_parameter'],
    ['url/%ZZ', 'malformed_parameter'],
    ['password/%E0%A4%A/bogus/x', 'malformed_parameter'],
    ['url', 'malformed_parameter'],
    ['url/!!!', 'malformed_base64'],
    ['url/!!!/bogus/x', 'malformed_base64'],
    [`url/${url}/%ZZ/x`, 'unknown_parameter'],
    [`password/x/url/${url}/password/y`, 'duplicate_parameter'],
    ['password/x', 'missing_parameter'],
    ['__proto__/x', 'unknown_parameter'],
    ['/x', 'malformed_parameter'],
  ] as const) {
    const error = t.throws(() => readParameters(path.split('/'), create), {instanceOf: ShortUrlError}, path);
    t.is(error.code, code, path);
  }
});

test('only paths of exactly the specified form are API calls', (t) => {
  for (const path of [
    '/api/v1',
    '/api/v1/',
    '/api/v1/key',
    '/api/v1/key/shorturl/',
    '/api/v1/key/shorturls/info',
    '/api/v1/key/Shorturl/info',
    '/x/api/v1/key/shorturl/info',
    '/api/v1/key//shorturl/info',
    '/api/v1/shorturl',
    '/api/v1/shorturl//info',
  ]) {
    t.is(parseCall(path, '/api/v1/'), undefined, path);
  }
  t.like(parseCall('/s/api/v1/key/shorturl/info', '/s/api/v1/'), {apiKey: 'key', operation: 'info', format: 'json'});
});

test('an Authorization header holds a key only as Bearer and one token', (t) => {
  for (const [header, key] of [
    ['Bearer abc', 'abc'],
    ['bearer  a-b_c.d~e+f/g==', 'a-b_c.d~e+f/g=='],
    ['Bearer ', undefined],
    ['Bearer\tabc', undefined],
    ['Bearer a=b', undefined],
    ['XBearer abc', undefined],
  ] as const) {
    t.is(readBearer(header), key, header);
  }
});
