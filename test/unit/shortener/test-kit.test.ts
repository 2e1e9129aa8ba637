import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {type IncomingMessage, request} from 'node:http';
import type {AddressInfo} from 'node:net';
import {dirname, join} from 'node:path';
import {text} from 'node:stream/consumers';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from '../../../src/index.ts';
import * as testing from '../../../src/shortener/test-kit.ts';
import {warningsOf} from '../../support/warnings.ts';

const {testShortUrl} = testing;

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

type Ask = (path: string, how?: {method?: string; host?: string; body?: string}) => Promise<Answer>;

/** A kit, and a server with the kit's shortener or the one that `make` returns. */
async function open(
  t: ExecutionContext,
  options: testing.TestShortUrlOptions = {},
  make: (kit: testing.TestShortUrl) => ShortUrl = ({shortener}) => shortener,
): Promise<{kit: testing.TestShortUrl; ask: Ask; port: number}> {
  const kit = await testShortUrl(options);
  const server = new Koa().use(make(kit)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await kit.close();
  });
  const {port} = server.address() as AddressInfo;
  const ask: Ask = async (path, {method = 'GET', host = 'localhost', body} = {}) => {
    const headers = {Host: host, 'Content-Type': 'application/x-www-form-urlencoded'};
    const outgoing = request({host: '127.0.0.1', port, method, path, headers}).end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return {
      status: incoming.statusCode ?? 0,
      location: incoming.headers.location,
      text: await text(incoming),
    };
  };
  return {kit, ask, port};
}

test.serial('a kit emits no warning, neither for its own shortener nor for one with its options', async (t) => {
  const warnings = await warningsOf(async () => {
    const kit = await testShortUrl();
    await shortUrl(kit.options).close();
    await kit.close();
  });
  t.deepEqual(warnings, []);
});

test('the kit exports testShortUrl and nothing else', (t) => {
  t.deepEqual(Object.keys(testing), ['testShortUrl']);
});

test('the package itself imports nothing of the kit', (t) => {
  const reached = new Set<string>();
  const open = ['src/index.ts'];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const folder = dirname(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      open.push(join(folder, name));
    }
  }
  t.true(reached.has('src/shortener/short-url.ts'));
  t.false([...reached].some((file) => file.startsWith('src/testing')));
});

test('each link of the kit has the state that its name says', async (t) => {
  const {kit, ask} = await open(t);
  const {active, withPassword, disabled, blocked, expired, removed} = kit.links;
  const redirect = await ask(active.path);
  t.is(redirect.status, 302);
  t.is(redirect.location, active.originalUrl);

  const form = await ask(withPassword.path);
  t.is(form.status, 200);
  t.regex(form.text, /<form/);
  const post = (password: string) => ({method: 'POST', body: new URLSearchParams({password}).toString()});
  t.is((await ask(withPassword.path, post('wrong'))).status, 401);
  const opened = await ask(withPassword.path, post(kit.password));
  t.is(opened.status, 303);
  t.is(opened.location, withPassword.originalUrl);

  for (const link of [disabled, blocked, expired, removed]) t.is((await ask(link.path)).status, 410, link.originalUrl);
  const status = async ({shortUrl}: testing.TestLink) => (await kit.shortener.links.info(kit.account, shortUrl)).status;
  t.is(await status(active), 'active');
  t.is(await status(disabled), 'disabled');
  t.is(await status(blocked), 'disabled');
  await t.throwsAsync(kit.shortener.links.enable(kit.account, blocked.shortUrl), {code: 'link_blocked'});
  await kit.shortener.admin.unblock(blocked.shortUrl);
  t.is((await ask(blocked.path)).location, blocked.originalUrl);
  t.is(await status(expired), 'expired');
  t.is(await status(kit.links.scheduled), 'scheduled');
  t.is((await ask(kit.links.scheduled.path)).status, 404);
  t.true((await kit.shortener.links.info(kit.account, withPassword.shortUrl)).hasPassword);
  await t.throwsAsync(status(removed), {code: 'unknown_short_url'});
});

test('the links answer on any port of localhost', async (t) => {
  const {kit, port} = await open(t);
  const answer = await fetch(`http://localhost:${port}${kit.links.active.path}`, {redirect: 'manual'});
  t.is(answer.headers.get('location'), kit.links.active.originalUrl);
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

test('with a baseUrl the links answer there', async (t) => {
  const {kit, ask} = await open(t, {baseUrl: 'https://example.com/s', baseDomains: ['sho.rt']});
  t.regex(kit.links.active.shortUrl, /^https:\/\/example\.com\/s\/\w+$/);
  t.is((await ask(kit.links.active.path, {host: 'example.com'})).status, 302);
  t.is((await ask(kit.links.active.path)).status, 404);
});

test('the API key of the account is valid, and no visit is counted yet', async (t) => {
  const {kit, ask} = await open(t);
  const list = await ask(`/api/v1/${kit.apiKey}/shorturl/list_active_urls.json`);
  t.is(list.status, 200);
  const {data} = JSON.parse(list.text) as {data: {urls: unknown; date_time: string}};
  t.deepEqual(data.urls, [{short_url: kit.links.active.shortUrl}, {short_url: kit.links.withPassword.shortUrl}]);
  t.is(data.date_time, '2025-01-01 12:00:00');
  for await (const {totalVisits, dateCreated} of kit.shortener.links.list(kit.account)) {
    t.is(totalVisits, 0);
    t.is(dateCreated, '2024-12-25 12:00:00');
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

test('a link made today expires when the clock is moved to tomorrow', async (t) => {
  const {kit, ask} = await open(t);
  const link = await kit.shortener.links.create(kit.account, {url: 'https://example.org/', expiryDate: '2025-01-01'});
  const {pathname} = new URL(link.shortUrl);
  t.is((await ask(pathname)).status, 302);
  kit.clock.set('2025-01-02');
  t.is((await ask(pathname)).status, 410);
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

test('close() stores the visits of an outage that has not ended', async (t) => {
  const {kit, ask} = await open(t);
  const later = shortUrl(kit.options);
  t.teardown(() => later.close());
  t.is((await ask(kit.links.active.path)).status, 302);
  kit.outage.begin();
  t.is((await ask(kit.links.active.path)).status, 302);
  await kit.close();
  t.is((await later.links.info(kit.account, kit.links.active.shortUrl)).totalVisits, 2);
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

test('a shortener that the site creates from store and secret alone has the links, and its own clock', async (t) => {
  const {kit, ask} = await open(t, {}, ({options: {baseUrl, store, secret}}) => {
    const shortener = shortUrl({baseUrl, store, secret});
    t.teardown(() => shortener.close());
    return shortener;
  });
  t.is((await ask(kit.links.active.path)).status, 302);
  t.is((await ask(kit.links.expired.path)).status, 410);
});

test("the site's quota and URL rule apply to the test, not to the links of the kit", async (t) => {
  const asked: string[] = [];
  const {kit} = await open(t, {
    createQuota: 1,
    allowUrl: (url) => {
      asked.push(url);
      return url !== 'https://evil.example/';
    },
  });
  t.deepEqual(asked, []);
  const {links} = kit.shortener;
  await t.throwsAsync(links.create(kit.account, {url: 'https://evil.example/'}), {code: 'forbidden_url'});
  await links.create(kit.account, {url: 'https://example.org/'});
  await t.throwsAsync(links.create(kit.account, {url: 'https://example.org/'}), {code: 'too_many_requests'});
});

test('two kits are independent', async (t) => {
  const [first, second] = await Promise.all([open(t), open(t)]);
  first.kit.outage.begin();
  first.kit.clock.advance(1000);
  await second.kit.shortener.ready();
  t.is(second.kit.clock.now(), Date.parse('2025-01-01T12:00:00Z'));
  t.not(first.kit.apiKey, second.kit.apiKey);
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
