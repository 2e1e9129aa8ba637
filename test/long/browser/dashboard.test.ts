import {EventEmitter, once} from 'node:events';
import {bodyParser} from '@koa/bodyparser';
import type {ExecutionContext} from 'ava';
import helmet from 'koa-helmet';
import session from 'koa-session';
import type {BrowserContextOptions, Page} from 'playwright-core';
import '../../support/quick-scrypt.ts';
import {complaintsOf, inBrowser, sharedChromium, ways} from '../../support/chromium.ts';
import {open, type Stage, type StageOptions} from '../../support/dashboard.ts';

const openPage = sharedChromium();

/** A typical site: helmet, sessions and a body parser before the dashboard, without settings for it. */
const usualSite: StageOptions = {
  dashboard: {account: (ctx) => (ctx.session as unknown as {user?: string} | null)?.user},
  assemble(app, {shortener, pages}) {
    app.keys = ['a secret for tests, and for nothing else'];
    app.use(helmet()).use(session(app)).use(bodyParser());
    app.use(async (ctx, next) => {
      if (ctx.path === '/login') {
        ctx.session = {user: 'ann'} as never;
        ctx.redirect(String(ctx.query['next'] ?? '/links'));
      } else if (ctx.path === '/about') ctx.body = 'About';
      else await next();
    });
    app.use(shortener).use(pages);
    return undefined;
  },
};

interface Visit extends Stage {
  readonly page: Page;
  /** The errors on the console so far. */
  readonly complaints: string[];
}

async function visit(t: ExecutionContext, options: BrowserContextOptions = {}, site = usualSite): Promise<Visit> {
  const stage = await open(t, site);
  const page = await openPage(t, options);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const complaints = complaintsOf(page);
  await page.goto(stage.home);
  return {...stage, page, complaints};
}

/** Creates a link with every option, which leads to a page of the site. */
async function createWithEveryOption({page, origin}: Visit): Promise<string> {
  await page.getByRole('textbox', {name: 'Long URL'}).fill(`${origin}/about`);
  await page.getByText('More options').click();
  await page.getByLabel('Custom ending').fill('tickets');
  await page.getByLabel('Title', {exact: true}).fill('Festival tickets');
  await page.getByLabel('Tags').fill('poster, print');
  await page.getByLabel('Password').fill('open sesame');
  await page.getByLabel('Expiry date').fill('2999-12-31');
  await page.getByLabel('Visit limit').fill('5');
  await page.getByRole('button', {name: 'Create short link'}).click();
  const shortUrl = `${origin}/tickets`;
  await page
    .getByRole('status')
    .getByRole('link', {name: shortUrl.replace('http://', '')})
    .waitFor();
  return shortUrl;
}

async function statusOf(page: Page, address: string): Promise<number | undefined> {
  return (await page.goto(address))?.status();
}

async function enterPassword(stranger: Page, text: string): Promise<void> {
  await stranger.getByRole('textbox').fill(text);
  await stranger.getByRole('button').click();
}

async function shownKey(page: Page): Promise<string> {
  await page.getByLabel('Show the key').check();
  return page.locator('#links-api-key').innerText();
}

async function listWith(origin: string, key: string): Promise<number> {
  const headers = {Authorization: `Bearer ${key}`};
  return (await fetch(`${origin}/api/v1/shorturl/list_active_urls.json`, {headers})).status;
}

for (const [way, options] of ways) {
  inBrowser(`${way} a user creates a link, sees its visits, changes, disables and removes it`, async (t) => {
    const visited = await visit(t, options);
    const {page, origin, home, complaints} = visited;
    const stranger = await openPage(t, options);
    await page.getByText('No links yet').waitFor();
    const shortUrl = await createWithEveryOption(visited);
    const row = page.getByRole('row').filter({hasText: '/tickets'});
    t.regex(
      await row.innerText(),
      /Festival tickets[^]*poster[^]*Active[^]*Password[^]*Until[^]*2999[^]*0 of 5 visits/,
    );

    t.is(await statusOf(stranger, shortUrl), 200);
    await enterPassword(stranger, 'open sesame');
    await stranger.waitForURL(`${origin}/about`);
    await page.goto(home);
    await row.getByRole('img', {name: '1 visit in the last 30 days.'}).waitFor();

    await row.getByRole('button', {name: `Disable: ${shortUrl}`}).click();
    await row.getByText('Disabled').waitFor();
    t.is(await statusOf(stranger, shortUrl), 410);
    await row.getByRole('button', {name: `Enable: ${shortUrl}`}).click();
    await row.getByText('Active').waitFor();
    t.is(await statusOf(stranger, shortUrl), 200);

    await row.getByRole('link', {name: `Details: ${shortUrl}`}).click();
    await page.getByLabel('Remove the password').check();
    await page.getByLabel('Title', {exact: true}).fill('Last tickets');
    await page.getByRole('button', {name: 'Save changes'}).click();
    await page.getByText('Your changes were saved.').waitFor();
    t.is(await page.getByRole('heading', {level: 1}).innerText(), 'Last tickets');
    t.is(await statusOf(stranger, shortUrl), 200);
    t.is(stranger.url(), `${origin}/about`);

    await page.getByText('Remove this link…').click();
    await page.getByRole('button', {name: 'Yes, remove it'}).click();
    await page.getByText('1 link was removed.').waitFor();
    await page.getByText('No links yet').waitFor();
    t.is(await statusOf(stranger, shortUrl), 410);
    t.deepEqual(complaints, []);
  });
}

inBrowser('the API key is hidden until requested, can be copied while hidden, and can be replaced', async (t) => {
  const {page, home, origin, complaints} = await visit(t);
  await page.getByRole('link', {name: 'API', exact: true}).click();
  const key = (await page.locator('#links-api-key').textContent()) ?? '';
  t.true(key.length >= 32);
  t.false((await page.locator('body').innerText()).includes(key));

  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('button', {name: 'Copy: API key'}).click();
  await page.locator('.links-said', {hasText: 'Copied'}).waitFor({state: 'attached'});
  t.is(await copied(), key);
  await page.getByRole('radio', {name: 'XML'}).check();
  t.false(await page.locator('#links-create-json').isVisible());
  await page.getByRole('button', {name: 'Copy: create-xml'}).click();
  await page.locator('#links-create-xml + button', {hasText: /^\s*Copied\s*$/}).waitFor();
  t.regex(
    await copied(),
    new RegExp(`^curl -H 'Authorization: Bearer ${key}' .* -d '.*' 'http://.*/shorturl/create\\.xml'$`),
  );

  t.is(await shownKey(page), key);
  t.true((await page.locator('#links-create-xml').innerText()).includes(key));
  await page.getByText('Replace the key…').click();
  await page.getByRole('button', {name: 'Yes, replace the key'}).click();
  await page.getByText('You have a new API key.').waitFor();
  const after = await shownKey(page);
  t.deepEqual([await listWith(origin, key), await listWith(origin, after)], [401, 200]);
  await page.goto(home);
  t.false((await page.locator('body').innerText()).includes(after));
  t.deepEqual(complaints, []);
});

inBrowser(
  'an error in the form is announced to a screen reader at its field, and the other fields keep their values',
  async (t) => {
    const {page} = await visit(t);
    await page.getByRole('textbox', {name: 'Long URL'}).fill('https://example.org/a');
    await page.getByText('More options').click();
    await page.getByLabel('Custom ending').fill('not one');
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('button', {name: 'Create short link'}).click();
    const field = page.getByLabel('Custom ending');
    await page.locator('#links-custom_url-error').waitFor();
    t.is(await field.getAttribute('aria-invalid'), 'true');
    t.is(await field.getAttribute('aria-describedby'), 'links-custom_url-error links-custom_url-hint');
    t.is(await page.evaluate('document.activeElement.id'), 'links-custom_url');
    t.deepEqual(
      await Promise.all(
        ['Long URL', 'Custom ending', 'Password'].map((label) => page.getByLabel(label, {exact: true}).inputValue()),
      ),
      ['https://example.org/a', 'not one', 'open sesame'],
    );
  },
);

inBrowser('the list is searched while the user types, and a button in it keeps the search', async (t) => {
  const {page, origin, home, shortener, complaints} = await visit(t);
  for (const customUrl of ['spring', 'summer']) {
    await shortener.links.create('ann', {url: `https://example.org/${customUrl}`, customUrl, tags: ['season']});
  }
  await page.goto(home);
  await page.getByRole('searchbox').pressSequentially('SPRI');
  await page.getByRole('row').filter({hasText: 'summer'}).waitFor({state: 'detached'});
  t.is(await page.getByRole('row').filter({hasText: 'spring'}).count(), 1);
  await page.getByRole('link', {name: 'Show all'}).click();
  await page.getByRole('row').filter({hasText: 'summer'}).waitFor();
  await page.getByRole('searchbox').pressSequentially('SPRI');
  // Where typing is slow, the list is that of `SP` first.
  await page.waitForURL(/=SPRI/);
  await page.getByRole('button', {name: `Disable: ${origin}/spring`}).click();
  await page.getByRole('button', {name: `Enable: ${origin}/spring`}).waitFor();
  t.is(await page.getByRole('searchbox').inputValue(), 'SPRI');
  await page.getByLabel('Status').selectOption('Active');
  await page.getByText('Nothing found').first().waitFor();
  await page.getByRole('link', {name: 'Show all'}).click();
  await page.getByRole('row').filter({hasText: 'summer'}).getByRole('link', {name: 'season'}).click();
  t.is(await page.getByRole('row').filter({hasText: 'season'}).count(), 2);
  t.is(await page.getByLabel('Tag', {exact: true}).inputValue(), 'season');
  t.deepEqual(complaints, []);
});

inBrowser('a form that is sent twice is posted once, and can be sent again after the user has gone back', async (t) => {
  const events = new EventEmitter();
  const released = once(events, 'release');
  const allowUrl = async (): Promise<boolean> => {
    events.emit('create');
    await released;
    return true;
  };
  const {page, home, shortener} = await visit(t, {}, {...usualSite, shortUrl: {allowUrl}});
  const button = page.getByRole('button', {name: 'Create short link'});
  const enter = (url: string) => page.getByRole('textbox', {name: 'Long URL'}).fill(url);
  await enter('https://example.org/');
  const {x, y} = (await button.boundingBox()) ?? {x: 0, y: 0};
  // Unlike the button's own method, the mouse does not wait for the answer.
  await Promise.all([once(events, 'create'), page.mouse.click(x + 9, y + 9)]);
  await page.mouse.click(x + 9, y + 9);
  events.emit('release');
  await page.getByText('Your new short link:').waitFor();
  t.is((await shortener.accounts.stats('ann')).links, 1);

  await page.goto(home);
  await enter('https://example.org/2');
  // The browser shows the page again, as it was.
  await page.evaluate(
    'document.querySelector("#links-create form").addEventListener("submit", (event) => { event.preventDefault(); }, {once: true})',
  );
  await button.click();
  await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}))');
  await button.click();
  await page.getByText('Your new short link:').waitFor();
  t.is((await shortener.accounts.stats('ann')).links, 2);
});

for (const [way, options] of ways) {
  inBrowser(`${way} a user gives a link rules and a campaign`, async (t) => {
    const {page, origin, home, shortener, complaints} = await visit(t, options);
    await page.goto(home);
    await page.getByRole('textbox', {name: 'Long URL'}).fill('example.org/page');
    await page.getByText('More options').click();
    await page.getByLabel('Custom ending').fill('spring');
    await page.getByText('Campaign parameters (UTM)').click();
    await page.getByLabel('Source').fill('poster');
    await page.getByText('Rules: another destination').click();
    const rule = (number: number) => page.getByRole('group', {name: `Rule ${number}`, exact: true});
    await rule(1).getByLabel('If the visitor uses').selectOption('an iPhone or iPad');
    await rule(1).getByLabel('then go to').fill('example.org/ios');
    await page.getByRole('button', {name: 'Add a rule'}).click();
    await rule(2).getByLabel('prefers the language').fill('German');
    await rule(2).getByLabel('then go to').fill('example.org/de');
    await page.getByRole('button', {name: 'Move up: Rule 2'}).click();
    await rule(2).getByLabel('then go to').press('Enter');
    await page.getByText('Your new short link:').waitFor();
    t.like(await shortener.links.info('ann', `${origin}/spring`), {
      originalUrl: 'https://example.org/page',
      utm: {source: 'poster'},
      rules: [
        {language: 'de', url: 'https://example.org/de'},
        {device: 'ios', url: 'https://example.org/ios'},
      ],
    });
    t.deepEqual(complaints, []);
  });
}

for (const [way, options] of ways) {
  inBrowser(`${way} a user tags, untags, disables and removes many links at once`, async (t) => {
    const {page, origin, home, shortener, complaints} = await visit(t, options);
    const names = ['spring', 'summer', 'autumn'];
    for (const customUrl of names) await shortener.links.create('ann', {url: 'https://example.org/', customUrl});
    await page.goto(home);
    const select = async (): Promise<void> => {
      for (const name of names.slice(0, 2)) await page.getByLabel(`Select: ${origin}/${name}`).check();
    };
    const bar = page.getByRole('group', {name: /^Selected links/});
    t.false(await bar.isVisible());
    await select();
    await bar.getByPlaceholder('Tag').fill('season');
    await page.keyboard.press('Enter');
    await page.getByText('2 links were tagged.').waitFor();
    t.is(await page.getByRole('row').filter({hasText: 'season'}).count(), 2);
    await select();
    await bar.getByPlaceholder('Tag').fill('season');
    await bar.getByRole('button', {name: 'Remove tag'}).click();
    await page.getByText('2 links no longer have the tag.').waitFor();
    t.is(await page.getByRole('row').filter({hasText: 'season'}).count(), 0);
    await select();
    await bar.getByRole('button', {name: 'Disable'}).click();
    await page.getByText('2 links were disabled.').waitFor();
    t.is(await page.getByRole('row').filter({hasText: 'Disabled'}).count(), 2);
    await select();
    await bar.getByRole('button', {name: 'Remove…'}).click();
    await page.getByRole('heading', {level: 1, name: 'Remove 2 links for good?'}).waitFor();
    await page.getByRole('button', {name: 'Yes, remove 2 links'}).click();
    await page.getByText('2 links were removed.').waitFor();
    t.deepEqual(
      (await shortener.links.page('ann')).links.map(({shortUrlPart}) => shortUrlPart),
      ['autumn'],
    );
    t.deepEqual(complaints, []);
  });
}

inBrowser('the page of a link shows its QR code, and has downloads of it', async (t) => {
  const visited = await visit(t);
  const {page, complaints} = visited;
  const shortUrl = await createWithEveryOption(visited);
  await page.getByRole('link', {name: `Details: ${shortUrl}`}).click();
  await page.getByRole('img', {name: `QR code of ${shortUrl}`}).waitFor();
  await page.evaluate('document.querySelector(".links-qr img").decode()');
  t.true(await page.evaluate<boolean>('document.querySelector(".links-qr img").naturalWidth > 0'));
  for (const [format, name] of Object.entries({SVG: 'tickets.svg', PNG: 'tickets.png'})) {
    const link = page.getByRole('link', {name: `Download ${format}`});
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    t.is(download.suggestedFilename(), name);
  }
  t.deepEqual(complaints, []);
});

inBrowser('a user creates a link and opens its page with the keyboard alone', async (t) => {
  const {page, complaints} = await visit(t);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = () => page.evaluate<string>('document.activeElement.textContent.trim() || document.activeElement.id');
  await press('Tab');
  t.is(await focused(), 'Skip to the content');
  await press('Enter', 'Tab');
  t.is(await focused(), 'links-url');
  await page.keyboard.type('https://example.org/');
  await press('Tab', 'Tab');
  t.is(await focused(), 'More options');
  await press('Enter', 'Tab');
  t.is(await focused(), 'links-custom_url');
  await page.keyboard.type('spring');
  await press('Enter');
  await page.getByRole('status').waitFor();
  while ((await focused()) !== 'Details') {
    await press('Tab');
    t.not(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'none');
  }
  await press('Enter');
  await page.getByRole('heading', {level: 1, name: '/spring'}).waitFor();
  t.deepEqual(complaints, []);
});

inBrowser('the bar for selected links does not cover the error of what it was to do', async (t) => {
  for (const viewport of [
    {width: 390, height: 700},
    {width: 1280, height: 720},
  ]) {
    const {page, shortener} = await visit(t, {viewport});
    for (const customUrl of ['spring', 'summer']) {
      await shortener.links.create('ann', {url: 'https://example.org/', customUrl});
    }
    await page.reload();
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', {name: 'Set campaign'}).click();
    const error = await page.getByRole('alert').boundingBox();
    const bar = await page.locator('.links-selection').boundingBox();
    if (error === null || bar === null) throw new Error('Neither can be seen');
    t.true(error.y > 0 && error.y + error.height <= bar.y, `${viewport.width} ${error.y} ${bar.y}`);
  }
});

inBrowser('who tabs through the list with a link selected sees each control above the bar', async (t) => {
  const {page, shortener} = await visit(t, {viewport: {width: 390, height: 700}});
  for (let index = 0; index < 8; index += 1) {
    await shortener.links.create('ann', {url: 'https://example.org/', customUrl: `link-${index}`});
  }
  await page.reload();
  await page.locator('[name=selected_0]').press('Space');
  const focused = page.locator('.links-table :focus');
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const control = await focused.boundingBox();
    const bar = await page.locator('.links-bar').boundingBox();
    if (control === null || bar === null) throw new Error('One of them cannot be seen');
    t.true(control.y < bar.y, `${presses}: ${control.y} ${bar.y}`);
  }
});
