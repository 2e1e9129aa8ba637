import type {ExecutionContext} from 'ava';
import type {Page} from 'playwright-core';
import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open, type Stage} from '../../support/dashboard.ts';
import {isNight} from '../../support/night.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const openPage = sharedChromium();

/** In pixels: a title of five lines, a bar and four lines of numbers, with their space. */
const maxRow = 280;

const long = 'Donaudampfschifffahrtsgesellschaft';
const locales = ['en', 'de', 'es', 'fr', 'zh-CN', 'zh-TW'];

/** How far a page can be scrolled sideways, the height of its highest row, and the words and numbers that are broken. */
async function measure(page: Page): Promise<{readonly sideways: number; readonly row: number; broken: string[]}> {
  return page.evaluate<{sideways: number; row: number; broken: string[]}>(`{
    const cells = document.querySelectorAll('td[data-label], .links-sums :is(th, td), .links-compared thead a, dd');
    const broken = Array.from(cells).flatMap((cell) => {
      const found = [];
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const {0: word, index} of texts.currentNode.data.matchAll(/[\\p{Script=Latin}\\d.,%€₩]+/gu)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (new Set(Array.from(range.getClientRects(), ({top}) => top)).size > 1) found.push(word);
        }
      }
      return found;
    });
    ({
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      row: Math.max(...Array.from(document.querySelectorAll('.links-fitted tbody tr'), (row) => row.offsetHeight)),
      broken,
    });
  }`);
}

/** Links with long words, visits, and conversions of two names in two currencies, some of them refunded. */
async function start(t: ExecutionContext): Promise<Stage> {
  const names = {
    order: {en: 'Confirmed reservations', de: 'Registrierungen', fr: 'Réservations confirmées'},
    newsletter: {en: 'Newsletter', de: 'Bestellungen'},
  };
  const stage = await open(t, {
    shortUrl: {attribution: {names}},
    dashboard: {account: () => 'ann', admin: () => true, describeAccount: () => ({email: `${long}@hafen.example`})},
  });
  const {shortener} = stage;
  for (const title of [`${long} ${long}`, 'Poster', undefined]) {
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', title, tags: [long]});
    const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
    for (const currency of ['EUR', 'KRW']) {
      const id = `${title} ${currency}`;
      await shortener.conversions.record({via}, {name: 'order', id, value: 123_456_789, currency});
      await shortener.conversions.refund({name: 'order', id, refund: 1, value: 1});
      await shortener.conversions.record({via}, {name: 'newsletter', id});
    }
  }
  return stage;
}

inBrowser(
  'on a phone the comparison neither scrolls sideways nor has high rows or broken words, in six languages',
  async (t) => {
    const {home} = await start(t);
    for (const locale of locales) {
      for (const width of [320, 390, 639]) {
        const page = await openPage(t, {locale, viewport: {width, height: 800}});
        for (const query of ['days=month', 'days=month&by=tag&name=*&order=visits', 'currency=KRW']) {
          await page.goto(`${home}compare?${query}`);
          const {sideways, row, broken} = await measure(page);
          t.is(sideways, 0, `${locale} ${width} ${query}`);
          t.true(row <= maxRow, `${locale} ${width} ${query}: a row is ${row} px high`);
          t.deepEqual(broken, [], `${locale} ${width} ${query}`);
        }
        await page.close();
      }
    }
  },
);

inBrowser('no word or number is broken in the lists of links and accounts, in six languages', async (t) => {
  const {home, shortener} = await start(t);
  const {url} = await shortener.links.share('ann', {tag: long}, {show: ['visits', 'conversions', 'amounts']});
  for (const locale of locales) {
    for (const width of isNight ? [320, 390, 1100, 1280] : [320, 1280]) {
      const page = await openPage(t, {locale, viewport: {width, height: 800}});
      for (const path of ['', 'accounts', 'account?account=ann', 'compare-accounts', url]) {
        await page.goto(path === url ? url : home + path);
        const {sideways, broken} = await measure(page);
        t.is(sideways, 0, `${locale} ${width} ${path}`);
        t.deepEqual(broken, [], `${locale} ${width} ${path}`);
      }
      await page.close();
    }
  }
});
