import test from 'ava';
import {redactUrl} from '../../../src/index.ts';
import {isLinear} from '../../support/linear.ts';

const key = 'Vt5-hJq2_mZx8WcRk1nBv7TfYp4LsDg9';

test('the key and the password of a call are removed, and the rest stays', (t) => {
  t.is(
    redactUrl(`https://example.com/api/v1/${key}/shorturl/create/custom_url/x/password/s3cret/url/aHR0cHM6.json?y=1`),
    'https://example.com/api/v1/[redacted]/shorturl/create/custom_url/x/password/[redacted]/url/aHR0cHM6.json?y=1',
  );
});

test('the key and the password are removed from a mistyped call', (t) => {
  for (const path of [
    `/api/v1/${key}`,
    `/api/v1/${key}/`,
    `/api//v1//${key}//shorturl`,
    `/API/V1/${key}/ShortUrl/list_active_urls`,
    `/s/api/v1/${key}/shorturls/info`,
    `/api%2Fv1%2F${key}%2Fshorturl`,
    `/api/v1/${key}.json`,
    `/api/v1/./${key}/shorturl/info`,
    `/api/v2/${key}/shorturl/info`,
    `/${key}/shorturl/info`,
    `/api%252Fv1%252F${key}%252Fshorturl`,
  ]) {
    t.false(redactUrl(path).includes(key), path);
    t.regex(redactUrl(path), /\[redacted\]/, path);
  }
  for (const path of [
    '/api/v1/k/shorturl/create/password/hunter2',
    '/api/v1/k/shorturl/create/Password/hunter2.json',
    '/api/v1/k/shorturl/create%2Fpassword%2Fhunter2/url/x',
    '/api/v1/k/shorturl/create//password//hunter2//url/x',
    '/api/v1/k/shorturl/create/password=hunter2',
    '/api/v1/k/shorturl/create/password/x%2Fhunter2/url/x',
    '/abc?password=hunter2&x=1',
    'https://user:hunter2@example.com/abc',
    'https://user:p@hunter2@example.com/abc',
    `/api/v1/${key}/create/password/hunter2/url/x`,
    `/api/v1/${key}/shorturls/create/password/hunter2/url/x`,
    '/api/v1/k/shorturl/create/password/my/hunter2/url/x',
    '/api/v1/k/shorturl/create/url/x/custom_url/password/password/hunter2.xml',
    '/api/v1/k/shorturl/create/%70assword/hunter2/url/x',
  ]) {
    t.false(redactUrl(path).includes('hunter2'), path);
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

test('the key and the password are removed from a call inside a query, a fragment or another password', (t) => {
  for (const path of [
    `/login?next=/api/v1/${key}/shorturl/list_active_urls`,
    `/login?next=${encodeURIComponent(`/api/v1/${key}/shorturl/create/password/hunter2/url/x`)}&x=1`,
    `/#/api/v1/${key}/shorturl/create/password/hunter2`,
    `\\api\\v1\\${key}\\shorturl\\create\\password\\hunter2`,
    `/api/v1/${key.slice(0, 16)}/${key.slice(16)}/shorturl/info`,
    `/api/v1/${key}/shorturl/create/password/what?hunter2/url/x`,
    `/api/v1/${key}/shorturl/create/password/what#hunter2&x/url/x`,
    `/api/v1/${key}/shorturl/create/pasword/hunter2/url/x`,
    `/api/v1/${key}/shorturl/create/url/x/hunter2/password`,
    `/api/v1/${key}/shorturl/create/key/${key}/url/x`,
    `/api/v1/shorturl/create/url/x?key=${key}`,
    `/about?api_key=${key}#top`,
    '/about?x=1&PassWord=hunter2/hunter2',
    '/about?x=1&pass%77ord=hunter2',
    '/about?x=1&password%3Dhunter2',
    `/api/v1/${key}/shorturl/create/%2570assword/hunter2/url/x`,
    `https:\\\\user:hunter2@example.com/abc`,
  ]) {
    const redacted = redactUrl(path);
    t.false(redacted.includes('hunter2'), `${path} became ${redacted}`);
    t.false(redacted.includes(key.slice(16)), `${path} became ${redacted}`);
  }
});

test('the other segments of a call stay readable', (t) => {
  const call = `/api/v1/${key}/shorturl`;
  const hidden = '/api/v1/[redacted]/shorturl';
  for (const [rest, expected] of [
    ['/list_active_urls.json?x=1', '/list_active_urls.json?x=1'],
    ['/list_active_urls/limit/10/cursor/YWZ0ZXIgMTA.xml', '/list_active_urls/limit/10/cursor/YWZ0ZXIgMTA.xml'],
    ['/info/short_url/aHR0cHM6Ly9hLmI=.json#top', '/info/short_url/aHR0cHM6Ly9hLmI=.json#top'],
    ['/create/password/a/b/url/aGk=.json?y=1', '/create/password/[redacted]/url/aGk=.json?y=1'],
    ['/creat/url/aGk', '/creat/url/aGk'],
    ['/monkey/url/x', '/monkey/url/x'],
    [
      '/create/custom_url/x/expiry_date/2030-01-01/base_domain/sho.rt',
      '/create/custom_url/x/expiry_date/2030-01-01/base_domain/sho.rt',
    ],
    [
      '/create/title/Spring%20mail/tags/a,b/max_visits/5/url/aGk.json',
      '/create/title/Spring%20mail/tags/a,b/max_visits/5/url/aGk.json',
    ],
    [
      '/update/short_url/aGk/password/s3cret/title/x/clear/tags,max_visits.xml',
      '/update/short_url/aGk/password/[redacted]/title/x/clear/tags,max_visits.xml',
    ],
    ['/update/short_url/aGk/clear/password,title/tags/a', '/update/short_url/aGk/clear/password,title/tags/a'],
    ['/update/short_url/aGk/clear/password', '/update/short_url/aGk/clear/password'],
    ['/remove/short_url/aGk', '/remove/short_url/aGk'],
    [
      '/list_urls/status/active/tag/mail/search/a%2Eb/order/oldest/limit/5/cursor/YmVmb3JlIDE',
      '/list_urls/status/active/tag/mail/search/a%2Eb/order/oldest/limit/5/cursor/YmVmb3JlIDE',
    ],
    ['/create/password', '/create/password'],
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
