import {once} from 'node:events';
import {mkdirSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {fileURLToPath} from 'node:url';
import {type BrowserContextOptions, chromium, type Page} from 'playwright-core';
import {buildApp} from '../examples/host-app/app.ts';

// Makes the pictures of the example site for the README: `npm run screenshots`. It needs Chromium, and takes the one
// that CHROMIUM names, or else Debian's. The clock and the visits are made up, so that the pictures come out the same.

const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const dayLength = 24 * 60 * 60 * 1000;
const today = Date.UTC(2030, 5, 14, 15, 30);
const firstDay = today - 29 * dayLength;

/** Oldest first. `peak` is about how many visits there are on the last day. */
const links = [
  {custom_url: 'early-bird', url: 'https://tickets.example.com/early-bird', expiry_date: '2030-05-31', peak: 12},
  {custom_url: 'helpers', url: 'https://forms.example.net/helpers/sign-up?source=poster', password: 'a mug', peak: 4},
  {
    custom_url: 'tickets',
    url: 'https://tickets.example.com/low-tide/2030/?utm_campaign=posters&utm_medium=print&utm_content=quay',
    expiry_date: '2030-06-16',
    peak: 36,
  },
  {custom_url: 'lantern', url: 'https://example.org/flotilla/how-to-build-a-lantern', peak: 9},
];

/** More from day to day, and fewer in the middle of a week. */
function visitsOn(day: number, peak: number): number {
  return Math.max(0, Math.round(peak * (0.25 + (0.75 * day) / 29) * (0.85 + 0.3 * Math.sin(day * 0.9))));
}

let time = firstDay;
const server = createServer().listen(0);
await once(server, 'listening');
const {port} = server.address() as AddressInfo;
const origin = `http://localhost:${port}`;
const site = buildApp({
  baseUrl: 'https://lowtide.example',
  baseDomains: ['tide.example'],
  store: 'memory:',
  secret: 'for pictures only',
  proxy: true,
  now: () => time,
});
const handle = site.app.callback();
server.on('request', (request, response) => void handle(request, response));

/** Opens a short link as a visitor of the public site would. */
async function visit(slug: string, password: string | undefined): Promise<void> {
  const headers = {'X-Forwarded-Host': 'lowtide.example', 'X-Forwarded-Proto': 'https'};
  const form = password === undefined ? {} : {method: 'POST', body: new URLSearchParams({password})};
  const answer = await fetch(`${origin}/${slug}`, {...form, headers, redirect: 'manual'});
  await answer.body?.cancel();
}

async function fillSite(page: Page): Promise<void> {
  await page.goto(`${origin}/register`);
  await page.getByLabel('Email address').fill('ada@lowtide.example');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', {name: 'Register'}).click();
  for (const link of links) {
    for (const [name, value] of Object.entries(link)) {
      if (typeof value === 'string') await page.locator(`[name=${name}]`).fill(value);
    }
    await page.getByRole('button', {name: 'Make the short link'}).click();
    await page.getByRole('status').filter({hasText: link.custom_url}).waitFor();
  }
  for (let day = 0; day < 30; day++) {
    time = firstDay + day * dayLength;
    for (const {custom_url, password, peak} of links) {
      for (let count = visitsOn(day, peak); count > 0; count--) await visit(custom_url, password);
    }
  }
  await page.getByRole('button', {name: 'Disable https://lowtide.example/helpers'}).click();
  await page.getByRole('button', {name: 'Enable https://lowtide.example/helpers'}).waitFor();
}

const desktop = {width: 1200, height: 1120};
const pictures: Record<string, BrowserContextOptions & {path: string}> = {
  'account-light': {path: '/account', viewport: desktop, colorScheme: 'light'},
  'account-dark': {path: '/account', viewport: desktop, colorScheme: 'dark'},
  'account-phone': {path: '/account#visits', viewport: {width: 390, height: 844}, colorScheme: 'light'},
  'link-light': {path: '/account/link?short_url=https://lowtide.example/tickets', viewport: desktop},
};

mkdirSync(folder, {recursive: true});
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({executablePath, chromiumSandbox: process.getuid?.() !== 0});
const context = await browser.newContext({locale: 'en-GB', timezoneId: 'UTC'});
await fillSite(await context.newPage());
const storageState = await context.storageState();
for (const [name, {path, ...options}] of Object.entries(pictures)) {
  const page = await (await browser.newContext({...options, storageState, locale: 'en-GB'})).newPage();
  await page.goto(origin + path);
  await page.screenshot({path: `${folder}${name}.png`});
  console.log(`docs/screenshots/${name}.png`);
}
await browser.close();
server.close();
await site.close();
