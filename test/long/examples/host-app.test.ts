import test from 'ava';
import '../../support/quick-scrypt.ts';
import {errorOf} from '../../support/dashboard.ts';
import {apiKeyOf, Browser, tokenOf} from '../../support/examples/browser.ts';
import {createLink, logIn, open, password, register, registerWithLink} from '../../support/examples/stage.ts';
import {sold} from '../../support/sold.ts';

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

/** A visitor who follows a short link and answers the banner on the page behind it. Returns that page. */
async function land(visitor: Browser, path: string, answer: 'yes' | 'no'): Promise<string> {
  const {location} = await visitor.get(path);
  const {text} = await visitor.open(location);
  const body = new URLSearchParams({_csrf: tokenOf(text), answer, next: new URL(location).pathname});
  const answered = await visitor.send('/consent', {method: 'POST', body, headers: {Referer: location}});
  return (await visitor.open(answered.location)).text;
}

test('a ticket counts once for the short link of the poster, for a visitor who agrees, and is returned once', async (t) => {
  const stage = await open(t);
  const {origin, shortener} = stage;
  const account = await registerWithLink(stage);
  await createLink(stage.browser, {url: `${origin}/tickets`, custom_url: 'poster'});
  const visitor = new Browser(origin);
  const text = await land(visitor, '/poster', 'yes');
  const order = orderIn(text);
  const buy = () => visitor.post('/tickets', {_csrf: tokenOf(text), order});
  const [bought] = [await buy(), await buy()];
  t.true(bought.text.includes('Your ticket is on its way'), bought.text);
  t.is((await visitor.post('/tickets', {_csrf: 'forged', order})).status, 403);
  const ticketsOf = async (part: string) => (await shortener.links.stats(account, `${origin}/${part}`)).conversions;
  const ticket = {name: 'ticket', currency: 'GBP', conversions: 1, value: 4900};
  t.deepEqual(await ticketsOf('poster'), [sold(ticket)]);
  t.deepEqual(await ticketsOf('first'), []);
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const returned = await visitor.post('/tickets/return', {_csrf: tokenOf(bought.text), order: orderIn(bought.text)});
    t.true(returned.text.includes('Your money is on its way back'), returned.text);
  }
  t.deepEqual(await ticketsOf('poster'), [sold({...ticket, refunds: 1, refunded: 4900})]);

  const declined = new Browser(origin);
  const page = await land(declined, '/poster', 'no');
  t.false(page.includes('May we remember'));
  t.is((await declined.post('/tickets', {_csrf: tokenOf(page), order: orderIn(page)})).status, 200);
  t.false(declined.cookies.has('short_url_via'));
  t.is((await ticketsOf('poster'))[0]?.conversions, 1);
});

test('nothing is set on the device by a short link before the banner is answered', async (t) => {
  const stage = await open(t);
  const {origin} = stage;
  await registerWithLink(stage);
  await createLink(stage.browser, {url: `${origin}/tickets`, custom_url: 'poster'});
  const visitor = new Browser(origin);
  const {headers, location} = await visitor.get('/poster');
  t.deepEqual(headers.getSetCookie(), []);
  const {text} = await visitor.open(location);
  t.true(text.includes('May we remember'));
});

test('a user who came by a short link counts for it without a cookie, until the account is deleted', async (t) => {
  const stage = await open(t);
  const {origin, shortener} = stage;
  const owner = await registerWithLink(stage);
  await createLink(stage.browser, {url: `${origin}/tickets`, custom_url: 'poster'});
  const user = new Browser(origin);
  await land(user, '/poster', 'yes');
  const fields = {email: 'bob@example.org', password};
  await user.submit('/register', '/register', fields);
  let customer = '';
  for await (const {account} of shortener.admin.accounts()) if (account !== owner) customer = account;
  const later = new Browser(origin);
  await later.submit('/login', '/login', fields);
  const {text} = await later.open('/tickets');
  await later.post('/tickets', {_csrf: tokenOf(text), order: orderIn(text)});
  const poster = `${origin}/poster`;
  t.is((await shortener.conversions.find({customer}))?.link.shortUrl, poster);
  await later.submit('/account/delete', '/account/delete', {password});
  t.is(await shortener.conversions.find({customer}), undefined);
  t.is((await shortener.links.stats(owner, poster)).conversions[0]?.conversions, 1);
});

function orderIn(html: string): string {
  return /name="order" value="([^"]+)"/.exec(html)?.[1] ?? '';
}
