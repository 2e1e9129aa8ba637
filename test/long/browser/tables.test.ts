import '../../support/quick-scrypt.ts';
import {EventEmitter, once} from 'node:events';
import type {ExecutionContext} from 'ava';
import type {Page} from 'playwright-core';
import {complaintsOf, inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open, type Stage, type StageOptions} from '../../support/dashboard.ts';
import {savedBy, tabTo} from '../../support/keyboard.ts';

const openPage = sharedChromium();

/** A page of a user, under the policy of the dashboard. */
function pageOf(t: ExecutionContext, options: object = {}): Promise<Page> {
  return openPage(t, {extraHTTPHeaders: {'X-User': 'ann'}, ...options});
}

/** What the link to the result saves. */
function answerOf(page: Page): Promise<string> {
  return savedBy(page, () => page.locator('.links-answer').click());
}

async function linksOf({shortener}: Stage): Promise<number> {
  return (await shortener.accounts.stats('ann')).links;
}

inBrowser('a user creates three hundred links from a German table with the keyboard alone', async (t) => {
  const stage = await open(t);
  for (const options of [{}, {javaScriptEnabled: false}]) {
    const before = await linksOf(stage);
    const way = Object.keys(options).length;
    const page = await pageOf(t, {locale: 'de-DE', ...options});
    const complaints = complaintsOf(page);
    await page.goto(`${stage.home}many`);
    await tabTo(page, 'textarea');
    const rows = Array.from(
      {length: 300},
      (_, n) =>
        `kurz-${way}-${n}\thttps://ziel.example/straße?n=${n}\tÜberschrift ${n}\t2099-12-31\t${n === 7 ? 'viele' : n + 1}`,
    );
    await page.keyboard.insertText(['Kürzel\tZiel\tTitel\tGültig bis\tBesuchslimit', ...rows].join('\n'));
    await tabTo(page, 'form[action$=read-many] button');
    await page.keyboard.press('Enter');
    await page.getByText('300 Zeilen wurden gelesen. Noch ist nichts gespeichert.').waitFor();
    await page.getByText('1 Zeile hat einen Fehler und wird ausgelassen.').waitFor();
    t.is(await linksOf(stage), before);
    await tabTo(page, '[name=column_2]');
    t.is(await page.locator('[name=column_2]').inputValue(), 'title');
    await tabTo(page, '[name=tags]');
    await page.keyboard.insertText('Flugblatt');
    await tabTo(page, 'form[action$=create-many] button:not([formaction])');
    await page.keyboard.press('Enter');
    await page.getByText('299 Kurzlinks wurden erstellt.').waitFor();
    t.is(await linksOf(stage), before + 299);
    const link = await stage.shortener.links.info('ann', `${stage.origin}/kurz-${way}-8`);
    t.like(link, {title: 'Überschrift 8', tags: ['Flugblatt'], expiryDate: '2099-12-31 23:59:59', maxVisits: 9});
    t.regex(await page.locator('textarea').inputValue(), /^Eigene Endung\t.*\nkurz-\d-7\t.*\tviele$/);
    const lines = (await answerOf(page)).trim().split('\r\n');
    t.is(lines.length, 301);
    t.deepEqual(complaints, []);
  }
});

/** A site behind a proxy that answers for it, and tells so, once the site has stored as many tables as `room` says. */
class FailingSite extends EventEmitter {
  room = 0;

  readonly options: StageOptions = {
    assemble: (app, {shortener, pages}) => {
      app.use(async (ctx, next) => {
        const isTable = ctx.path.endsWith('/create-many');
        if (isTable && this.room === 0) {
          ctx.status = 502;
          this.emit('outage');
          return;
        }
        if (isTable) this.room -= 1;
        await next();
      });
      app.use(shortener).use(pages);
      return undefined;
    },
  };
}

inBrowser('the beginning of a long file is shown, whatever ends its lines, and that more follows', async (t) => {
  const stage = await open(t);
  const page = await pageOf(t);
  const rows = Array.from({length: 3000}, (_, n) => `https://example.org/${'x'.repeat(400)}?n=${n},"Title\n${n}"`);
  for (const [end, encoding] of [
    ['\r', 'utf8'],
    ['\n', 'utf16le'],
    ['\r', 'utf16le'],
  ] as const) {
    const buffer = Buffer.from(`\uFEFF${['url,title', ...rows].join(end)}`, encoding);
    await page.goto(`${stage.home}many`);
    await page.getByLabel('Or a CSV file').setInputFiles({name: 'links.csv', mimeType: 'text/csv', buffer});
    await page.getByRole('button', {name: 'Read and check'}).click();
    await page.getByText(/^[\d,]+ lines were read\. Nothing is saved yet\. More lines follow\.$/).waitFor();
    t.false(await page.getByText('mistake').isVisible());
  }
});

inBrowser(
  'a long file goes on after an outage and after its page was closed, and creates each link once',
  async (t) => {
    const site = new FailingSite();
    site.room = 1;
    const stage = await open(t, site.options);
    const page = await pageOf(t);
    const complaints = complaintsOf(page);
    await page.goto(`${stage.home}many`);
    const rows = Array.from({length: 3000}, (_, n) => `https://example.org/${'x'.repeat(400)}?n=${n},"Title,\n${n}"`);
    const buffer = Buffer.from(['url,title', ...rows].join('\r\n'));
    t.true(buffer.length > 1_250_000, 'one form has no room for the file');
    await page.getByLabel('Or a CSV file').setInputFiles({name: 'links.csv', mimeType: 'text/csv', buffer});
    await page.getByRole('button', {name: 'Read and check'}).click();
    await page.getByText('lines were read. Nothing is saved yet.').waitFor();
    await page.getByRole('button', {name: 'Create short links'}).click();
    await page.getByText('The site does not answer. Trying again…').waitFor();
    site.room = 2;
    await once(site, 'outage');
    await page.getByText('The site does not answer. Trying again…').waitFor();
    t.true((await linksOf(stage)) < 3000);
    const later = await page.context().newPage();
    await page.close();
    site.room = Infinity;
    await later.goto(`${stage.home}many`);
    await later.getByText('You have lines that are not finished.').waitFor();
    await later.getByRole('button', {name: 'Go on'}).click();
    await later.getByText('3,000 short links were created.').waitFor();
    t.is(await linksOf(stage), 3000);
    const lines = (await answerOf(later)).trim().split('\r\n');
    t.is(lines.length, 3001);
    t.regex(lines[0] ?? '', /^\u{FEFF}?Long URL,Short URL,Title,Mistake$/u);
    t.is(new Set(lines).size, 3001);
    await later.goto(`${stage.home}many`);
    t.false(await later.getByText('You have lines that are not finished.').isVisible());
    t.deepEqual(
      complaints.filter((text) => !text.includes('502')),
      [],
    );
  },
);
