import test from 'ava';
import '../../support/quick-scrypt.ts';
import {errorOf} from '../../support/dashboard.ts';
import {apiKeyOf} from '../../support/examples/browser.ts';
import {createLink, open, register, registerWithLink} from '../../support/examples/stage.ts';

test("the dashboard's pages use the layout of the site", async (t) => {
  const stage = await open(t);
  await registerWithLink(stage);
  for (const path of ['/account/', '/account/api', '/account/link']) {
    const {text} = await stage.browser.get(path);
    t.true(text.includes('<title>') && text.includes('Low Tide Festival</title>'), path);
    t.true(text.includes('Log out') && text.includes('class="links-dashboard"'), path);
  }
});

test("visitors' pages have the name and the colour of the site", async (t) => {
  const stage = await open(t);
  const account = await registerWithLink(stage);
  await stage.shortener.links.disable(account, `${stage.origin}/first`);
  const {text} = await stage.browser.get('/first');
  t.true(text.includes('<a class="site" href="/">Low Tide</a>') && text.includes('--accent: #0b5c66'));
});

test('an account that the shortener lost is created again on the account page', async (t) => {
  const stage = await open(t);
  const {browser, shortener} = stage;
  const account = await registerWithLink(stage);
  await shortener.accounts.remove(account);
  const apiKey = apiKeyOf((await browser.open('/account/api')).text);
  t.truthy(apiKey);
  t.is(await shortener.accounts.apiKey(account), apiKey);
});

test("the site's own pages win over links, and their names cannot be chosen", async (t) => {
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
