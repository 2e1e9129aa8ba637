import type {Page} from 'playwright-core';

/** Presses the Tab key until an element has the focus, and expects that it can be seen. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 100; count += 1) {
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) {
      const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
      if (outline === 'none') throw new Error(`The focus cannot be seen at ${selector}`);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${selector}`);
}

/** The text of the file that an action saves. */
export async function savedBy(page: Page, act: () => Promise<void>): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent('download'), act()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
