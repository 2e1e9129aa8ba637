import test from 'ava';
import '../support/quick-scrypt.ts';
import {apiKeyOf, Browser, errorOf, rowOf} from './browser.ts';
import {createLink, open, register, registerWithLink} from './stage.ts';

test('the form creates a link with every option', async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  const destination = 'https://example.com/tickets?day=1&night=<2>';
  const answer = await createLink(browser, {
    url: destination,
    custom_url: 'tickets',
    password: 'open sesame',
    expiry_date: '2999-12-31',
    base_domain: '127.0.0.1',
  });
  t.is(answer.status, 303);

  const shortUrl = `${origin.replace('localhost', '127.0.0.1')}/tickets`;
  const {text} = await browser.get('/account');
  t.true(text.includes(`Your new short link is`));
  const row = rowOf(text, shortUrl) ?? '';
  t.true(row.includes('href="https://example.com/tickets?day=1&amp;night=&lt;2&gt;"'));
  t.true(row.includes('2999-12-31'));
  t.true(row.includes('password'));

  const form = await fetch(shortUrl);
  t.is(form.status, 200);
  const visit = await fetch(shortUrl, {
    method: 'POST',
    body: new URLSearchParams({password: 'open sesame'}),
    redirect: 'manual',
  });
  t.is(visit.status, 303);
  t.is(visit.headers.get('location'), new URL(destination).href);
  t.regex(rowOf((await browser.get('/account')).text, shortUrl) ?? '', /data-label="Visits">1</);
});

function escaped(value: string): string {
  return value.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

interface Mistake {
  readonly field: string;
  readonly value: string;
  readonly status: number;
}

const mistakes: readonly Mistake[] = [
  {field: 'url', value: '', status: 400},
  {field: 'url', value: 'ftp://example.com/', status: 400},
  {field: 'custom_url', value: 'not a slug', status: 400},
  {field: 'custom_url', value: 'taken', status: 409},
  {field: 'password', value: 'x'.repeat(129), status: 400},
  {field: 'password', value: '"><b>'.repeat(30), status: 400},
  {field: 'expiry_date', value: '2001-01-01', status: 400},
  {field: 'base_domain', value: 'elsewhere.example', status: 400},
];

test('a mistake is explained at its field, and what was entered is still there', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'taken'});
  for (const {field, value, status} of mistakes) {
    const fields = {url: 'https://example.com/kept', [field]: value};
    const answer = await createLink(browser, fields);
    t.is(answer.status, status, field);
    t.truthy(errorOf(answer.text, field), field);
    t.true(answer.text.includes(`value="${fields.url}"`), field);
    if (field !== 'base_domain') t.true(answer.text.includes(`value="${escaped(value)}"`), field);
    t.truthy(apiKeyOf(answer.text));
  }
  const {text} = await browser.get('/account');
  t.is(text.split('/account/links/disable').length - 1, 1);
});

test('after a mistake a password is still in the form, so that no link is made without one', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  const {text} = await createLink(browser, {url: '', password: 'open sesame'});
  t.true(text.includes('value="open sesame"'));
});

test('a link as long as a link may be goes through the form', async (t) => {
  const {browser} = await open(t);
  await register(browser);
  const url = `https://example.com/${'x'.repeat(8192 - 'https://example.com/'.length)}`;
  t.is((await createLink(browser, {url})).status, 303);
});

test('a link is disabled and enabled with the buttons of the table', async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'spring'});
  const shortUrl = `${origin}/spring`;

  const disable = await browser.submit('/account', '/account/links/disable', {short_url: shortUrl});
  t.is(disable.status, 303);
  t.regex(rowOf((await browser.get('/account')).text, shortUrl) ?? '', /<span class="status disabled">disabled</);
  t.is((await fetch(shortUrl, {redirect: 'manual'})).status, 410);

  await browser.submit('/account', '/account/links/enable', {short_url: shortUrl});
  t.regex(rowOf((await browser.get('/account')).text, shortUrl) ?? '', /<span class="status active">active</);
  t.is((await fetch(shortUrl, {redirect: 'manual'})).status, 302);
});

test("another user's link is neither in the table nor to be disabled", async (t) => {
  const {browser, origin} = await open(t);
  await register(browser);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'mine'});
  const other = new Browser(origin);
  await register(other, 'grace@example.org');
  const answer = await other.submit('/account', '/account/links/disable', {short_url: `${origin}/mine`});
  t.is(answer.status, 404);
  t.is(rowOf(answer.text, `${origin}/mine`), undefined);
  t.is((await fetch(`${origin}/mine`, {redirect: 'manual'})).status, 302);
});

test('the table shows twenty links a page, the newest first, and finds them by any part of their addresses', async (t) => {
  const stage = await open(t);
  const {browser, shortener, origin} = stage;
  const account = await registerWithLink(stage);
  for (let number = 1; number <= 40; number++) {
    await shortener.links.create(account, {url: `https://example.com/Page-${number}`, customUrl: `n${number}`});
  }
  const first = (await browser.get('/account')).text;
  t.true(first.includes('41 links, the newest first.'));
  t.true(first.includes('Page 1 of 3'));
  t.true(first.indexOf(`${origin}/n40`) < first.indexOf(`${origin}/n39`));
  t.is(rowOf(first, `${origin}/n20`), undefined);
  for (const page of ['3', '99']) {
    t.truthy(rowOf((await browser.get(`/account?page=${page}`)).text, `${origin}/first`));
  }
  for (const page of ['0', '-1', '1.5', 'x']) {
    t.truthy(rowOf((await browser.get(`/account?page=${page}`)).text, `${origin}/n40`));
  }

  const found = (await browser.get('/account?search=page-3')).text;
  t.true(found.includes('11 of 41 links match “page-3”.'));
  t.truthy(rowOf(found, `${origin}/n39`));
  t.is(rowOf(found, `${origin}/n40`), undefined);
  t.true((await browser.get('/account?search=%3Cnothing%3E')).text.includes('0 of 41 links match “&lt;nothing&gt;”.'));
});

test('a button of the table leads back to the page and the search it stands on', async (t) => {
  const stage = await open(t);
  await registerWithLink(stage);
  const {browser, origin} = stage;
  const {text} = await browser.get('/account?search=first');
  t.true(text.includes('action="/account/links/disable?search=first"'));
  const answer = await browser.submit('/account', '/account/links/disable?search=first', {
    short_url: `${origin}/first`,
  });
  t.is(answer.headers.get('location'), '/account?search=first#links');
  const again = await browser.submit('/account', '/account/links/enable', {short_url: `${origin}/first`, from: 'link'});
  t.is(again.headers.get('location'), `/account/link?short_url=${encodeURIComponent(`${origin}/first`)}`);
});

test('the page of a link tells about it, and is for its owner', async (t) => {
  const stage = await open(t);
  const {browser, origin} = stage;
  await registerWithLink(stage);
  await fetch(`${origin}/first`, {redirect: 'manual'});
  const path = `/account/link?short_url=${encodeURIComponent(`${origin}/first`)}`;
  const {status, text} = await browser.get(path);
  t.is(status, 200);
  t.true(text.includes('1 visit in the last 30 days'));
  t.is((await browser.get('/account/link')).status, 404);

  const other = new Browser(origin);
  await register(other, 'grace@example.org');
  for (const page of [path, path.replace('link', 'qr.svg'), path.replace('link', 'qr.png')]) {
    t.is((await other.get(page)).status, 404, page);
    t.is((await new Browser(origin).get(page)).headers.get('location'), '/login', page);
  }
});

test('the QR code of a link is an SVG and a PNG', async (t) => {
  const stage = await open(t);
  const {browser, origin} = stage;
  await registerWithLink(stage);
  const query = `?short_url=${encodeURIComponent(`${origin}/first`)}`;
  const svg = await browser.get(`/account/qr.svg${query}`);
  t.is(svg.headers.get('content-type'), 'image/svg+xml');
  t.regex(svg.text, /^<svg [^>]*viewBox/);
  const png = await browser.get(`/account/qr.png${query}`);
  t.is(png.headers.get('content-type'), 'image/png');
  t.true(png.text.slice(1).startsWith('PNG'));
});

test('an account that the shortener has lost is made again on the account page', async (t) => {
  const stage = await open(t);
  const {browser, shortener} = stage;
  const account = await registerWithLink(stage);
  await shortener.accounts.remove(account);
  const apiKey = apiKeyOf((await browser.get('/account')).text);
  t.truthy(apiKey);
  t.is(await shortener.accounts.apiKey(account), apiKey);
});

test("the site's own pages win over short links, and their names cannot be chosen", async (t) => {
  const {browser} = await open(t);
  await register(browser);
  for (const name of ['about', 'Account', 'healthz']) {
    const answer = await createLink(browser, {url: 'https://example.com/', custom_url: name});
    t.is(answer.status, 400);
    t.truthy(errorOf(answer.text, 'custom_url'));
  }
  const {status, text} = await browser.get('/about');
  t.is(status, 200);
  t.true(text.includes('<h1>About the festival</h1>'));
});
