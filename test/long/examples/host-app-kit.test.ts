import test, {type ExecutionContext} from 'ava';
import {type TestShortUrl, testShortUrl} from 'koa-short-url/testing';
import {rowOf} from '../../support/dashboard.ts';
import {createLink, open, register, type Stage} from '../../support/examples/stage.ts';

/** The site with the links and the clock of a test kit. */
async function openWithKit(t: ExecutionContext): Promise<Stage & {kit: TestShortUrl}> {
  const kit = await testShortUrl();
  const {store: linkStore, secret, now} = kit.options;
  const stage = await open(t, {linkStore, secret, now});
  t.teardown(() => kit.close());
  return {...stage, kit};
}

test('visitors of the site find each link of the kit in its state', async (t) => {
  const {browser, kit} = await openWithKit(t);
  const {active, withPassword, disabled, expired, removed} = kit.links;
  t.is((await browser.get(active.path)).headers.get('location'), active.originalUrl);
  t.true((await browser.get(withPassword.path)).text.includes('type="password"'));
  t.is((await browser.post(withPassword.path, {password: 'wrong'})).status, 401);
  const opened = await browser.post(withPassword.path, {password: kit.password});
  t.is(opened.status, 303);
  t.is(opened.headers.get('location'), withPassword.originalUrl);
  for (const {path} of [disabled, expired, removed]) t.is((await browser.get(path)).status, 410, path);
});

test('in an outage the site says what does not answer, and works as before afterwards', async (t) => {
  const {browser, origin, kit} = await openWithKit(t);
  await register(browser);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'first'});
  t.is((await browser.get('/healthz')).status, 200);

  kit.outage.begin();
  t.is((await browser.get('/healthz')).status, 503);
  t.is((await browser.get('/about')).status, 200);
  const visit = await browser.get(kit.links.active.path);
  t.is(visit.status, 503);
  t.truthy(visit.headers.get('retry-after'));
  const account = await browser.open('/account');
  t.is(account.status, 503);
  t.true(account.text.includes('Your links cannot be reached right now'));
  t.is((await createLink(browser, {url: 'https://example.com/', custom_url: 'second'})).status, 503);

  kit.outage.end();
  t.is((await browser.get(kit.links.active.path)).status, 302);
  const {status, text} = await browser.open('/account');
  t.is(status, 200);
  t.truthy(rowOf(text, `${origin}/first`));
  t.is(rowOf(text, `${origin}/second`), undefined);
});

test('the account page shows a link as active until its expiry date, with its visits, and then as expired', async (t) => {
  const {browser, origin, kit} = await openWithKit(t);
  await register(browser);
  await createLink(browser, {url: 'https://example.com/', custom_url: 'first', expiry_date: '2025-01-03'});
  const row = async (): Promise<string> => rowOf((await browser.open('/account')).text, `${origin}/first`) ?? '';
  for (const day of ['2025-01-01', '2025-01-02', '2025-01-03']) {
    kit.clock.set(`${day}T23:59:59Z`);
    t.is((await browser.get('/first')).status, 302);
    t.true((await row()).includes('links-active'), day);
  }
  kit.clock.advance(1000);
  t.is((await browser.get('/first')).status, 410);
  t.true((await row()).includes('links-expired'));
  t.regex(await row(), /class="links-visits">\s*3/);
});
