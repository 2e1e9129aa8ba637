import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from '../../../src/index.ts';
import * as testing from '../../../src/testing/kit.ts';
import {listen} from '../../support/listen.ts';
import {type Ask, exchange, type Reply} from '../../support/request.ts';

const {testShortUrl} = testing;
const form = {'Content-Type': 'application/x-www-form-urlencoded'};

/** A kit, and a server with the kit's shortener or the one that `make` returns. */
async function open(
  t: ExecutionContext,
  options: testing.TestShortUrlOptions = {},
  make: (kit: testing.TestShortUrl) => ShortUrl = ({shortener}) => shortener,
) {
  const kit = await testShortUrl(options);
  t.teardown(() => kit.close());
  const {port, agent} = await listen(t, new Koa().use(make(kit)));
  const ask = (path: string, how: Partial<Ask> = {}): Promise<Reply> =>
    exchange(port, agent, {host: 'localhost', headers: form, path, ...how});
  return {kit, ask, port};
}

test('each link of the kit has the state that its name says', async (t) => {
  const {kit, ask} = await open(t);
  const {active, withPassword, disabled, blocked, expired, removed} = kit.links;
  const redirect = await ask(active.path);
  t.is(redirect.status, 302);
  t.is(redirect.headers.location, active.originalUrl);

  const page = await ask(withPassword.path);
  t.is(page.status, 200);
  t.regex(page.text, /<form/);
  const post = (password: string) => ({method: 'POST', body: new URLSearchParams({password}).toString()});
  t.is((await ask(withPassword.path, post('wrong'))).status, 401);
  const opened = await ask(withPassword.path, post(kit.password));
  t.is(opened.status, 303);
  t.is(opened.headers.location, withPassword.originalUrl);

  for (const link of [disabled, blocked, expired, removed]) t.is((await ask(link.path)).status, 410, link.originalUrl);
  const status = async ({shortUrl}: testing.TestLink) => (await kit.shortener.links.info(kit.account, shortUrl)).status;
  t.is(await status(active), 'active');
  t.is(await status(disabled), 'disabled');
  t.is(await status(blocked), 'disabled');
  await t.throwsAsync(kit.shortener.links.enable(kit.account, blocked.shortUrl), {code: 'link_blocked'});
  await kit.shortener.admin.unblock(blocked.shortUrl);
  t.is((await ask(blocked.path)).headers.location, blocked.originalUrl);
  t.is(await status(expired), 'expired');
  t.is(await status(kit.links.scheduled), 'scheduled');
  t.is((await ask(kit.links.scheduled.path)).status, 404);
  t.true((await kit.shortener.links.info(kit.account, withPassword.shortUrl)).hasPassword);
  await t.throwsAsync(status(removed), {code: 'unknown_short_url'});
});

test('the states of the links are the same in the first and in the last time zone', async (t) => {
  for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
    const {kit} = await open(t, {timeZone});
    const {links} = await kit.shortener.links.page(kit.account);
    const statusOf = ({shortUrl}: testing.TestLink) => links.find((link) => link.shortUrl === shortUrl)?.status;
    const {active, expired, scheduled} = kit.links;
    t.deepEqual([active, expired, scheduled].map(statusOf), ['active', 'expired', 'scheduled'], timeZone);
  }
});

test("visits by the fetch of Node.js count, and a bot's do not", async (t) => {
  const {kit, port} = await open(t);
  const {path, shortUrl: address} = kit.links.active;
  for (const [headers, visits] of [
    [{}, 1],
    [{'User-Agent': 'Googlebot/2.1'}, 1],
    [{'User-Agent': ''}, 2],
  ] as const) {
    await fetch(`http://localhost:${port}${path}`, {redirect: 'manual', headers});
    t.is((await kit.shortener.links.info(kit.account, address)).totalVisits, visits);
  }
});

test('the clock does not move until it is set or advanced', async (t) => {
  const {kit} = await open(t);
  const {now} = kit.clock;
  t.is(now(), Date.parse('2025-01-01T12:00:00Z'));
  kit.clock.advance(90_000);
  t.is(now(), Date.parse('2025-01-01T12:01:30Z'));
  for (const moment of ['2025-02-03T00:00:00Z', new Date('2025-02-03T00:00:00Z'), Date.UTC(2025, 1, 3)]) {
    kit.clock.set(moment);
    t.is(now(), Date.UTC(2025, 1, 3));
  }
  for (const moment of ['tomorrow', Number.NaN, new Date(''), null as unknown as string]) {
    t.throws(
      () => {
        kit.clock.set(moment);
      },
      {instanceOf: TypeError},
    );
  }
  for (const milliseconds of [Number.NaN, null, '1000', undefined]) {
    t.throws(
      () => {
        kit.clock.advance(milliseconds as number);
      },
      {instanceOf: TypeError},
    );
  }
  t.is(now(), Date.UTC(2025, 1, 3));
});

test("in an outage the API and ready() fail, visitors get the site's page, and everything is back afterwards", async (t) => {
  const {kit, ask} = await open(t, {pages: {unavailable: ({reason}) => `Our own page for ${reason}`}});
  const list = `/api/v1/${kit.apiKey}/shorturl/list_active_urls.json`;
  t.is((await ask(kit.links.withPassword.path)).status, 200);
  kit.outage.begin();
  const page = await ask(kit.links.active.path);
  t.is(page.status, 503);
  t.is(page.text, 'Our own page for store_unavailable');
  t.is((await ask(list)).status, 503);
  await t.throwsAsync(kit.shortener.ready(), {code: 'store_unavailable'});
  await t.throwsAsync(kit.shortener.links.create(kit.account, {url: 'https://example.org/'}), {
    code: 'store_unavailable',
  });
  // It was visited shortly before, so it is remembered.
  t.is((await ask(kit.links.withPassword.path)).status, 200);

  kit.outage.end();
  await kit.shortener.ready();
  t.is((await ask(kit.links.active.path)).status, 302);
  t.is((await ask(list)).status, 200);
});

test('a shortener that the site creates from kit.options has the links, the key, the clock and the outages of the kit', async (t) => {
  const {kit, ask} = await open(t, {baseUrl: 'https://example.com'}, ({options}) => {
    const shortener = shortUrl({...options, redirectStatus: 307});
    t.teardown(() => shortener.close());
    return shortener;
  });
  const host = 'example.com';
  t.is((await ask(kit.links.active.path, {host})).status, 307);
  t.is((await ask(kit.links.removed.path, {host})).status, 410);
  t.is((await ask(`/api/v1/${kit.apiKey}/shorturl/list_active_urls.json`, {host})).status, 200);
  t.is((await kit.shortener.links.info(kit.account, kit.links.active.shortUrl)).totalVisits, 1);
  kit.outage.begin();
  t.is((await ask(kit.links.withPassword.path, {host})).status, 503);
});

test('a wrong or unknown option, and one that the kit sets itself, is refused by name', async (t) => {
  for (const options of [{slugLength: 0}, {nonsense: 1}, {store: 'memory:'}, {secret: 'x'}, {now: Date.now}]) {
    const [name = ''] = Object.keys(options);
    const error = await t.throwsAsync(testShortUrl(options as object), {instanceOf: TypeError});
    t.true(error.message.includes(`\`${name}\``), error.message);
  }
});

test('the kit has an asyncDispose', async (t) => {
  const kit = await testShortUrl();
  await kit[Symbol.asyncDispose]();
  await t.throwsAsync(kit.shortener.ready(), {code: 'store_unavailable'});
});
