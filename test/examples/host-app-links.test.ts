import test from 'ava';
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
    t.truthy(apiKeyOf(answer.text));
  }
  const {text} = await browser.get('/account');
  t.is(text.split('/account/links/disable').length - 1, 1);
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

test('the table shows the newest hundred links', async (t) => {
  const stage = await open(t);
  const {browser, shortener, origin} = stage;
  const account = await registerWithLink(stage);
  for (let number = 1; number <= 100; number++) {
    await shortener.links.create(account, {url: 'https://example.com/', customUrl: `n${number}`});
  }
  const {text} = await browser.get('/account');
  t.true(text.includes('Showing the newest 100 of 101.'));
  t.is(rowOf(text, `${origin}/first`), undefined);
  t.true(text.indexOf(`${origin}/n100`) < text.indexOf(`${origin}/n99`));
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
