import {once} from 'node:events';
import type {ExecutionContext} from 'ava';
import type {BrowserContextOptions, Page} from 'playwright-core';
import {complaintsOf, inBrowser, isFine, sharedChromium, ways} from '../../support/chromium.ts';
import {open, password, type Stage} from '../../support/examples/stage.ts';

const openPage = sharedChromium();
const email = 'ada@example.org';

interface Visit extends Stage {
  readonly page: Page;
  /** The errors on the console so far. */
  readonly complaints: string[];
}

async function visit(t: ExecutionContext, options: BrowserContextOptions = {}): Promise<Visit> {
  const stage = await open(t);
  const page = await openPage(t, options);
  return {...stage, page, complaints: complaintsOf(page)};
}

async function enter(page: Page, button: string, entered: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(entered)) await page.getByLabel(label, {exact: true}).fill(text);
  await page.getByRole('button', {name: button, exact: true}).click();
}

for (const [way, options] of ways) {
  inBrowser(`${way} a user registers, creates a link, loses the session, and deletes the account`, async (t) => {
    const {page, origin, complaints} = await visit(t, options);
    await page.goto(origin);
    await page.getByRole('navigation', {name: 'Site'}).getByRole('link', {name: 'Register'}).click();
    await enter(page, 'Register', {'Email address': email, Password: password});
    await page.waitForURL('**/account/');
    await page.getByText(email, {exact: true}).waitFor();
    await page.getByText('No links yet').waitFor();

    await page.getByRole('textbox', {name: 'Long URL'}).fill(`${origin}/about`);
    // The session ends here.
    await page.context().clearCookies();
    await page.getByRole('button', {name: 'Create short link'}).click();
    await page.waitForURL('**/login?next=**');
    await enter(page, 'Log in', {'Email address': email, Password: password});
    await page.waitForURL('**/account/?url=**');
    t.is(await page.getByRole('textbox', {name: 'Long URL'}).inputValue(), `${origin}/about`);
    await page.getByRole('button', {name: 'Create short link'}).click();
    const link = page.getByRole('status').getByRole('link').first();
    const shortUrl = (await link.getAttribute('href')) ?? '';
    t.is((await fetch(shortUrl, {redirect: 'manual'})).headers.get('location'), `${origin}/about`);

    await page.getByRole('link', {name: 'Log out'}).click();
    await page.getByRole('button', {name: 'Log out'}).click();
    await page.waitForURL(`${origin}/`);
    await page.goto(`${origin}/account/delete`);
    await enter(page, 'Log in', {'Email address': email, Password: password});
    await page.waitForURL('**/account/delete');
    await enter(page, 'Delete my account', {Password: password});
    await page.getByRole('heading', {name: 'Your account is deleted'}).waitFor();
    t.is((await fetch(shortUrl)).status, 410);
    t.deepEqual(complaints, []);
  });
}

/** Every page of the site in each of its states, and the pages of the dashboard that show its layout. */
async function* tour({page, origin}: Visit): AsyncGenerator<string> {
  for (const path of ['/', '/about', '/nowhere', '/tickets', '/register', '/login?next=/account/']) {
    await page.goto(origin + path);
    yield path;
  }
  await page.getByRole('button', {name: 'No', exact: true}).click();
  await page.goto(`${origin}/tickets`);
  yield 'tickets, after the banner';
  await page.getByRole('button', {name: 'Buy a ticket'}).click();
  await page.getByRole('button', {name: 'Return the ticket'}).waitFor();
  yield 'a ticket';
  await page.goto(`${origin}/login?next=/account/`);
  await enter(page, 'Log in', {'Email address': email, Password: 'wrong'});
  await page.locator('.error').waitFor();
  yield 'wrong password';
  await page.goto(`${origin}/register`);
  await page.evaluate('for (const form of document.forms) form.noValidate = true');
  await enter(page, 'Register', {'Email address': 'ada', Password: 'short'});
  await page.locator('.error').first().waitFor();
  yield 'mistakes in the registration';
  await enter(page, 'Register', {'Email address': `${'a'.repeat(60)}@${'example'.repeat(8)}.org`, Password: password});
  await page.waitForURL('**/account/');
  yield 'no links';
  await enter(page, 'Create short link', {'Long URL': `https://example.org/${'a-long-address/'.repeat(50)}`});
  await page.getByRole('status').waitFor();
  yield 'a link';
  for (const path of ['/account/api', '/account/delete', '/logout', '/account/link']) {
    await page.goto(origin + path);
    yield path;
  }
}

inBrowser('every page is accessible and fits the screen, dark on a phone and light on a desktop', async (t) => {
  const visited = await visit(t, {bypassCSP: true});
  const {page, complaints} = visited;
  for await (const name of tour(visited)) await isFine(t, page, name);
  t.deepEqual(complaints, []);
});

inBrowser('a user copies a short link of the page of the tickets, and sees its visits there', async (t) => {
  const {page, origin, shortener, complaints} = await visit(t);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${origin}/register`);
  await enter(page, 'Register', {'Email address': email, Password: password});
  await page.waitForURL('**/account/');
  await page.goto(`${origin}/tickets`);
  await page.getByRole('button', {name: 'Yes', exact: true}).click();
  await page.getByRole('button', {name: 'Copy a short link'}).click();
  await page.getByText(/^Copied: /).waitFor();
  const shortUrl = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByText(`${shortUrl} – visits: 0`).waitFor();

  const counted = once(shortener.events, 'visit');
  await page.goto(shortUrl);
  await counted;
  await page.waitForURL(`${origin}/tickets`);
  await page.getByText(`${shortUrl} – visits: 1`).waitFor();
  // A second click finds the same link.
  await page.getByRole('button', {name: 'Copy a short link'}).click();
  await page.getByText(`Copied: ${shortUrl}`).waitFor();
  t.deepEqual(complaints, []);
});

inBrowser(
  'a visitor agrees on the page behind a short link, buys and returns a ticket, and its owner sees both',
  async (t) => {
    const {page, origin, complaints} = await visit(t);
    await page.goto(`${origin}/register`);
    await enter(page, 'Register', {'Email address': email, Password: password});
    await page.waitForURL('**/account/');
    await enter(page, 'Create short link', {'Long URL': `${origin}/tickets`});
    const link = page.getByRole('status').getByRole('link').first();
    const shortUrl = (await link.getAttribute('href')) ?? '';

    const visitor = await openPage(t, {});
    for (const isReturned of [false, true]) {
      await visitor.goto(shortUrl);
      if (!isReturned) await visitor.getByRole('button', {name: 'Yes', exact: true}).click();
      await visitor.waitForURL(`${origin}/tickets`);
      await visitor.getByRole('button', {name: 'Buy a ticket'}).click();
      if (isReturned) await visitor.getByRole('button', {name: 'Return the ticket'}).click();
      await visitor.getByRole('heading', {name: isReturned ? 'Another time, then' : 'See you at the quay'}).waitFor();
    }
    await page.goto(`${origin}/account/link?short_url=${encodeURIComponent(shortUrl)}`);
    const figures = await page.getByRole('main').innerText();
    t.regex(figures, /Tickets sold/);
    t.regex(figures, /£49\.00/);
    t.deepEqual(complaints, []);
  },
);
