import '../../../support/quick-scrypt.ts';
import test from 'ava';
import {errorOf, open, textOf} from '../../../support/dashboard.ts';

const url = 'https://example.org/';

test('a form from another site changes nothing, even with the right token', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url});
  const apiKey = await shortener.accounts.apiKey('ann');
  const foreign: Array<Record<string, string>> = [
    {'Sec-Fetch-Site': 'cross-site'},
    {'Sec-Fetch-Site': 'same-site'},
    {'Sec-Fetch-Site': 'cross-site', Origin: origin},
    {'Sec-Fetch-Site': '', Origin: 'https://elsewhere.example'},
    {'Sec-Fetch-Site': '', Origin: 'null'},
    {'Sec-Fetch-Site': '', Origin: `${origin}.elsewhere.example`},
    {'Sec-Fetch-Site': '', Origin: `https://elsewhere.example@${new URL(origin).host}`},
  ];
  for (const headers of foreign) {
    for (const action of ['create', 'disable', 'update', 'remove', 'key', 'block']) {
      const {status, text} = await ann.post(action, {short_url: shortUrl, url}, headers);
      t.is(status, 403, `${action} ${JSON.stringify(headers)}`);
      t.true(text.includes('This form came from another site'));
      t.false(text.includes(apiKey ?? ''));
    }
  }
  t.is((await shortener.accounts.stats('ann')).links, 1);
  t.is((await shortener.links.info('ann', shortUrl)).status, 'active');
  t.is(await shortener.accounts.apiKey('ann'), apiKey);
});

test('a form from this site is accepted, also from older browsers and through a proxy', async (t) => {
  const {visitor, shortener, origin} = await open(t, {shortUrl: {baseUrl: 'https://example.com'}});
  for (const headers of [
    {'Sec-Fetch-Site': 'same-origin'},
    {'Sec-Fetch-Site': 'none'},
    {'Sec-Fetch-Site': ''},
    {'Sec-Fetch-Site': '', Origin: origin},
    {'Sec-Fetch-Site': '', Origin: origin.replace('http:', 'https:')},
    {'Sec-Fetch-Site': '', Origin: 'https://example.com'},
  ]) {
    t.is((await visitor('ann').post('create', {url}, headers)).status, 303, JSON.stringify(headers));
  }
  t.is((await shortener.accounts.stats('ann')).links, 6);
});

test('a form without the token of the account changes nothing, and keeps the values that were typed', async (t) => {
  const {visitor, shortener} = await open(t);
  const ann = visitor('ann');
  const {shortUrl} = await shortener.links.create('ann', {url});
  const apiKey = await shortener.accounts.apiKey('ann');
  for (const token of ['', 'x', await visitor('bob').token(), `${await ann.token()}x`]) {
    for (const action of ['create', 'disable', 'update', 'remove', 'key']) {
      const fields = {_token: token, short_url: shortUrl, url: 'https://example.org/typed', from: 'link'};
      const {status, text} = await ann.post(action, fields);
      t.is(status, 403, `${action} ${token}`);
      t.true(textOf(text).includes('This page was out of date, so nothing was changed.'), action);
      if (action === 'create' || action === 'update') t.true(text.includes('value="https://example.org/typed"'));
    }
  }
  const operator = visitor('operator');
  for (const action of ['block', 'unblock']) {
    t.is((await operator.post(action, {_token: 'x', short_url: shortUrl})).status, 403);
  }
  t.like(await shortener.links.info('ann', shortUrl), {status: 'active', originalUrl: url});
  t.is(await shortener.accounts.apiKey('ann'), apiKey);
});

test('all processes have the same token, and a new API key changes it', async (t) => {
  const {visitor} = await open(t);
  const ann = visitor('ann');
  const token = await ann.token();
  t.true(token.length >= 43);
  t.is(await ann.token(), token);
  t.not(await visitor('bob').token(), token);
  const after = await ann.submit('key');
  t.true(after.text.includes('You have a new API key.'));
  t.not(await ann.token(), token);
  t.is((await ann.post('create', {url, _token: token})).status, 403);
});

test('a visitor who is not logged in is sent to the login page, with the page to return to', async (t) => {
  const {visitor, origin} = await open(t);
  const nobody = visitor();
  for (const page of [
    '',
    '?search=x%26y',
    'link?short_url=https%3A%2F%2Fexample.com%2Fa',
    'api',
    'qr.png',
    'operator',
  ]) {
    const {status, location, headers} = await nobody.get(page);
    t.is(status, 303, page);
    t.is(headers.get('cache-control'), 'no-store');
    t.is(location, `${origin}/login?next=${encodeURIComponent(`/links/${page}`)}`);
  }
  const style = /href="\.\/(style-[^"]+)"/.exec((await visitor('ann').get()).text)?.[1] ?? '';
  t.is((await nobody.get(style)).status, 200);
});

test('the values that were typed survive an expired session, except for the password, which is asked for again', async (t) => {
  const {visitor, origin} = await open(t, {dashboard: {login: '/login?from=links'}});
  const typed = {
    url: 'https://example.org/?a=1&b=2',
    custom_url: 'spring',
    title: 'Spring & "more"',
    tags: 'a, b',
    password: 'open sesame',
    expiry_date: '2031-12-31',
    max_visits: '5',
  };
  const {status, location} = await visitor().post('create', typed);
  t.is(status, 303);
  t.false(decodeURIComponent(decodeURIComponent(location)).includes('sesame'));
  const login = new URL(location);
  t.is(login.origin + login.pathname, `${origin}/login`);
  t.is(login.searchParams.get('from'), 'links');
  const {text} = await visitor('ann').get(`${origin}${login.searchParams.get('next') ?? ''}`);
  for (const [name, value] of Object.entries(typed)) {
    const shown = `value="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
    t.is(text.includes(shown), name !== 'password', name);
  }
  t.regex(text, /<details class="links-options"[^>]* open/);
  t.is(errorOf(text, 'password'), 'Enter the password again. It was not kept while you logged in.');
  const withoutPassword = await visitor().post('create', {...typed, password: ''});
  const next = new URL(withoutPassword.location).searchParams.get('next') ?? '';
  t.is(errorOf((await visitor('ann').get(`${origin}${next}`)).text, 'password'), undefined);

  const long = await visitor().post('create', {...typed, url: `https://example.org/${'x'.repeat(8000)}`});
  t.is(long.location, `${origin}/login?from=links&next=${encodeURIComponent('/links/')}`);
});
