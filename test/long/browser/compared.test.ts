import type {Page} from 'playwright-core';
import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open} from '../../support/dashboard.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const openPage = sharedChromium();

/** In pixels: a title of five lines, a bar and four lines of numbers, with their space. */
const maxRow = 280;

/** How far a page can be scrolled sideways, and the height of its highest row. */
async function measure(page: Page): Promise<{readonly sideways: number; readonly row: number}> {
  return page.evaluate<{sideways: number; row: number}>(`({
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    row: Math.max(...Array.from(document.querySelectorAll('.links-fitted tbody tr'), (row) => row.offsetHeight)),
  })`);
}

inBrowser(
  'on a phone the comparison neither scrolls sideways nor has high rows, in six languages, with long words',
  async (t) => {
    const long = 'Donaudampfschifffahrtsgesellschaft';
    const names = {
      order: {en: 'Confirmed reservations', de: 'Reservierungsbestätigungen', fr: 'Réservations confirmées'},
    };
    const {shortener, home} = await open(t, {shortUrl: {attribution: {names}}, dashboard: {account: () => 'ann'}});
    for (const title of [`${long} ${long}`, 'Poster', undefined]) {
      const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', title, tags: [long]});
      const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
      for (const currency of ['EUR', 'KRW']) {
        const id = `${title} ${currency}`;
        await shortener.conversions.record({via}, {name: 'order', id, value: 123_456_789, currency});
        await shortener.conversions.refund({name: 'order', id, refund: 1, value: 1});
      }
    }
    for (const locale of ['en', 'de', 'es', 'fr', 'zh-CN', 'zh-TW']) {
      for (const width of [320, 390, 639]) {
        const page = await openPage(t, {locale, viewport: {width, height: 800}});
        for (const query of ['days=month', 'days=month&by=tag&name=*&order=visits', 'currency=KRW']) {
          await page.goto(`${home}compare?${query}`);
          const {sideways, row} = await measure(page);
          t.is(sideways, 0, `${locale} ${width} ${query}`);
          t.true(row <= maxRow, `${locale} ${width} ${query}: a row is ${row} px high`);
        }
        await page.close();
      }
    }
  },
);
