import type {ExecutionContext} from 'ava';
import type {BrowserContextOptions, Page, Response} from 'playwright-core';
import {allAtNight, complaintsOf, inBrowser, isFine, sharedChromium} from '../../support/chromium.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {sharedSite} from '../../support/site.ts';

const adapter = new FailingAdapter();
const secret = 'a-secret-of-good-length-0123456789';
const start = sharedSite({proxy: true, shortUrl: {passwordAttempts: 2}});
const startWithoutStore = sharedSite({proxy: true, shortUrl: {store: adapter as never, secret}});
const openPage = sharedChromium();

/** A destination with the longest host name. */
const longHost = `https://${'w'.repeat(63)}.${'i'.repeat(63)}.${'w'.repeat(63)}.example/`;

const password = 'pass 字 word';
let clients = 0;

/** A page of a client with its own address, which a proxy sends. */
function openAsClient(t: ExecutionContext, options: BrowserContextOptions): Promise<Page> {
  clients += 1;
  const extraHTTPHeaders = {'X-Forwarded-Host': 'example.com', 'X-Forwarded-For': `192.0.2.${clients}`};
  return openPage(t, {...options, extraHTTPHeaders});
}

let links: Promise<{origin: string; locked: string; asking: string; off: string}> | undefined;

/** The site of the links, as the browser sees it. */
async function linksInBrowser() {
  const site = await start();
  const origin = `http://127.0.0.1:${site.port}`;
  links ??= (async () => {
    await site.create({custom_url: 'locked', password, url: `${origin}/about`});
    await site.create({custom_url: 'asking', confirm: 'true', preview_title: 'W'.repeat(200), url: longHost});
    const {short_url} = await site.create({custom_url: 'off'});
    await site.api('disable', {short_url});
    return {origin, locked: `${origin}/locked`, asking: `${origin}/asking`, off: `${origin}/off`};
  })();
  return links;
}

/** All pages in the order in which a visitor meets them. */
async function* tour(page: Page): AsyncGenerator<string> {
  const {locked, asking, off} = await linksInBrowser();
  const submit = async () => {
    await page.locator('#password').fill('wrong');
    const isAnswer = (response: Response): boolean => response.request().method() === 'POST';
    const [response] = await Promise.all([page.waitForResponse(isAnswer), page.locator('button').click()]);
    await page.waitForLoadState();
    return response.status();
  };
  await page.goto(locked);
  yield 'password';
  await submit();
  yield 'wrong password';
  await submit();
  if ((await submit()) !== 429) throw new Error('The client may go on trying');
  yield 'too many attempts';
  await page.goto(asking);
  yield 'confirm';
  await page.goto(off);
  yield 'gone';
  const {port} = await startWithoutStore();
  adapter.isDown = true;
  await page.goto(`http://127.0.0.1:${port}/link`);
  yield 'unavailable';
}

const looks = [
  {size: 'phone', viewport: {width: 360, height: 740}, colorScheme: 'dark'},
  {size: 'desktop', viewport: {width: 1280, height: 800}, colorScheme: 'light'},
  {size: 'phone at 200 per cent', viewport: {width: 180, height: 370}, colorScheme: 'light'},
  {size: 'desktop at 400 per cent', viewport: {width: 320, height: 200}, colorScheme: 'dark'},
] as const;

const languages = Object.entries({
  'en-GB': 'en',
  'zh-CN': 'zh-Hans',
  'zh-TW': 'zh-Hant',
  'es-MX': 'es',
  'fr-CA': 'fr',
  'de-CH': 'de',
});
for (const [locale, language] of allAtNight(languages)) {
  inBrowser(
    `in ${locale} every page is accessible and fits the screen, light and dark, on a phone and a desktop`,
    async (t) => {
      const page = await openAsClient(t, {locale, bypassCSP: true});
      const titles = new Set<string>();
      for await (const name of tour(page)) {
        t.is(await page.evaluate('document.documentElement.lang'), language, name);
        titles.add(await page.title());
        await isFine(t, page, name, looks);
      }
      t.is(titles.size, 6, 'each title says what the page is about');
    },
  );
}

/** What a screen reader announces of the focused element. */
async function focused(page: Page): Promise<Record<string, unknown>> {
  const session = await page.context().newCDPSession(page);
  const {nodes} = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const isFocused = (node: (typeof nodes)[number]): boolean =>
    node.role?.value !== 'RootWebArea' &&
    (node.properties?.some(({name, value}) => name === 'focused' && value.value === true) ?? false);
  const node = nodes.find(isFocused);
  const invalid = node?.properties?.find(({name}) => name === 'invalid')?.value.value as unknown;
  return {
    role: node?.role?.value as unknown,
    name: node?.name?.value as unknown,
    description: node?.description?.value as unknown,
    invalid,
  };
}

inBrowser(
  'a visitor mistypes the password, is told so, and reaches the destination with the keyboard alone',
  async (t) => {
    const page = await openAsClient(t, {locale: 'en'});
    const complaints = complaintsOf(page);
    const {origin, locked} = await linksInBrowser();
    const hint = 'If you don’t have it, ask the person who sent you the link.';
    const field = {role: 'textbox', name: 'Password', description: hint, invalid: 'false'};

    await page.goto(locked);
    t.is(await page.title(), 'This link is protected by a password');
    t.deepEqual(await focused(page), field);

    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]');
    t.is(await page.title(), 'Wrong password – This link is protected by a password');
    const description = `That password isn’t right. Check it and try again. ${hint}`;
    t.deepEqual(await focused(page), {...field, description, invalid: 'true'});

    await page.keyboard.type(password);
    await page.keyboard.press('Tab');
    t.like(await focused(page), {role: 'button', name: 'Open link'});
    t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
    await page.keyboard.press('Space');
    await page.waitForURL(`${origin}/about`);
    t.deepEqual(complaints, []);
  },
);

inBrowser(
  'a browser that opens a link ten times uses up no visit, and its user gets through with the keyboard alone',
  async (t) => {
    const site = await start();
    const {origin} = await linksInBrowser();
    const {short_url} = await site.create({url: `${origin}/about`, max_visits: '1', confirm: 'true'});
    const address = origin + new URL(short_url).pathname;
    const page = await openAsClient(t, {locale: 'en'});
    const complaints = complaintsOf(page);
    for (let turn = 0; turn < 10; turn++) {
      await page.goto(address);
      await page.waitForLoadState('networkidle');
    }
    t.like(await site.info(short_url), {total_visits: 0, status: 'active'});
    t.is(await page.title(), 'Open this link?');

    await page.keyboard.press('Tab');
    t.like(await focused(page), {role: 'button', name: 'Open link'});
    t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/about`);
    t.like(await site.info(short_url), {total_visits: 1, status: 'expired'});
    await page.goto(address);
    t.is(await page.title(), 'This link no longer works');
    t.deepEqual(complaints, []);
  },
);

inBrowser('a mouse click leads to another site, which the policy of the page allows', async (t) => {
  const site = await start();
  const {origin} = await linksInBrowser();
  const elsewhere = origin.replace('127.0.0.1', 'localhost');
  const {short_url} = await site.create({url: `${elsewhere}/about`, confirm: 'true'});
  const page = await openAsClient(t, {locale: 'en', javaScriptEnabled: false});
  await page.goto(origin + new URL(short_url).pathname);
  await page.getByRole('button', {name: 'Open link'}).click();
  await page.waitForURL(`${elsewhere}/about`);
  t.is((await site.info(short_url)).total_visits, 1);
});
