import {once} from 'node:events';
import {mkdirSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {fileURLToPath} from 'node:url';
import {type BrowserContextOptions, chromium, type Page} from 'playwright-core';
import {buildApp} from '../examples/host-app/app.ts';

// Takes the screenshots of the example site: `npm run screenshots`. It needs Chromium: the one that CHROMIUM names, or
// Debian's. The clock and the visits are invented, so that the pictures are the same in every run.

const folder = fileURLToPath(new URL('../docs/screenshots/', import.meta.url));
const dayLength = 24 * 60 * 60 * 1000;
const today = Date.UTC(2030, 5, 14, 15, 30);
const firstDay = today - 29 * dayLength;

/** The oldest first. `peak` is about the number of visits on the last day. */
const links = [
  {
    link: {customUrl: 'early-bird', url: 'https://tickets.example.com/early-bird', expiryDate: '2030-05-31'},
    peak: 12,
  },
  {
    link: {
      customUrl: 'helpers',
      url: 'https://forms.example.net/helpers/sign-up?source=poster',
      password: 'a mug',
      title: 'Helpers',
      tags: ['crew'],
    },
    peak: 4,
  },
  {
    link: {
      customUrl: 'harbour',
      url: 'https://tickets.example.com/low-tide/2030/?utm_campaign=posters&utm_medium=print&utm_content=quay',
      expiryDate: '2030-06-16',
      title: 'Tickets 2030',
      tags: ['poster', 'mail'],
    },
    peak: 36,
  },
  {
    link: {customUrl: 'lantern', url: 'https://example.org/flotilla/how-to-build-a-lantern', tags: ['crew', 'mail']},
    peak: 9,
  },
];

/** A link that asks before it opens. */
const invitation = {
  customUrl: 'crew-7f3k',
  url: 'https://crew.example.org/join?token=7f3k9q',
  maxVisits: 1,
  previewTitle: 'Join the crew of Low Tide',
  previewDescription: 'Your invitation, for one person.',
};

/** The headers of the visitors. */
const visitors = [
  {
    Referer: 'https://www.instagram.com/',
    'CF-IPCountry': 'NL',
    'User-Agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  },
  {
    'CF-IPCountry': 'NL',
    'User-Agent':
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  },
  {
    Referer: 'https://mail.example.net/',
    'CF-IPCountry': 'DE',
    'User-Agent':
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  },
  {
    'CF-IPCountry': 'DK',
    'User-Agent':
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  },
  {
    'CF-IPCountry': 'NL',
    'User-Agent':
      'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  },
];

/** The visits of a day: a rising line with waves. */
function visitsOn(day: number, peak: number): number {
  return Math.max(0, Math.round(peak * (0.25 + (0.75 * day) / 29) * (0.85 + 0.3 * Math.sin(day * 0.9))));
}

let time = firstDay;
let orders = 0;
const server = createServer().listen(0);
await once(server, 'listening');
const {port} = server.address() as AddressInfo;
const origin = `http://localhost:${port}`;
const site = buildApp({
  baseUrl: 'https://lowtide.example',
  baseDomains: ['tide.example'],
  store: 'memory:',
  secret: 'for pictures only, and nothing else',
  proxy: true,
  now: () => time,
});
const handle = site.app.callback();
server.on('request', (request, response) => void handle(request, response));

/** What the proxy sends with each request of a visitor, who has agreed to cookies. */
const ofVisitors = {'X-Forwarded-Host': 'lowtide.example', 'X-Forwarded-Proto': 'https', Cookie: 'consent=yes'};

/** Opens a short URL like a visitor who comes through the proxy. */
async function visit(slug: string, password: string | undefined, number: number): Promise<void> {
  const headers = {...visitors[(number * number) % visitors.length], ...ofVisitors};
  const form = password === undefined ? {} : {method: 'POST', body: new URLSearchParams({password})};
  const answer = await fetch(`${origin}/${slug}`, {...form, headers, redirect: 'manual'});
  await answer.body?.cancel();
  const via = /^short_url_via=([^;]+)/.exec(
    answer.headers.getSetCookie().find((cookie) => cookie.includes('_via=')) ?? '',
  )?.[1];
  // Every eleventh visitor buys a ticket.
  if (via !== undefined && number % 11 === 3) {
    await site.shortener.conversions.record(
      {via},
      {name: 'ticket', id: String((orders += 1)), value: 1900 + 100 * (number % 7)},
    );
  }
}

async function fillSite(page: Page): Promise<void> {
  await page.goto(`${origin}/register`);
  await page.getByLabel('Email address').fill('ada@lowtide.example');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', {name: 'Register'}).click();
  await page.waitForURL('**/account/');
  const {links: shortLinks, admin} = site.shortener;
  const {account} = (await admin.accounts().next()).value as {account: string};
  for (const {link} of links) await shortLinks.create(account, link);
  for (let day = 0; day < 30; day++) {
    time = firstDay + day * dayLength;
    for (const {link, peak} of links) {
      for (let count = visitsOn(day, peak); count > 0; count--) await visit(link.customUrl, link.password, count);
    }
  }
  await shortLinks.disable(account, 'https://lowtide.example/helpers');
  await shortLinks.create(account, invitation);
}

const desktop = {width: 1200, height: 1120};
const pictures: Record<string, BrowserContextOptions & {path: string}> = {
  'account-light': {path: '/account/', viewport: desktop, colorScheme: 'light'},
  'account-dark': {path: '/account/', viewport: desktop, colorScheme: 'dark'},
  'account-phone': {path: '/account/', viewport: {width: 390, height: 844}, colorScheme: 'light'},
  'link-light': {path: '/account/link?short_url=https://lowtide.example/harbour', viewport: desktop},
  confirm: {
    path: `/${invitation.customUrl}`,
    viewport: {width: 390, height: 480},
    colorScheme: 'light',
    extraHTTPHeaders: ofVisitors,
  },
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
