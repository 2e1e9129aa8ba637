import test from 'ava';
import '../../support/quick-scrypt.ts';
import {apiKeyOf, Browser, errorOf, tokenOf} from '../../support/examples/browser.ts';
import {createLink, logIn, open, password, register, registerWithLink} from '../../support/examples/stage.ts';

test('a registered user gets an account page with a valid API key', async (t) => {
  const {browser, origin} = await open(t);
  const answer = await register(browser);
  t.is(answer.status, 303);
  t.is(answer.headers.get('location'), '/account');

  const {text} = await browser.open('/account/api');
  const apiKey = apiKeyOf(text);
  t.truthy(apiKey);
  const list = await fetch(`${origin}/api/v1/${apiKey}/shorturl/list_active_urls.json`);
  t.is(list.status, 200);
});

test('the account page and its key require a login', async (t) => {
  const {browser} = await open(t);
  for (const path of ['/account', '/account/', '/account/api', '/account/link?short_url=x%26y']) {
    const answer = await browser.get(path);
    t.is(answer.status, 303);
    const location = answer.headers.get('location') ?? '';
    if (path === '/account') t.is(location, './account/');
    else t.is(location, `/login?next=${encodeURIComponent(path)}`);
    t.is(apiKeyOf((await browser.open(path)).text), undefined);
  }
});

test('login and registration lead back to the requested page, but never to another site', async (t) => {
  const {browser, origin} = await open(t);
  const page = '/account/?url=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%3D2';
  const login = await browser.open(page);
  t.true(login.text.includes('name="next" value="/account/?url=https%3A%2F%2Fexample.com%2F%3Fa%3D1%26b%3D2"'));
  const registered = await browser.submit(`/register?next=${encodeURIComponent(page)}`, '/register', {
    email: 'ada@example.org',
    password,
    next: page,
  });
  t.is(registered.headers.get('location'), page);
  t.true((await browser.open(page)).text.includes('value="https://example.com/?a=1&amp;b=2"'));
  t.is((await browser.get(`/login?next=${encodeURIComponent(page)}`)).headers.get('location'), page);
  for (const next of [
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example',
    'account',
    '/a\nb',
    '',
  ]) {
    const answer = await logIn(new Browser(origin), {next});
    t.is(answer.headers.get('location'), '/account', next);
  }
});

test('deleting an account requires its password, and removes its key, links and sessions', async (t) => {
  const stage = await open(t);
  const {browser, origin, shortener} = stage;
  t.is((await browser.get('/account/delete')).headers.get('location'), '/login?next=%2Faccount%2Fdelete');
  const account = await registerWithLink(stage);
  const other = browser.copy();
  const apiKey = apiKeyOf((await browser.open('/account/api')).text) ?? '';
  const wrong = await browser.submit('/account/delete', '/account/delete', {password: 'not the password'});
  t.is(wrong.status, 401);
  t.is(errorOf(wrong.text, 'password'), 'The password is wrong.');
  t.is((await browser.post('/account/delete', {password})).status, 403);
  t.is(await shortener.accounts.apiKey(account), apiKey);

  const deleted = await browser.submit('/account/delete', '/account/delete', {password});
  t.is(deleted.status, 200);
  t.true(deleted.text.includes('Your account is deleted'));
  t.is(await shortener.accounts.apiKey(account), undefined);
  t.is((await fetch(`${origin}/first`)).status, 410);
  for (const each of [browser, other]) t.is(apiKeyOf((await each.open('/account/api')).text), undefined);
  t.is((await logIn(browser)).status, 401);
  t.is((await register(browser)).status, 303);
});

test('only an operator of the site can find and block any link', async (t) => {
  const stage = await open(t, {operators: ['grace@example.org']});
  const {browser, origin} = stage;
  await registerWithLink(stage);
  t.is((await browser.get('/account/operator')).status, 404);
  const operator = new Browser(origin);
  await register(operator, 'grace@example.org');
  const page = `/account/operator?short_url=${encodeURIComponent(`${origin}/first`)}`;
  t.is((await operator.submit(page, '/account/block', {short_url: `${origin}/first`})).status, 303);
  t.is((await fetch(`${origin}/first`)).status, 410);
});

test('a user who logs out and in again finds the same key', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text);
  t.is((await browser.submit('/logout', '/logout', {})).status, 303);
  t.is((await browser.get('/account/')).headers.get('location'), '/login?next=%2Faccount%2F');

  const answer = await logIn(browser, {email: ' Ada@Example.ORG '});
  t.is(answer.status, 303);
  t.is(answer.headers.get('location'), '/account');
  t.is(apiKeyOf((await browser.open('/account/api')).text), apiKey);
});

test('a copied session cookie is invalid after the logout', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  const thief = browser.copy();
  t.is((await thief.get('/account/')).status, 200);
  await browser.submit('/logout', '/logout', {});
  t.is((await thief.get('/account/')).status, 303);
  t.false((await thief.open('/account')).text.includes('Log out'));
});

test('a wrong password and an unknown email address get the same answer', async (t) => {
  const {browser} = await open(t);
  await register(browser.copy());
  for (const fields of [{password: 'not the password'}, {email: 'nobody@example.org'}]) {
    const {status, text} = await logIn(browser, fields);
    t.is(status, 401);
    t.true(text.includes('The email address or the password is wrong.'));
  }
  t.is((await browser.get('/account/')).status, 303);
});

test('an email address can be registered once, in any case, also concurrently', async (t) => {
  const {browser, origin} = await open(t);
  const answers = await Promise.all(
    [
      {email: 'ada@example.org', password},
      {email: ' ADA@example.org', password: 'another long password'},
    ].map((fields) => new Browser(origin).submit('/register', '/register', fields)),
  );
  t.deepEqual(answers.map(({status}) => status).sort(), [303, 409]);

  const late = await browser.submit('/register', '/register', {email: 'Ada@example.org', password: 'a third password'});
  t.is(late.status, 409);
  t.is((await browser.get('/account/')).status, 303);
  t.is(errorOf(late.text, 'email'), 'This email address is registered already. Log in instead?');
  t.true(late.text.includes('value="Ada@example.org"'));
});

test('a registration that is sent twice logs the user in', async (t) => {
  const {browser, origin} = await open(t);
  const twice = [browser, new Browser(origin)];
  const answers = await Promise.all(twice.map((each) => register(each)));
  t.deepEqual(
    answers.map(({headers}) => headers.get('location')),
    ['/account', '/account'],
  );
  const [key, other] = await Promise.all(twice.map(async (each) => apiKeyOf((await each.open('/account/api')).text)));
  t.truthy(key);
  t.is(other, key);
});

test('a short password and an invalid email address are refused in the form', async (t) => {
  const {browser} = await open(t);
  const answer = await browser.submit('/register', '/register', {email: 'ada', password: 'short'});
  t.is(answer.status, 400);
  t.truthy(errorOf(answer.text, 'email'));
  t.truthy(errorOf(answer.text, 'password'));
  t.false(answer.text.includes('short"'));
});

test('a form without the token of its session changes nothing', async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text);
  const stranger = tokenOf((await new Browser(origin).get('/register')).text);
  for (const token of ['', 'x', stranger]) {
    for (const path of ['/account/delete', '/logout']) {
      const answer = await browser.post(path, {_csrf: token, url: 'https://example.com/'});
      t.is(answer.status, 403, path);
      t.true(answer.text.includes('That form was out of date'));
    }
    for (const path of ['/account/create', '/account/key']) {
      const answer = await browser.post(path, {_token: token, url: 'https://example.com/'});
      t.is(answer.status, 403, path);
      t.true(answer.text.includes('This page was out of date'));
    }
    t.is((await browser.post('/login', {_csrf: token, email: 'ada@example.org', password})).status, 403);
  }
  t.is(apiKeyOf((await browser.open('/account/api')).text), apiKey);
  t.true((await browser.open('/account')).text.includes('No links yet'));
});

test('login starts a new session, without the id or the data of the one before', async (t) => {
  const {browser} = await open(t);
  await register(browser.copy());
  const planted = tokenOf((await browser.get('/login')).text);
  const attacker = browser.copy();
  await logIn(browser);

  t.is((await attacker.get('/account/')).status, 303);
  t.is((await browser.post('/account/delete', {_csrf: planted, password})).status, 403);
});

test('the session cookie is HttpOnly and SameSite', async (t) => {
  const {browser} = await open(t);
  const cookies = (await browser.get('/login')).headers.getSetCookie();
  t.true(cookies.length > 0);
  for (const cookie of cookies) {
    t.regex(cookie, /; httponly/i);
    t.regex(cookie, /; samesite=lax/i);
    t.notRegex(cookie, /; secure/i);
  }
});

test('behind https the session cookie is Secure', async (t) => {
  const {browser} = await open(t, {baseUrl: 'https://festival.example', baseDomains: []});
  const cookies = (await browser.get('/login')).headers.getSetCookie();
  for (const cookie of cookies) t.regex(cookie, /^__Host-.*; path=\/;.*; secure/i);
  await register(browser);
  const {text} = await browser.open('/account/api');
  t.true(text.includes('https://festival.example/api/v1/'));
});

test('a new key replaces the old one at once', async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  const before = apiKeyOf((await browser.open('/account/api')).text);
  t.is((await browser.submit('/account/api', '/account/key', {})).status, 303);
  const after = apiKeyOf((await browser.open('/account/api')).text);
  t.not(after, before);
  const statuses = [before, after].map(
    async (key) => (await fetch(`${origin}/api/v1/${key}/shorturl/list_active_urls`)).status,
  );
  t.deepEqual(await Promise.all(statuses), [401, 200]);
});

test('an overlong form gets a page that says so', async (t) => {
  const {browser} = await open(t);
  const answer = await browser.submit('/login', '/login', {email: 'x'.repeat(20_000)});
  t.is(answer.status, 413);
  t.true(answer.text.includes('That was too much'));
});

test('an unknown address gets the 404 page of the site', async (t) => {
  const {browser} = await open(t);
  for (const path of ['/nowhere', '/nowhere/at/all', '/api/v1/something-else']) {
    const answer = await browser.get(path);
    t.is(answer.status, 404);
    t.true(answer.text.includes('Nothing washed up here'));
    t.truthy(answer.headers.get('content-security-policy'));
  }
});

test('every page forbids frames, caching, and scripts from elsewhere', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  for (const path of ['/', '/about', '/account/', '/account/delete', '/nowhere']) {
    const {headers, text} = await browser.get(path);
    t.regex(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('cache-control'), 'no-store');
    t.notRegex(text, /<script(?! type="module" src="\.\/script-)|<style| style=| on[a-z]+=/);
  }
});

test('each part of the account page names its language', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  const {text} = await browser.get('/account/', {'Accept-Language': 'de'});
  t.true(text.includes('Ihre Kurzlinks'));
  const languageOf = (part: string): string | undefined =>
    Array.from(text.slice(0, text.indexOf(part)).matchAll(/ lang="([^"]*)"/g), ([, language]) => language).at(-1);
  t.is(languageOf('Delete account'), 'en-GB');
  t.is(languageOf('>Ihre Kurzlinks</h1>'), 'de');
});

test('every file that a page refers to exists', async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  for (const page of ['/', '/account/', '/account/delete']) {
    const references = (await browser.get(page)).text.matchAll(/(?:src|href)="([./][^"]*)"/g);
    for (const [, path = ''] of references) {
      t.is((await browser.get(new URL(path, `${origin}${page}`).href)).status, 200, path);
    }
  }
  t.is((await browser.get('/style.css')).headers.get('content-type'), 'text/css; charset=utf-8');
  t.is((await browser.get('/icon.svg')).headers.get('content-type'), 'image/svg+xml');
});

test('while the store is away the pages say so, and the health check fails', async (t) => {
  // Nothing listens on port 1.
  const {browser} = await open(t, {store: 'redis://127.0.0.1:1'});
  t.is((await browser.get('/healthz')).status, 503);
  t.is((await browser.get('/')).status, 200);
  const answer = await register(browser);
  t.is(answer.status, 503);
  t.truthy(answer.headers.get('retry-after'));
  t.true(answer.text.includes('The tide is out'));
});

test('the account page says so when the links cannot be read, and the user stays logged in', async (t) => {
  const {browser, shortener} = await open(t);
  await register(browser);
  await shortener.close();
  for (const answer of [await browser.open('/account'), await browser.open('/account')]) {
    t.is(answer.status, 503);
    t.true(answer.text.includes('Your links cannot be reached right now'));
    t.true(answer.text.includes('Log out'));
  }
});

test('the health check answers 200 while the store answers', async (t) => {
  const {browser} = await open(t);
  t.is((await browser.get('/healthz')).status, 200);
});

test('the access log has a line for each request, without keys and passwords', async (t) => {
  const lines: string[] = [];
  const log = {log: (line: string) => lines.push(line), error: t.log};
  const {browser, origin} = await open(t, {log});
  await register(browser);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text) ?? 'none';
  const url = Buffer.from('https://example.com/').toString('base64url');
  await fetch(`${origin}/api/v1/${apiKey}/shorturl/create/password/hush-hush/url/${url}.json`);
  t.regex(lines.at(-1) ?? '', /^GET \/api\/v1\/.*\/shorturl\/create\/.* 200 [\d.]+ ms$/);
  t.is(lines.length, 4);
  t.false(lines.some((line) => line.includes(apiKey) || line.includes('hush-hush') || line.includes(password)));
});

test('a ticket that a visitor buys counts for the short link of the poster, once', async (t) => {
  const stage = await open(t);
  const {origin, shortener} = stage;
  const account = await registerWithLink(stage);
  await createLink(stage.browser, {url: `${origin}/tickets`, custom_url: 'poster'});
  const visitor = new Browser(origin);
  t.is((await visitor.get('/first')).status, 302);
  const {text} = await visitor.open((await visitor.get('/poster')).headers.get('location') ?? '');
  const order = /name="order" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const buy = () => visitor.post('/tickets', {_csrf: tokenOf(text), order});
  const [bought] = [await buy(), await buy()];
  t.true(bought.text.includes('Your ticket is on its way'), bought.text);
  t.is((await visitor.post('/tickets', {_csrf: 'forged', order})).status, 403);
  const conversionsOf = async (part: string) => (await shortener.links.stats(account, `${origin}/${part}`)).conversions;
  t.deepEqual(await conversionsOf('poster'), [{name: 'ticket', conversions: 1, value: 4900}]);
  t.deepEqual(await conversionsOf('first'), []);
  const stranger = await new Browser(origin).submit('/tickets', '/tickets', {order});
  t.is(stranger.status, 200);
});

test('the site counts the referrer and the kind of device of each visit', async (t) => {
  const stage = await open(t, {proxy: true});
  const account = await registerWithLink(stage);
  const phone =
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
  const headers = {Referer: 'https://news.example/a?b', 'CF-IPCountry': 'NL', 'User-Agent': phone};
  const visit = await fetch(`${stage.origin}/first`, {headers, redirect: 'manual'});
  t.is(visit.status, 302);
  const {details} = await stage.shortener.links.stats(account, `${stage.origin}/first`);
  t.deepEqual(details, {
    country: [{value: 'NL', visits: 1}],
    device: [{value: 'android', visits: 1}],
    referrer: [{value: 'news.example', visits: 1}],
  });
  const {text} = await stage.browser.open(`/account/link?short_url=${encodeURIComponent(`${stage.origin}/first`)}`);
  for (const value of ['news.example', 'NL', 'android']) t.true(text.includes(value), value);
});
