import type {ExecutionContext} from 'ava';
import type {Page} from 'playwright-core';
import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open, type Stage} from '../../support/dashboard.ts';
import {savedBy, tabTo} from '../../support/keyboard.ts';
import {isNight} from '../../support/night.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const openPage = sharedChromium();

/** In pixels: a title of five lines, a bar and four lines of numbers, with their space. */
const maxRow = 280;

const long = 'Donaudampfschifffahrtsgesellschaft';
const locales = ['en', 'de', 'es', 'fr', 'zh-CN', 'zh-TW'];

/**
 * How far a page can be scrolled sideways in a window of this width, the height of its highest row, and the words and
 * numbers that are broken. To load a page takes longer than to lay it out again.
 */
async function measure(
  page: Page,
  width: number,
): Promise<{readonly sideways: number; readonly row: number; broken: string[]}> {
  await page.setViewportSize({width, height: 800});
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
      const page = await openPage(t, {locale});
      for (const query of ['days=month', 'days=month&by=tag&name=*&order=visits', 'currency=KRW']) {
        await page.goto(`${home}compare?${query}`);
        for (const width of [320, 390, 639]) {
          const {sideways, row, broken} = await measure(page, width);
          t.is(sideways, 0, `${locale} ${width} ${query}`);
          t.true(row <= maxRow, `${locale} ${width} ${query}: a row is ${row} px high`);
          t.deepEqual(broken, [], `${locale} ${width} ${query}`);
        }
      }
      await page.close();
    }
  },
);

inBrowser('no word or number is broken in the lists of links and accounts, in six languages', async (t) => {
  const {home, shortener} = await start(t);
  const {url} = await shortener.links.share('ann', {tag: long}, {show: ['visits', 'conversions', 'amounts']});
  for (const locale of locales) {
    const page = await openPage(t, {locale});
    for (const path of ['', 'accounts', 'account?account=ann', 'compare-accounts', url]) {
      await page.goto(path === url ? url : home + path);
      for (const width of isNight ? [320, 390, 1100, 1280] : [320, 1280]) {
        const {sideways, broken} = await measure(page, width);
        t.is(sideways, 0, `${locale} ${width} ${path}`);
        t.deepEqual(broken, [], `${locale} ${width} ${path}`);
      }
    }
    await page.close();
  }
});

inBrowser('which poster sold more than last month is found out, and saved, with the keyboard alone', async (t) => {
  const {shortener, home, clock} = await open(t, {
    shortUrl: {attribution: {names: {order: 'Orders'}}},
    dashboard: {account: () => 'ann'},
  });
  const today = clock.now;
  const sell = async (shortUrl: string, date: string, orders: number, currency: string): Promise<void> => {
    clock.now = Date.parse(`${date}T12:00:00Z`);
    const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
    for (const number of Array.from({length: orders}, (_, index) => index + 1)) {
      const id = `${shortUrl} ${date} ${currency} ${number}`;
      await shortener.conversions.record({via}, {name: 'order', id, value: 1250 * number, currency});
    }
  };
  clock.now = Date.parse('2031-04-01T08:00:00Z');
  const url = 'https://example.org/';
  const made = async (title: string, tags: string[]) =>
    (await shortener.links.create('ann', {url, title, tags})).shortUrl;
  const [harbour, station, mail] = [
    await made('Harbour', ['Poster']),
    await made('Station', ['Poster']),
    await made('Letter', ['Mail']),
  ];
  for (const [shortUrl, before, now] of [
    [harbour, 1, 4],
    [station, 3, 2],
    [mail, 9, 9],
  ] as const) {
    await sell(shortUrl, '2031-04-03', before, 'USD');
    // Not one of the same days of the month before.
    await sell(shortUrl, '2031-04-20', 5, 'USD');
    await sell(shortUrl, '2031-05-02', now, 'USD');
    await sell(shortUrl, '2031-05-03', 6, 'EUR');
  }
  clock.now = today;

  const page = await openPage(t);
  await page.goto(home);
  /** Presses Enter, and waits for the page whose address has a text. */
  const enter = async (part: string): Promise<void> => {
    await page.keyboard.press('Enter');
    await page.waitForURL((address) => address.href.includes(part));
  };
  const follow = async (link: string, part: string): Promise<void> => {
    await tabTo(page, link);
    await enter(part);
  };
  await follow('.links-tabs a[href*="compare"]', 'compare');
  await tabTo(page, '.links-tag-form input');
  await page.keyboard.insertText('Poster');
  await enter('tag=Poster');
  await follow('.links-spans a[href*="days=month"]', 'days=month');
  await follow('.links-spans a[href*="currency=USD"]', 'currency=USD');
  await follow('.links-compared th a[href*="order=conversions"]', 'order=conversions');
  const cells = (selector: string): Promise<string[][]> =>
    page.evaluate<string[][]>(
      `Array.from(document.querySelectorAll('${selector}'), (row) => Array.from(row.cells, (cell) => cell.innerText.trim()))`,
    );
  t.deepEqual((await cells('.links-sums tbody tr')).slice(0, 4), [
    ['Visits', '4', '2', '+100%'],
    ['Orders', '18', '4', '+350%'],
    ['Rate', '450%', '200%', ''],
    ['Value', '$162.50', '$87.50', '+86%'],
  ]);
  const rows = (await cells('#links-visits .links-compared tbody tr')).map(([name = '', ...figures]) => [
    name.split(/\s/)[0],
    ...figures,
  ]);
  t.deepEqual(rows, [
    ['Harbour', '2', '10', '500%', '$125.00'],
    ['Station', '2', '8', '400%', '$37.50'],
  ]);

  await tabTo(page, '#links-visits .links-title a[href*="links.csv"]');
  const file = await savedBy(page, () => page.keyboard.press('Enter'));
  const [header = [], ...lines] = file
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const saved = lines.map((line) =>
    ['Title', 'Visits', 'Conversions', 'Value USD'].map((name) => line[header.indexOf(name)]),
  );
  t.deepEqual(
    saved,
    rows.map(([name, visits, orders, , value = '']) => [name, visits, orders, value.replace('$', '')]),
  );

  // What the first one had last month is on its page.
  await follow('#links-visits .links-compared tbody a', 'link?short_url=');
  const counts = (await page.locator('.links-counts').first().innerText()).replaceAll(/\s+/g, ' ');
  t.regex(counts, /Conversions 10 Apr 1 – 6, 2031: 1 \(\+900%\) Value \$125\.00 Apr 1 – 6, 2031: \$12\.50 \(\+900%\)/);
});
