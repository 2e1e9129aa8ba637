import type {ExecutionContext} from 'ava';
import type {BrowserContextOptions, Page} from 'playwright-core';
import {complaintsOf, inBrowser, sharedChromium} from '../support/chromium.ts';
import {open, password} from './stage.ts';

const startChromium = sharedChromium();
const email = 'ada@example.org';

interface Visit {
  readonly page: Page;
  readonly origin: string;
  /** What the page has complained of so far. */
  readonly complaints: string[];
}

async function visit(t: ExecutionContext, options: BrowserContextOptions = {}): Promise<Visit> {
  const {origin} = await open(t);
  const page = await openPage(t, options);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return {page, origin, complaints: complaintsOf(page)};
}

/** A page of a browser that has been nowhere yet. */
async function openPage(t: ExecutionContext, options: BrowserContextOptions): Promise<Page> {
  const context = await (await startChromium()).newContext(options);
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return page;
}

async function registerAt({page, origin}: Visit): Promise<void> {
  await page.goto(origin);
  await page.getByRole('navigation', {name: 'Site'}).getByRole('link', {name: 'Register'}).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', {name: 'Register'}).click();
  await page.waitForURL('**/account');
}

/** Makes a link with every option, and leads it to a page of the site itself. */
async function createWithEveryOption({page, origin}: Visit): Promise<string> {
  await page.getByLabel('Long address').fill(`${origin}/about`);
  await page.getByLabel('Domain').selectOption('127.0.0.1');
  await page.getByLabel('Short part').fill('tickets');
  await page.getByLabel('Password').fill('open sesame');
  await page.getByLabel('Last day').fill('2999-12-31');
  await page.getByRole('button', {name: 'Make the short link'}).click();
  const shortUrl = `${origin.replace('localhost', '127.0.0.1')}/tickets`;
  await page.getByRole('status').getByRole('link', {name: shortUrl}).waitFor();
  return shortUrl;
}

async function statusOf(page: Page, address: string): Promise<number | undefined> {
  return (await page.goto(address))?.status();
}

async function enterPassword(stranger: Page, text: string): Promise<void> {
  await stranger.getByRole('textbox').fill(text);
  await stranger.getByRole('button').click();
}

async function shownKey(page: Page): Promise<string> {
  await page.getByLabel('Show the key').check();
  return page.locator('#api-key').innerText();
}

async function listWith(origin: string, key: string): Promise<number> {
  return (await fetch(`${origin}/api/v1/${key}/shorturl/list_active_urls.json`)).status;
}

const ways: Record<string, BrowserContextOptions> = {
  'on a desktop': {viewport: {width: 1280, height: 800}},
  'on a phone': {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true},
  'without script': {javaScriptEnabled: false},
};

for (const [way, options] of Object.entries(ways)) {
  inBrowser(`${way} a user makes a link, sees who visits, disables it and replaces the key`, async (t) => {
    const visited = await visit(t, options);
    const {page, origin, complaints} = visited;
    const stranger = await openPage(t, options);
    const strange = complaintsOf(stranger);
    await registerAt(visited);
    await page.getByText('No links yet.').waitFor();
    const shortUrl = await createWithEveryOption(visited);
    const row = page.getByRole('row').filter({hasText: '/tickets'});
    t.regex(await row.innerText(), /active[^]*password[^]*2999-12-31/);

    t.is(await statusOf(stranger, shortUrl), 200);
    await enterPassword(stranger, 'open barley');
    await stranger.getByRole('alert').waitFor();
    await enterPassword(stranger, 'open sesame');
    await stranger.waitForURL(`${origin}/about`);
    await page.goto(`${origin}/account`);
    await row.getByRole('img', {name: '1 visit in the last 30 days'}).waitFor();

    await row.getByRole('button', {name: `Disable ${shortUrl}`}).click();
    await row.getByText('disabled').waitFor();
    t.is(await statusOf(stranger, shortUrl), 410);
    await row.getByRole('button', {name: `Enable ${shortUrl}`}).click();
    await row.getByText('active').waitFor();
    t.is(await statusOf(stranger, shortUrl), 200);

    t.false(await page.locator('#api-key').isVisible());
    const before = await shownKey(page);
    t.is(await listWith(origin, before), 200);
    await page.getByText('Replace the key…').click();
    await page.getByRole('button', {name: 'Yes, replace the key'}).click();
    await page.getByText('You have a new API key.').waitFor();
    const after = await shownKey(page);
    t.deepEqual([await listWith(origin, before), await listWith(origin, after)], [401, 200]);

    await page.getByRole('button', {name: 'Log out'}).click();
    await page.waitForURL(`${origin}/`);
    await page.goto(`${origin}/account`);
    await page.waitForURL('**/login');
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', {name: 'Log in'}).click();
    await page.waitForURL('**/account');
    t.is(await shownKey(page), after);
    t.deepEqual([...complaints, ...strange], []);
  });
}

inBrowser(
  'the key stays hidden until it is asked for, in the lines to try as well, and can be copied unseen',
  async (t) => {
    const visited = await visit(t);
    const {page, complaints} = visited;
    await registerAt(visited);
    const key = (await page.locator('#api-key').textContent()) ?? '';
    t.true(key.length >= 32);
    t.false((await page.locator('body').innerText()).includes(key));

    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await page.getByRole('button', {name: 'Copy the API key'}).click();
    await page.getByText('Copied to the clipboard.').waitFor();
    t.is(await copied(), key);
    await page.getByRole('radio', {name: 'XML'}).check();
    t.is(await page.getByRole('button', {name: 'Copy the URL to create, JSON'}).count(), 0);
    await page.getByRole('button', {name: 'Copy the curl to create, XML'}).click();
    await page.waitForFunction('document.querySelector("#create-curl-xml + button").textContent === "Copied"');
    t.regex(await copied(), new RegExp(`^curl 'http://.*/api/v1/${key}/shorturl/create/url/[^/]+\\.xml'$`));

    await page.getByLabel('Show the key').check();
    t.true((await page.locator('#create-url-xml').innerText()).includes(key));
    await page.reload();
    t.false((await page.locator('body').innerText()).includes(key));
    t.deepEqual(complaints, []);
  },
);

inBrowser('a mistake in the form is told to a screen reader at its field, and the rest is kept', async (t) => {
  const visited = await visit(t);
  const {page} = visited;
  await registerAt(visited);
  await page.getByLabel('Long address').fill('https://example.org/a');
  await page.getByLabel('Short part').fill('not one');
  await page.getByLabel('Password').fill('open sesame');
  await page.getByRole('button', {name: 'Make the short link'}).click();
  const field = page.getByLabel('Short part');
  await page.locator('#custom_url-error').waitFor();
  t.is(await field.getAttribute('aria-invalid'), 'true');
  t.is(await field.getAttribute('aria-describedby'), 'custom_url-error custom_url-hint');
  t.deepEqual(
    await Promise.all(['Long address', 'Short part', 'Password'].map((label) => page.getByLabel(label).inputValue())),
    ['https://example.org/a', 'not one', 'open sesame'],
  );
});

inBrowser('the table is searched while the user types, and a button in it keeps the search', async (t) => {
  const visited = await visit(t);
  const {page, origin, complaints} = visited;
  await registerAt(visited);
  for (const slug of ['spring', 'summer']) {
    await page.getByLabel('Long address').fill(`https://example.org/${slug}`);
    await page.getByLabel('Short part').fill(slug);
    await page.getByRole('button', {name: 'Make the short link'}).click();
    await page
      .getByRole('status')
      .getByRole('link', {name: `${origin}/${slug}`})
      .waitFor();
  }
  await page.getByRole('searchbox').pressSequentially('SPRI');
  await page.getByText('1 of 2 links match “SPRI”.').waitFor();
  t.is(await page.getByRole('row').filter({hasText: 'summer'}).count(), 0);
  await page.getByRole('button', {name: `Disable ${origin}/spring`}).click();
  await page.getByRole('button', {name: `Enable ${origin}/spring`}).waitFor();
  t.is(await page.getByRole('searchbox').inputValue(), 'SPRI');
  await page.getByRole('searchbox').fill('nothing');
  await page.getByRole('link', {name: 'Show all links'}).click();
  await page.getByText('2 links, the newest first.').waitFor();
  t.deepEqual(complaints, []);
});

inBrowser('the page of a link has its QR code, as a picture and to download', async (t) => {
  const visited = await visit(t);
  const {page, complaints} = visited;
  await registerAt(visited);
  const shortUrl = await createWithEveryOption(visited);
  await page.getByRole('link', {name: `QR & details of ${shortUrl}`}).click();
  const code = page.getByRole('img', {name: `QR code of ${shortUrl}`});
  await code.waitFor();
  await page.waitForFunction('document.querySelector(".qr img").naturalWidth > 0');
  for (const [format, name] of Object.entries({SVG: 'tickets.svg', PNG: 'tickets.png'})) {
    const link = page.getByRole('link', {name: `Download ${format}`});
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    t.is(download.suggestedFilename(), name);
  }
  t.deepEqual(complaints, []);
});
