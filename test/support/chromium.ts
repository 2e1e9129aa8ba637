import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import test from 'ava';
import {type Browser, chromium, type Page} from 'playwright-core';

/** Where Debian's package puts it; no browser is ever downloaded. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Declares a test in a browser; it is skipped where there is none, and fails where CI runs. */
export const inBrowser = whyNoChromium() === undefined ? test : test.skip;

function whyNoChromium(): string | undefined {
  if (existsSync(executablePath)) return undefined;
  const reason = `Chromium is not installed at ${executablePath}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`Tests in a browser are skipped: ${reason}`);
  return reason;
}

/**
 * One browser for the tests of a file: it starts with the first that asks for it, and is closed after the last. Call
 * it where tests are declared. A test opens a context of its own in it, and closes that.
 */
export function sharedChromium(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  test.after.always(async () => {
    await (await browser)?.close();
    browser = undefined;
  });
  // As root it has no sandbox to run in.
  const chromiumSandbox = process.getuid?.() !== 0;
  return async () => (browser ??= chromium.launch({executablePath, chromiumSandbox, args: ['--disable-quic']}));
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly nodes: ReadonlyArray<{readonly html: string; readonly failureSummary?: string}>;
}

/**
 * What axe has to say against a page, or cannot decide about it; nothing is left out of its rules. The page's context
 * needs `bypassCSP` where its policy forbids scripts.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.addScriptTag({content: axe});
  const {violations, incomplete} = await page.evaluate<Record<'violations' | 'incomplete', Finding[]>>('axe.run()');
  return [...violations, ...incomplete].flatMap(({id, nodes}) =>
    nodes.map(({html, failureSummary = ''}) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** Hears everything that a page complains of, but for the status of its own answer, which Chromium writes down too. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}
