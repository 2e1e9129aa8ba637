import test from 'ava';
import fc from 'fast-check';
import {redactUrl} from '../../../src/index.ts';
import {isLinear} from '../../support/linear.ts';

const key = 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9';

test('the key and the password of a call are removed, and the rest stays', (t) => {
  t.is(
    redactUrl(`https://example.com/api/v1/${key}/shorturl/create/custom_url/x/password/s3cret/url/aHR0cHM6.json?y=1`),
    'https://example.com/api/v1/[redacted]/shorturl/create/custom_url/x/password/[redacted]/url/aHR0cHM6.json?y=1',
  );
});

test('the key and the password are removed from a mistyped call, and wherever else they are in a URL', (t) => {
  for (const path of [
    `/api/v1/${key}`,
    `/s/api/v1/${key}/shorturls/info`,
    `/api/v2/${key}/shorturl/info`,
    `/${key}/shorturl/info`,
    `/api/v1/${key.slice(0, 16)}/${key.slice(16)}/shorturl/info`,
    `/api/v1/${key}/create/password/hunter2/url/x`,
    `/api/v1/${key}/shorturls/create/password/hunter2/url/x`,
    `/api/v1/${key}/shorturl/create/pasword/hunter2/url/x`,
    `/api/v1/${key}/shorturl/create/key/${key}/url/x`,
    `/api/v1/${key}/shorturl/create/password/what?hunter2/url/x`,
    `/api/v1/${key}/shorturl/create/password/what#hunter2&x/url/x`,
    `/api/v1/${key}/shorturl/create/url/x/hunter2/password`,
    '/api/v1/k/shorturl/create/password/hunter2',
    '/api/v1/k/shorturl/create/password=hunter2',
    '/api/v1/k/shorturl/create/password/x%2Fhunter2/url/x',
    '/api/v1/k/shorturl/create/password/my/hunter2/url/x',
    '/api/v1/k/shorturl/create/url/x/custom_url/password/password/hunter2.xml',
    `/api/v1/shorturl/create/url/x?key=${key}`,
    `/about?api_key=${key}#top`,
    '/about?x=1&PassWord=hunter2/hunter2',
    '/about?x=1&pass%77ord=hunter2',
    '/about?x=1&password%3Dhunter2',
    'https://user:p@hunter2@example.com/abc',
    `https:\\\\user:hunter2@example.com/abc`,
  ]) {
    const redacted = redactUrl(path);
    t.false(redacted.includes('hunter2') || redacted.includes(key.slice(16)), `${path} became ${redacted}`);
    t.regex(redacted, /\[redacted\]/, path);
  }
});

test('a text of the form of a key is removed anywhere, and the text around it stays', (t) => {
  const escaped = `%${key.charCodeAt(0).toString(16)}${key.slice(1)}`;
  for (const [url, expected] of [
    [`/${key}`, '/[redacted]'],
    [`/api/v1/shorturl/${key}/info/short_url/x`, '/api/v1/shorturl/[redacted]/short_url/x'],
    [`/${key}/api/v1/shorturl/info/short_url/x`, '/[redacted]/api/v1/shorturl/info/short_url/x'],
    [`/api/${key}/v1/shorturl/info`, '/api/[redacted]/v1/shorturl/info'],
    [`/api/v1.0/${key}/users`, '/api/v1.0/[redacted]/users'],
    [`/api/v1/users/${key}`, '/api/v1/users/[redacted]'],
    [`/short/${key}.json`, '/short/[redacted].json'],
    [`/about?token=${key}&y=1#z`, '/about?token=[redacted]&y=1#z'],
    [`/about?x=1&q=Bearer+${key}`, '/about?x=1&q=Bearer+[redacted]'],
    [`/about?q=Bearer%20${key}`, '/about?[redacted]'],
    [`/about#${key}`, '/about#[redacted]'],
    [`/a/${escaped}/b`, '/a/[redacted]/b'],
    [`/a/${encodeURIComponent(escaped)}/b`, '/a/[redacted]/b'],
    [`/a/${key}/${key}/b`, '/a/[redacted]/b'],
  ] as const) {
    t.is(redactUrl(url), expected);
  }
});

test('the other segments of a call stay readable', (t) => {
  const call = `/api/v1/${key}/shorturl`;
  const hidden = '/api/v1/[redacted]/shorturl';
  for (const rest of [
    '/list_active_urls.json?x=1',
    '/list_active_urls/limit/10/cursor/YWZ0ZXIgMTA.xml',
    '/info/short_url/aHR0cHM6Ly9hLmI=.json#top',
    '/creat/url/aGk',
    '/monkey/url/x',
    '/create/custom_url/x/expiry_date/2030-01-01/base_domain/sho.rt',
    '/create/title/Spring%20mail/tags/a,b/max_visits/5/url/aGk.json',
    '/update/short_url/aGk/clear/password,title/tags/a',
    '/update/short_url/aGk/clear/password',
    '/list_urls/status/active/tag/mail/search/a%2Eb/order/oldest/limit/5/cursor/YmVmb3JlIDE',
    '/create/password',
  ]) {
    t.is(redactUrl(call + rest), hidden + rest);
  }
  for (const [rest, expected] of [
    ['/create/password/a/b/url/aGk=.json?y=1', '/create/password/[redacted]/url/aGk=.json?y=1'],
    ['/update/short_url/aGk/password/s3cret/title/x.xml', '/update/short_url/aGk/password/[redacted]/title/x.xml'],
    ['/create/./../password/../x/url/y', '/create/./../password/../[redacted]/url/y'],
  ] as const) {
    t.is(redactUrl(call + rest), hidden + expected);
  }
});

test('only the login, and a password or key in the query, are removed from other URLs', (t) => {
  for (const [url, expected] of [
    ['https://u:p@example.com/a', 'https://[redacted]@example.com/a'],
    ['//u:p@example.com/a', '//[redacted]@example.com/a'],
    ['https://u%40x:p%40h@example.com/', 'https://[redacted]@example.com/'],
    ['https://u:p%2540example.com/', 'https://[redacted]@example.com/'],
    [`/about?apikey=${key}&x`, '/about?apikey=[redacted]&x'],
    [`/about?api_key=${key}#x`, '/about?api_key=[redacted]#x'],
    ['/about?x=1&password=a/b?c&y=2', '/about?x=1&password=[redacted]&y=2'],
  ] as const) {
    t.is(redactUrl(url), expected);
  }
});

test("the host's own URLs are not changed", (t) => {
  for (const path of [
    '/',
    '/about?x=1#y',
    '/api/v1/users/42',
    '/password/reset/now',
    '/docs/shorturl/intro/set-up',
    '/search?key=word&q=a/b?c#d',
    '/about?mypassword=a',
    '/@handle',
    '/user@example.com',
    '/a//?me@example.com',
    `/api/xv1/${key}x`,
    `/api/v1x/${key}x`,
    `/apis/v1/${key.slice(1)}`,
    `/myapi/v1/${key.slice(1)}`,
    '/blog/how-to-make-a-good-cup-of-green-tea',
    '/orders/8c5f6d2e-8a53-4a1c-9f0b-2f9d1f4c7b1e?from=7f9d1f4c-8a53-4a1c-9f0b-2f9d1f4c7b1e',
    '/go/aHR0cHM6Ly9leGFtcGxlLm9yZy9hL2xvbmcvb25l',
  ]) {
    t.is(redactUrl(path), path);
  }
});

test('a path of thousands of slashes is read in linear time', async (t) => {
  for (const part of ['/', '/api/', '/api/v1/a/', '%2F', '//@', '%25', '/password/']) {
    t.true(await isLinear(2048, (length) => redactUrl(part.repeat(length / part.length))), part);
    t.true(await isLinear(2048, (length) => redactUrl(`/api/v1/a/shorturl${part.repeat(length / part.length)}`)), part);
  }
});

/** The word in other cases, or with some characters percent-encoded. */
const spelt = (word: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom('as it is', 'as it is', 'upper', 'escaped', 'escaped twice'), {minLength: 1}).map((ways) =>
    Array.from(word, (character, index) => {
      const escaped = `%${character.charCodeAt(0).toString(16)}`;
      const way = ways[index % ways.length];
      if (way === 'upper') return character.toUpperCase();
      if (way === 'escaped') return escaped;
      return way === 'escaped twice' ? encodeURIComponent(escaped) : character;
    }).join(''),
  );

/** A key is case-sensitive, so only escapes vary. */
const speltKey = fc
  .nat({max: 31})
  .map((at) => `${key.slice(0, at)}%${key.charCodeAt(at).toString(16)}${key.slice(at + 1)}`);
const slash = fc.oneof(
  {weight: 6, arbitrary: fc.constant('/')},
  {weight: 1, arbitrary: fc.constantFrom('//', '/./', '%2F', '%252f', '\\', '%5C', '///', '/%2e/')},
);
/** Passwords that contain two words, which are easy to find again. */
const passwords = fc
  .tuple(
    fc.constantFrom('', ' ', '/', '?', '#', '&', '=', '%', '+', ';', '@', '.', '\\', '"', 'é', '//', '/?&', '.json'),
    fc.constantFrom<(text: string) => string>(
      (text) => text,
      encodeURIComponent,
      (text) => encodeURIComponent(encodeURIComponent(text)),
    ),
  )
  .map(([between, escape]) => escape(`Kingfisher${between}Marzipan`));
const others = fc.shuffledSubarray([
  'custom_url/x',
  'expiry_date/2030-01-01',
  'base_domain/sho.rt',
  'url/aHR0cHM6Ly9hLmI',
]);

const callsAsLogged = fc
  .record({
    origin: fc.constantFrom(
      '',
      'https://example.com',
      'HTTP://EXAMPLE.COM:80',
      '//example.com',
      'https://u:Marzipan@a.example',
    ),
    base: fc.constantFrom('', '/s', '/x/y'),
    words: fc.tuple(
      spelt('api'),
      spelt('v1'),
      fc.oneof(fc.constant(key), speltKey),
      spelt('shorturl'),
      spelt('create'),
    ),
    before: others,
    name: spelt('password'),
    password: passwords,
    after: others,
    slashes: fc.array(slash, {minLength: 20, maxLength: 20}),
    end: fc.constantFrom('', '.json', '.XML', '/', '?x=1', '#top', '?password=Marzipan', `?key=${key}`),
    around: fc.constantFrom<(call: string) => string>(
      (call) => call,
      (call) => call.replace(/^[/.\\]+/, ''),
      (call) => `/about?next=${call}`,
      (call) => `/about?next=${encodeURIComponent(call)}&x=1`,
      (call) => `/#!${call}`,
    ),
    length: fc.oneof(
      {weight: 2, arbitrary: fc.constant(Infinity)},
      {weight: 1, arbitrary: fc.integer({min: 60, max: 300})},
    ),
  })
  .map(({origin, base, words, before, name, password, after, slashes, end, around, length}) => {
    const segments = [...words, ...before.flatMap((pair) => pair.split('/')), name, password];
    segments.push(...after.flatMap((pair) => pair.split('/')));
    const path = segments.map((segment, index) => (slashes[index % slashes.length] ?? '/') + segment).join('');
    return around(origin + base + path + end).slice(0, length);
  });

/** The text, and the text with up to five levels of percent-encoding removed. */
function readings(text: string): string {
  let reading = text;
  let all = text;
  for (let turn = 0; turn < 5; turn++) {
    reading = reading.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    all += ` ${reading}`;
  }
  return all;
}

test('the key and the password are removed from a call, however it is escaped, embedded and truncated', (t) => {
  fc.assert(
    fc.property(callsAsLogged, (url) => {
      const left = readings(redactUrl(url));
      const parts = Array.from({length: 13}, (_, start) => key.slice(start, start + 20));
      return !/Kingf|Marzi/i.test(left) && !parts.some((part) => left.includes(part));
    }),
    {numRuns: 3000},
  );
  t.pass();
});

test('the key and the password are removed, whatever segments surround them', (t) => {
  const segment = fc.stringMatching(/^[\w%=~.-]{0,12}$/);
  const password = fc.stringMatching(/^[A-Z]{4}\d{4}[\w~.%!-]{0,8}$/);
  fc.assert(
    fc.property(
      fc.array(segment, {maxLength: 3}),
      password,
      fc.array(segment, {maxLength: 3}),
      (before, secret, after) => {
        const path = ['/api/v1', key, 'shorturl/create', ...before, 'password', secret, ...after].join('/');
        const redacted = redactUrl(path);
        return !redacted.includes(key) && !redacted.includes(secret);
      },
    ),
  );
  t.pass();
});
