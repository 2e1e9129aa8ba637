import type {Page} from 'playwright-core';
import {complaintsOf, faultsOf, inBrowser, sharedChromium} from '../support/chromium.ts';
import {open, password, registerWithLink, type Stage} from './stage.ts';

const startChromium = sharedChromium();
const looks = [
  {size: 'phone', viewport: {width: 320, height: 640}, colorScheme: 'dark'},
  {size: 'desktop', viewport: {width: 1280, height: 800}, colorScheme: 'light'},
] as const;

/** More than a page of links in every state, with addresses as long as they get. */
async function fill(stage: Stage): Promise<string> {
  const {shortener, origin} = stage;
  const account = await registerWithLink(stage);
  const url = `https://example.com/${'a-long-address/'.repeat(100)}?q=${'x'.repeat(500)}`;
  await Promise.all(
    Array.from({length: 22}, (_, number) => shortener.links.create(account, {url: `https://example.org/${number}`})),
  );
  const off = await shortener.links.create(account, {url: 'https://example.org/', customUrl: 'off'});
  await shortener.links.disable(account, off.shortUrl);
  const {shortUrl} = await shortener.links.create(account, {
    url,
    customUrl: 'W'.repeat(64),
    password: 'open sesame',
    expiryDate: '2999-12-31',
  });
  await fetch(`${origin}/first`, {redirect: 'manual'});
  return shortUrl;
}

async function submit(page: Page, button: string, entered: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(entered)) await page.getByLabel(label).fill(text);
  // What the browser would not let pass is for the site to explain.
  await page.evaluate('for (const form of document.forms) form.noValidate = true');
  await page.getByRole('button', {name: button, exact: true}).click();
  await page.locator('.error').first().waitFor();
}

/** Every page of the site and every state of it, one after the other. */
async function* tour(page: Page, stage: Stage): AsyncGenerator<string> {
  const {origin} = stage;
  for (const path of ['/', '/about', '/nowhere', '/register', '/login']) {
    await page.goto(origin + path);
    yield path;
  }
  await submit(page, 'Log in', {'Email address': 'ada@example.org', Password: 'wrong'});
  yield 'wrong password';
  await page.goto(`${origin}/register`);
  await submit(page, 'Register', {'Email address': 'ada', Password: 'short'});
  yield 'mistakes in the registration';
  const user = {'Email address': `${'a'.repeat(60)}@${'example'.repeat(8)}.org`, Password: password};
  for (const [label, text] of Object.entries(user)) await page.getByLabel(label).fill(text);
  await page.getByRole('button', {name: 'Register'}).click();
  await page.waitForURL('**/account');
  yield 'account without links';
  const mistakes = {'Long address': 'ftp://example.org/', 'Short part': '#', 'Last day': '2001-01-01'};
  await submit(page, 'Make the short link', mistakes);
  yield 'mistakes in a link';

  const shortUrl = await fill(stage);
  await page.getByRole('button', {name: 'Log out'}).click();
  await page.goto(`${origin}/login`);
  await page.getByLabel('Email address').fill('ada@example.org');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', {name: 'Log in'}).click();
  await page.waitForURL('**/account');
  await page.getByLabel('Show the key').check();
  await page.evaluate('for (const details of document.querySelectorAll("details:not([name])")) details.open = true');
  yield 'account with links';
  await page.goto(`${origin}/account?search=nothing`);
  yield 'search without a find';
  await page.goto(`${origin}/account/link?short_url=${shortUrl}`);
  await page.getByRole('radio', {name: 'XML'}).check();
  yield 'a link';
}

inBrowser('every page is accessible and fits, dark on a phone and light on a desktop', async (t) => {
  const stage = await open(t);
  const context = await (await startChromium()).newContext({bypassCSP: true});
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = complaintsOf(page);
  for await (const name of tour(page, stage)) {
    for (const {size, viewport, colorScheme} of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({colorScheme});
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      t.true(width <= viewport.width, `${name} is ${width} wide on a ${size}`);
      t.deepEqual(await faultsOf(page), [], `${name}, ${size}, ${colorScheme}`);
    }
  }
  t.deepEqual(complaints, []);
});
