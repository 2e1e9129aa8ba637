import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import test, {type Implementation} from 'ava';
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
 * The browser of the tests of this process. It starts when first used, and is closed after the last test. Call this while
 * tests are declared. Each test opens and closes its own context.
 */
export function sharedChromium(): () => Promise<Browser> {
  test.after.always(async () => {
    const used = browser;
    browser = undefined;
    await (await used)?.close();
  });
  // Chromium's sandbox does not work as root.
  const chromiumSandbox = process.getuid?.() !== 0;
  const args = ['--disable-quic', `--user-agent=${browserAgent}`];
  return async () => (browser ??= chromium.launch({executablePath, chromiumSandbox, args}));
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
  const {violations, incomplete} = await page.evaluate<Record<'violations' | 'incomplete', Finding[]>>('axe.run()');
  return [...violations, ...incomplete].flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary = ''}) => `${id}: ${html}\n${failureSummary}`),
  );
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
