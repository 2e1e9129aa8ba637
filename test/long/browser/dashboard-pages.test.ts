import type {ExecutionContext} from 'ava';
import type {Page} from 'playwright-core';
import {complaintsOf, faultsOf, inBrowser, inBrowserAtNight, isFine, sharedChromium} from '../../support/chromium.ts';
import {open, type Stage, type StageOptions} from '../../support/dashboard.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const openPage = sharedChromium();

/**
 * Links in every state, with titles, tags and URLs of the maximum length.
 *
 * @param plain further links; by default there is more than a page of all. axe takes long for each.
 */
async function fill({shortener, origin, clock}: Stage, plain = 22): Promise<string> {
  const account = 'operator';
  for (let number = 0; number < plain; number++)
    await shortener.links.create(account, {url: `https://example.org/${number}`});
  const off = await shortener.links.create(account, {url: 'https://example.org/', customUrl: 'off', title: 'Off'});
  await shortener.links.disable(account, off.shortUrl);
  await shortener.links.create(account, {url: 'https://example.org/', customUrl: 'over', expiryDate: '2031-05-06'});
  const {shortUrl} = await shortener.links.create(account, {
    url: `https://example.com/${'a-long-address/'.repeat(100)}?q=${'x'.repeat(500)}`,
    customUrl: 'W'.repeat(64),
    title: 'W'.repeat(200),
    tags: Array.from({length: 20}, (_, index) => `${index}${'m'.repeat(48)}`),
    maxVisits: 1_000_000_000,
    expiryDate: '2999-12-31',
  });
  for (let visits = 0; visits < 12; visits++) {
    const headers = {Referer: `https://${'w'.repeat(60)}${visits}.example/`};
    const answer = await openAsPerson(`${origin}/${'W'.repeat(64)}`, headers);
    const via = viaOf(answer.headers.getSetCookie());
    const name = visits % 2 === 0 ? 'registration' : 'subscription_to_our_news_letter';
    const currency = visits % 4 < 2 ? 'EUR' : 'USD';
    await shortener.conversions.record({via}, {name, id: visits, value: 123_456, currency});
    if (visits % 3 === 0) await shortener.conversions.refund({name, id: visits, refund: 1, value: 999});
  }
  clock.now += 24 * 60 * 60 * 1000;
  return shortUrl;
}

async function submit(page: Page, button: string, entered: Record<string, string>): Promise<void> {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
  for (const [label, text] of Object.entries(entered)) await page.getByLabel(label, {exact: true}).fill(text);
  // Turns off the browser's own validation, so that the dashboard has to explain the errors.
  await page.evaluate('for (const form of document.forms) form.noValidate = true');
  await page.getByRole('button', {name: button, exact: true}).click();
  await page.locator('.links-error').first().waitFor();
}

/** Every page in each of its states. */
async function* tour(page: Page, stage: Stage): AsyncGenerator<string> {
  const {home} = stage;
  const openAll = () =>
    page.evaluate('for (const each of document.querySelectorAll("details:not([open])")) each.open = true');
  await page.goto(home);
  yield 'no links';
  await submit(page, 'Create short link', {
    'Long URL': 'ftp://example.org/',
    'Custom ending': '#',
    Tags: 'x'.repeat(60),
  });
  yield 'mistakes in a new link';
  const shortUrl = await fill(stage);
  const query = `?short_url=${encodeURIComponent(shortUrl)}`;
  for (const path of ['', '?search=nothing', `link${query}`, 'api']) {
    await page.goto(home + path);
    await openAll();
    yield path;
  }
  await page.goto(`${home}link${query}`);
  await submit(page, 'Save changes', {'Long URL': 'nonsense', 'Visit limit': '0'});
  yield 'mistakes in a change';
  await page.goto(`${home}many`);
  await submit(page, 'Read and check', {
    'Long URLs': 'url\tlimit_of_clicks\nhttps://example.org/1\t50\nhttps://example.org/2\t\nnonsense',
  });
  // The script shows both answers without a navigation.
  const column = page.getByLabel('Use “limit_of_clicks” as');
  await column.waitFor();
  yield 'columns and mistakes of many links';
  await column.selectOption('Visit limit');
  await submit(page, 'Create short links', {});
  await page.locator('.links-answer').waitFor();
  yield 'mistakes in some of many links';
  for (const path of [
    'today',
    'operator?status=blocked',
    'operator',
    `operator${query}`,
    `operator?short_url=${home}nothing`,
    'accounts',
    'link',
  ]) {
    await page.goto(home + path);
    yield path;
  }
}

/** A site on which the operator has an account, too. */
async function start(t: ExecutionContext, options?: StageOptions): Promise<Stage> {
  const stage = await open(t, options);
  await stage.shortener.accounts.create('operator');
  return stage;
}

/** A page of the operator. */
function openAsOperator(t: ExecutionContext, locale: string, hasTouch = false): Promise<Page> {
  return openPage(t, {bypassCSP: true, locale, hasTouch, extraHTTPHeaders: {'X-User': 'operator'}});
}

inBrowser('every page is accessible and fits the screen, dark on a phone and light on a desktop', async (t) => {
  const dashboard = {siteName: 'Low Tide', accent: '#0b5d66'};
  const stage = await start(t, {shortUrl: {attribution: {}}, dashboard});
  const page = await openAsOperator(t, 'en-GB');
  const complaints = complaintsOf(page);
  for await (const name of tour(page, stage)) await isFine(t, page, name);
  t.deepEqual(complaints, []);
});

inBrowserAtNight(
  'a day of the chart shows its number when it is pointed at or touched, in light and dark',
  async (t) => {
    const stage = await start(t);
    const {shortUrl} = await stage.shortener.links.create('operator', {url: 'https://example.org/'});
    await openAsPerson(shortUrl);
    const page = await openAsOperator(t, 'en-GB', true);
    await page.goto(`${stage.home}link?short_url=${encodeURIComponent(shortUrl)}`);
    const today = page.locator('.links-days span').last();
    const shown = () =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('.links-days span:last-child'), '::after').content`,
      );
    t.is(await shown(), 'none');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({colorScheme});
      for (const act of ['hover', 'tap'] as const) {
        await today[act]();
        t.is(await shown(), '"May 6, 2031: 1 visit"');
        t.deepEqual(await faultsOf(page), []);
        await page.getByRole('heading', {level: 1}).click();
      }
    }
  },
);

inBrowserAtNight('the list fits into a window and into a column of the host of any width', async (t) => {
  const stage = await start(t, {
    shortUrl: {attribution: {}},
    dashboard: {
      layout: ({title, language, head, content}) =>
        `<!doctype html><html lang="${language}"><head><title>${title}</title>${head}</head><body><main>${content}</main></body></html>`,
    },
  });
  await fill(stage);
  for (const locale of ['en-GB', 'de-DE']) {
    const page = await openAsOperator(t, locale);
    await page.setViewportSize({width: 1280, height: 800});
    for (const path of ['', 'accounts']) {
      await page.goto(stage.home + path);
      for (const width of [320, 640, 720, 880, 960, 1000, 1030, 1060, 1090, 1200]) {
        const needed = await page.evaluate<number>(`{
          document.querySelector('main').style.width = '${width}px';
          document.querySelector('.links-table').getBoundingClientRect().width;
        }`);
        t.true(needed <= width, `${locale} ${path}: ${needed} in ${width}`);
      }
      const display = () =>
        page.evaluate<string>('getComputedStyle(document.querySelector(".links-table tr")).display');
      t.is(await display(), 'table-row');
      const low = `Array.from(document.querySelectorAll('td .links-short'), (link) => link.offsetHeight).filter((height) => height < 24)`;
      t.deepEqual(await page.evaluate(low), [], 'every short link can be touched');
      await page.evaluate('document.querySelector("main").style.width = "45rem"');
      t.is(await display(), 'flex');
    }
  }
});

inBrowser('the parts of the list page have the sizes that fingers and eyes need', async (t) => {
  const stage = await start(t, {shortUrl: {attribution: {}}});
  await fill(stage);
  for (const width of [390, 1280]) {
    const page = await openAsOperator(t, 'en-GB');
    await page.setViewportSize({width, height: 800});
    await page.goto(stage.home);
    await page.evaluate('document.querySelector(".links-spans").closest("details").open = true');
    const heights = await page.evaluate<number[]>(
      'Array.from(document.querySelectorAll(".links-spans a"), (link) => link.getBoundingClientRect().height)',
    );
    t.is(heights.length, 6);
    t.true(Math.min(...heights) >= 24, `${width}: ${heights.join()}`);
    const [above, below] = await page.evaluate<[number, number]>(`{
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      const card = box('#links-create');
      [box('#links-create form').top - card.top, card.bottom - box('#links-create .links-options summary').bottom];
    }`);
    t.is(below, above, `${width}`);
    const lines = await page.evaluate<number[]>(
      'Array.from(document.querySelectorAll(".links-conversions > span"), (each) => each.offsetHeight)',
    );
    t.is(lines.length, 2);
    t.true(Math.max(...lines) <= 100, `${width}: ${lines.join()}`);
  }
});

/** Rules of a site that would spoil every element of the dashboard. */
const hostileRules = `
  * { float: left; position: relative; animation: none; }
  button { width: 100%; padding: 30px; border-radius: 0; background: lime; text-transform: uppercase; }
  a { color: red !important; font-size: 30px !important; }
  #site a { color: orange !important; display: block; }
  nav, nav a { padding: 40px; background: black; }
  table { display: block; border: 5px solid red; }
  td, th { padding: 40px !important; background: pink; }
  input, select { width: 30px !important; border: 9px dotted red; appearance: none; }
  h1, h2, h3 { font: 70px fantasy; text-align: center; }
  label { display: inline; float: right; font-size: 8px; }
  p, ul, form, section, fieldset { margin: 50px; padding: 20px; border: 2px solid; }
  li::before, *::after { content: "→" !important; }
  svg, img { width: 10px !important; opacity: 0.2; }
  rect, path { fill: red !important; stroke: red !important; transform: scale(3); }
  details, fieldset { display: none; }
  summary { list-style: square; visibility: hidden; }
`;

/** Each element of the dashboard with its place, its size, its colours and the text of its pseudo-elements. */
const appearance = `Array.from(document.querySelectorAll('.links-dashboard, .links-dashboard *'), (element) => {
  const {left, top, width, height} = element.getBoundingClientRect();
  const {color, backgroundColor, fill, fontFamily, fontSize, textTransform, visibility, opacity} = getComputedStyle(element);
  const extra = ['::before', '::after'].map((name) => getComputedStyle(element, name).content);
  return [element.outerHTML.slice(0, 80), ...[left, top, width, height].map(Math.round), color, backgroundColor, fill, fontFamily, fontSize, textTransform, visibility, opacity, ...extra].join(' ');
})`;

inBrowser("no rule of the site's own style sheet changes the dashboard, and its font is the site's", async (t) => {
  const stage = await start(t, {
    shortUrl: {attribution: {}},
    dashboard: {
      user: () => ({name: 'Ada', logout: '/logout'}),
      layout: ({title, language, head, content}, ctx) =>
        `<!doctype html><html lang="${language}"><head><title>${title}</title>${head}
<style>body { margin: 0; font: 18px Georgia, serif; } @layer reset { a { color: green; } }
${ctx.get('X-Site') === 'hostile' ? hostileRules : ''}
html, body, main { float: none; position: static; animation: none; } main::after, body::after, html::after { content: none !important; }
</style></head><body><main id="site">${content}</main></body></html>`,
    },
  });
  const shortUrl = await fill(stage);
  const page = await openAsOperator(t, 'en-GB');
  for (const [path, width] of [
    ['', 1280],
    ['', 360],
    [`link?short_url=${encodeURIComponent(shortUrl)}`, 1280],
    ['api', 1280],
    ['accounts', 1280],
  ] as const) {
    await page.setViewportSize({width, height: 800});
    const seen: string[][] = [];
    for (const site of ['plain', 'hostile']) {
      await page.setExtraHTTPHeaders({'X-User': 'operator', 'X-Site': site});
      await page.goto(stage.home + path);
      seen.push(await page.evaluate<string[]>(appearance));
    }
    t.true((seen[0]?.length ?? 0) > 40);
    const [plain = [], hostile = []] = seen;
    t.deepEqual(
      hostile.filter((look, index) => look !== plain[index]),
      plain.filter((look, index) => look !== hostile[index]),
      `${path} ${width}`,
    );
  }
  const font = await page.evaluate<string>(`{
    const {fontFamily, fontSize} = getComputedStyle(document.querySelector('.links-dashboard button'));
    [fontFamily, parseFloat(fontSize) > 16].join(' ');
  }`);
  t.is(font, 'Georgia, serif true');
});

inBrowserAtNight('the longest words of every language fit, in any colour', async (t) => {
  const stage = await start(t, {dashboard: {accent: '#ffe600'}});
  const shortUrl = await fill(stage, 0);
  for (const locale of ['de-DE', 'fr-FR', 'es-ES', 'zh-CN', 'zh-TW']) {
    const page = await openAsOperator(t, locale);
    for (const path of ['', `link?short_url=${encodeURIComponent(shortUrl)}`]) {
      await page.goto(stage.home + path);
      await isFine(t, page, `${locale} ${path}`);
    }
  }
});

inBrowser(
  'a page of a link is printed with its numbers and the whole chart, and without what can be pressed',
  async (t) => {
    const stage = await start(t);
    const {shortUrl} = await stage.shortener.links.create('operator', {url: 'https://example.org/', title: 'Poster'});
    await openAsPerson(shortUrl);
    const page = await openAsOperator(t, 'en-GB');
    await page.goto(`${stage.home}link?short_url=${encodeURIComponent(shortUrl)}&days=month`);
    // Most printers take A4.
    await page.setViewportSize({width: 680, height: 1000});
    await page.emulateMedia({media: 'print'});
    const shown = (selector: string): Promise<string[]> =>
      page.evaluate<string[]>(
        `Array.from(document.querySelectorAll('${selector}')).filter((each) => each.getClientRects().length > 0).map((each) => each.textContent.trim())`,
      );
    t.deepEqual(await shown('form, input, button, a.links-button, summary ~ form'), []);
    t.deepEqual(await shown('h1, h2'), ['Poster', 'Visits', 'QR code']);
    t.deepEqual(await shown('.links-spans li'), ['This month']);
    t.is((await shown('.links-chart svg')).length, 1);
    const pages = (await page.pdf({format: 'A4'})).toString('latin1').match(/\/Type\s*\/Page\b/g);
    t.true((pages?.length ?? 0) <= 2, 'and no page is empty');
  },
);
