import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import test, {type ExecutionContext, type Implementation} from 'ava';
import {type Browser, type BrowserContextOptions, chromium, type Page} from 'playwright-core';
import {isNight} from './night.ts';
import {browserAgent} from './visitor.ts';

/** The path of Debian's package. No browser is downloaded. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const allWays: ReadonlyArray<readonly [string, BrowserContextOptions]> = [
  ['on a phone', {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true}],
  ['on a desktop', {viewport: {width: 1280, height: 800}}],
  ['without script', {javaScriptEnabled: false}],
];

/** All of them at night; otherwise the first. */
export function allAtNight<Way>(each: readonly Way[]): readonly Way[] {
  return isNight ? each : each.slice(0, 1);
}

/** How users see a page. */
export const ways = allAtNight(allWays);

/**
 * Declares a test in a browser. It is skipped without one, and fails in CI. The tests of a file run one by one: eighteen
 * open pages are so slow on a slow machine that their actions take longer than a minute.
 */
export const inBrowser = whyNoChromium() === undefined ? test.serial : test.serial.skip;

/** Declares a test in a browser for the night. */
export function inBrowserAtNight(title: string, implementation: Implementation<[]>): void {
  if (isNight) inBrowser(title, implementation);
}

function whyNoChromium(): string | undefined {
  if (existsSync(executablePath)) return undefined;
  const reason = `Chromium is not installed at ${executablePath}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`Tests in a browser are skipped: ${reason}`);
  return reason;
}

let browser: Promise<Browser> | undefined;

/**
 * Opens pages in the browser of this process, each in a context of its own that is closed with the test. The browser starts
 * when first used, and is closed after the last test. Call this while tests are declared.
 */
export function sharedChromium(): (t: ExecutionContext, options?: BrowserContextOptions) => Promise<Page> {
  test.after.always(async () => {
    const used = browser;
    browser = undefined;
    await (await used)?.close();
  });
  // Chromium's sandbox does not work as root.
  const chromiumSandbox = process.getuid?.() !== 0;
  const args = ['--disable-quic', `--user-agent=${browserAgent}`];
  return async (t, options = {}) => {
    browser ??= chromium.launch({executablePath, chromiumSandbox, args});
    const context = await (await browser).newContext({locale: 'en-GB', ...options});
    t.teardown(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    return page;
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: ReadonlyArray<{readonly html: string; readonly failureSummary?: string}>;
}

/**
 * The violations and undecided checks that axe finds in a page, by all of its rules. If the page's policy forbids
 * scripts, its context needs `bypassCSP`.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.addScriptTag({content: axe});
  // Hundreds of elements pass. To describe them would take time, so axe describes the others only.
  const {violations, incomplete} = await page.evaluate<Record<'violations' | 'incomplete', Finding[]>>(
    `axe.run({resultTypes: ['violations', 'incomplete'], selectors: false})`,
  );
  return [...violations, ...incomplete].flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary = ''}) => `${id}: ${html}\n${failureSummary}`),
  );
}

interface Look {
  readonly size: string;
  readonly viewport: {readonly width: number; readonly height: number};
  readonly colorScheme: 'dark' | 'light';
}

/** The windows are high, because axe cannot judge a text that the lower edge cuts. */
const usualLooks: readonly Look[] = [
  {size: 'phone', viewport: {width: 320, height: 4000}, colorScheme: 'dark'},
  {size: 'desktop', viewport: {width: 1280, height: 4000}, colorScheme: 'light'},
];

/** Checks that an open page is accessible and fits the screen, in the first of these looks, and at night in all. */
export async function isFine(t: ExecutionContext, page: Page, name: string, looks = usualLooks): Promise<void> {
  for (const {size, viewport, colorScheme} of allAtNight(looks)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({colorScheme});
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    t.true(width <= viewport.width, `${name} is ${width} wide on a ${size}`);
    t.deepEqual(await faultsOf(page), [], `${name}, ${size}, ${colorScheme}`);
  }
}

/** Collects the errors on the console of a page, except for the status of its own answer, which Chromium logs too. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}
