import '../../support/quick-scrypt.ts';
import {connect} from 'node:net';
import assert from 'node:assert/strict';
import test from 'ava';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {structureOf} from '../../support/documents.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {listen} from '../../support/listen.ts';
import {exchange} from '../../support/request.ts';
import {eventually} from '../../support/store/eventually.ts';
import {type SiteOptions, startSite} from '../../support/site.ts';
import {memory, type Mount, mounts} from '../../support/worlds.ts';

const slackbot = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';

test('a link that asks shows a page with the host name alone, and counts when its button is pressed', async (t) => {
  const site = await startSite(t);
  const {short_url, original_url} = await site.create({confirm: 'true', title: 'Only for me'});
  for (const method of ['GET', 'HEAD', 'GET']) {
    const reply = await site.visit(short_url, {method});
    t.is(reply.status, 200);
    t.is(reply.headers['content-type'], 'text/html; charset=utf-8');
    t.is(reply.headers['cache-control'], 'no-store');
    t.is(reply.headers['x-robots-tag'], 'noindex');
    t.is(reply.headers['x-frame-options'], 'DENY');
    t.regex(String(reply.headers['content-security-policy']), /default-src 'none'/);
    t.is(reply.headers['set-cookie'], undefined);
    t.notRegex(JSON.stringify(reply.headers) + reply.text, /destination\.example\/|Only for me|<script/);
    if (method === 'GET') t.regex(reply.text, /<strong translate="no">destination\.example<\/strong>/);
  }
  t.is((await site.info(short_url)).total_visits, 0);
  redirects(t, await site.press(await site.visit(short_url)), original_url, 303);
  t.is((await site.info(short_url)).total_visits, 1);
});

test('a posted short URL of a link that asks is a pressed button', async (t) => {
  const site = await startSite(t);
  const {short_url, original_url} = await site.create({confirm: 'true'});
  redirects(t, await site.visit(short_url, {method: 'POST'}), original_url, 303);
  t.is((await site.info(short_url)).total_visits, 1);
  const plain = await site.create();
  t.is((await site.visit(plain.short_url, {method: 'POST'})).status, 404);
});

test('of many scanners and one person, the person gets through a link with one visit', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'limited'}});
  const {short_url, original_url} = await site.create({max_visits: '1'});
  const scans = Array.from({length: 50}, (_, index) =>
    site.visit(short_url, {
      method: index % 3 === 0 ? 'HEAD' : 'GET',
      headers: index % 2 ? {'User-Agent': slackbot} : {},
    }),
  );
  for (const reply of await Promise.all(scans)) t.is(reply.status, 200);
  const page = await site.visit(short_url);
  const pressed = await Promise.all([site.press(page), site.press(page), site.press(page)]);
  t.deepEqual(pressed.map(({status}) => status).sort(), [303, 410, 410]);
  t.is(pressed.find(({status}) => status === 303)?.headers.location, original_url);
  t.is((await site.info(short_url)).total_visits, 1);
});

const options: Readonly<Record<string, ReadonlyArray<readonly [parameters: Record<string, string>, asks: boolean]>>> = {
  never: [
    [{}, false],
    [{max_visits: '5'}, false],
    [{confirm: 'true'}, true],
  ],
  limited: [
    [{}, false],
    [{max_visits: '5'}, true],
    [{max_visits: '5', confirm: 'false'}, false],
    [{confirm: 'true'}, true],
  ],
  always: [
    [{}, true],
    [{max_visits: '5'}, true],
    [{confirm: 'false'}, false],
  ],
};
for (const [confirm, cases] of Object.entries(options)) {
  test(`with confirm: '${confirm}' the site decides about links that do not say it`, async (t) => {
    const site = await startSite(t, {shortUrl: {confirm: confirm as 'never' | 'limited' | 'always'}});
    for (const [parameters, asks] of cases) {
      const {short_url} = await site.create(parameters);
      t.is((await site.visit(short_url)).status, asks ? 200 : 302, JSON.stringify(parameters));
      const {data} = (await site.api('update', {short_url, title: 'x'})).json();
      t.is((data as unknown as {confirm: boolean}).confirm, asks);
    }
  });
}

test('clear leaves the choice to the site again', async (t) => {
  const site = await startSite(t);
  const {short_url} = await site.create({confirm: 'true'});
  const {data} = (await site.api('update', {short_url, clear: 'confirm'})).json();
  t.is((data as unknown as {confirm: boolean}).confirm, false);
  t.is((await site.visit(short_url)).status, 302);
});

test('a link with a password asks by its form alone', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always'}});
  const {short_url, original_url} = await site.create({password: 'open'});
  t.regex((await site.visit(short_url)).text, /type="password"/);
  redirects(t, await site.submit(short_url, 'open'), original_url, 303);
});

test('the button brings the query, the referrer, the rule and the cookie of the visit', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always', attribution: {}}});
  const {short_url} = await site.create({
    forward_query: 'true',
    rules: JSON.stringify([{language: 'de', url: 'https://german.example/'}]),
  });
  const asGerman = {'Accept-Language': 'de'};
  const page = await site.visit(`${short_url}?source=mail&b=c`, {
    headers: {...asGerman, Referer: 'https://news.example/article?a=b&c=d'},
  });
  t.is(page.headers['set-cookie'], undefined);
  t.regex(page.text, /german\.example/);
  const reply = await site.press(page, {headers: asGerman});
  redirects(t, reply, 'https://german.example/?source=mail&b=c', 303);
  t.regex(String(reply.headers['set-cookie']), /short_url_via=/);
  const {details} = await site.shortener.links.stats('user-42', short_url);
  t.deepEqual(details['referrer'], [{value: 'news.example', visits: 1}]);
});

test('previews get the card, prefetches 503, and neither counts', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always'}});
  const {short_url} = await site.create({preview_title: 'A concert'});
  const card = await site.visit(short_url, {headers: {'User-Agent': slackbot}});
  t.is(card.status, 200);
  t.regex(card.text, /og:title/);
  t.is((await site.visit(short_url, {headers: {'Sec-Purpose': 'prefetch'}})).status, 503);
  t.regex((await site.visit(short_url)).text, /<strong>A concert<\/strong>/);
  t.is((await site.info(short_url)).total_visits, 0);
});

test('what countVisit refuses gets no destination of a link with a limit', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always', countVisit: () => false}});
  const limited = await site.create({max_visits: '1'});
  const refused = await site.visit(limited.short_url, {method: 'POST'});
  t.is(refused.status, 200);
  t.notRegex(refused.text, /destination\.example/);
  const free = await site.create();
  redirects(t, await site.visit(free.short_url, {method: 'POST'}), free.original_url, 303);
  t.is((await site.info(free.short_url)).total_visits, 0);
});

test('a link that begins to ask redirects nobody who has only followed it', async (t) => {
  const site = await startSite(t);
  const {short_url} = await site.create();
  t.is((await site.visit(short_url)).status, 302);
  await site.api('update', {short_url, confirm: 'true'});
  t.is((await site.visit(short_url)).status, 200);
  t.is((await site.info(short_url)).total_visits, 1);
});

test("the host's own page gets the address of the button, and its policy allows it", async (t) => {
  const pages: NonNullable<SiteOptions['shortUrl']>['pages'] = {
    confirm: ({shortUrl, action, host, card, language}) =>
      `<form method="post" action="${action}">${shortUrl} ${host} ${JSON.stringify(card)} ${language}</form>`,
  };
  const site = await startSite(t, {shortUrl: {confirm: 'always', pages}});
  const {short_url, original_url} = await site.create();
  const page = await site.visit(short_url, {headers: {'Accept-Language': 'fr'}});
  t.true(page.text.includes(`${short_url} destination.example null fr`), page.text);
  redirects(t, await site.press(page), original_url, 303);
});

test('a link that asks shows its destination neither to previews nor behind a +', async (t) => {
  const site = await startSite(t);
  const {short_url} = await site.create({confirm: 'true', preview_title: 'A concert'});
  for (const reply of [
    await site.visit(`${short_url}+`),
    await site.visit(short_url, {headers: {'User-Agent': slackbot}}),
  ]) {
    t.is(reply.status, 200);
    t.notRegex(reply.text, /destination\.example\/page/);
    t.true(reply.text.includes(`href="${short_url}"`));
  }
});

for (const [name, mount] of Object.entries<Mount>(mounts)) {
  test(`the button opens links on every domain of the site ${name}`, async (t) => {
    const site = await startSite(t, {world: {mount, backend: memory}, shortUrl: {confirm: 'always'}});
    for (const base_domain of [undefined, 'sho.rt', new URL(mount.otherBaseUrl).host]) {
      const {short_url, original_url} = await site.create({...(base_domain && {base_domain}), forward_query: 'true'});
      const page = await site.visit(`${short_url}/?a=b`);
      t.is(page.status, 200);
      const {host} = new URL(short_url);
      redirects(t, await site.press(page, {host}), `${original_url}?a=b`, 303);
      t.is((await site.info(short_url)).total_visits, 1);
    }
  });
}

test('a wall of the site lets the page and its button through', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', confirm: 'always'});
  t.teardown(() => shortener.close());
  await shortener.accounts.create(1);
  const {shortUrl: link} = await shortener.links.create(1, {url: 'https://destination.example/', maxVisits: 1});
  const app = new Koa().use(async (ctx) => {
    if (!(await shortener.answers(ctx))) ctx.throw(401);
  });
  const {port, agent} = await listen(t, app);
  const {pathname} = new URL(link);
  const page = await exchange(port, agent, {path: pathname});
  t.is(page.status, 200);
  const [, path = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  redirects(t, await exchange(port, agent, {method: 'POST', path}), 'https://destination.example/', 303);
  t.is((await exchange(port, agent, {method: 'POST', path})).status, 410);
});

test('who presses too late gets the page or the URL of an expired link', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'limited'}});
  const {short_url} = await site.create({max_visits: '1', expired_url: 'https://destination.example/over'});
  const page = await site.visit(short_url);
  t.is((await site.press(page)).status, 303);
  redirects(t, await site.press(page), 'https://destination.example/over', 303);
  redirects(t, await site.visit(short_url), 'https://destination.example/over');
});

test('a request that breaks off before its form has come opens nothing', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'limited'}});
  const {short_url, original_url} = await site.create({max_visits: '1'});
  const page = await site.visit(short_url);
  const [, path = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  const socket = connect(site.port, '127.0.0.1');
  const head = ['Host: example.com', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 20'];
  socket.end(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\nrefer`);
  await new Promise((resolve) => socket.once('close', resolve).resume());
  redirects(t, await site.press(page), original_url, 303);
});

test('in an outage a link that asks opens as others do, and one with a limit opens afterwards, once', async (t) => {
  const adapter = new FailingAdapter();
  const options = {store: adapter as never, secret: 'a secret of good length, for tests', confirm: 'always'} as const;
  const site = await startSite(t, {shortUrl: options});
  t.teardown(() => {
    adapter.isDown = false;
  });
  const {short_url, original_url} = await site.create();
  const limited = await site.create({max_visits: '1'});
  const pages = [await site.visit(short_url), await site.visit(limited.short_url)] as const;
  adapter.isDown = true;
  t.is((await site.visit(short_url)).status, 200);
  redirects(t, await site.press(pages[0]), original_url, 303);
  t.is((await site.press(pages[1])).status, 503);
  adapter.isDown = false;
  // A visit that was kept is stored before.
  await eventually(async () => {
    assert.equal((await site.shortener.health()).unstoredVisits, 0);
  });
  redirects(t, await site.press(pages[1]), original_url, 303);
  t.is((await site.press(pages[1])).status, 410);
  await site.shortener.close();
  const after = await startSite(t, {shortUrl: site.options});
  for (const link of [short_url, limited.short_url]) t.is((await after.info(link)).total_visits, 1);
});

test('Office gets the page, and no destination, so that it opens the short URL in the browser', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always'}});
  const {short_url} = await site.create();
  const office = {'User-Agent': 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'};
  for (const method of ['HEAD', 'GET', 'GET']) {
    const reply = await site.visit(short_url, {method, headers: office});
    t.is(reply.status, 200);
    t.is(reply.headers.location, undefined);
  }
  t.is((await site.info(short_url)).total_visits, 0);
});

test('the query of the visit outlasts a reload at the address of the button', async (t) => {
  const site = await startSite(t, {shortUrl: {confirm: 'always', forwardQuery: true}});
  const {short_url} = await site.create();
  const page = await site.visit(`${short_url}?a=b&c=d`);
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
  redirects(t, await site.request({path: action.replaceAll('&amp;', '&')}), `${short_url}?a=b&c=d`);
});

test("no query of a visit can break out of the host's own page", async (t) => {
  const confirm = ({action}: {action: string}): string => `<form method="post" action="${action}"></form>`;
  const site = await startSite(t, {shortUrl: {confirm: 'always', pages: {confirm}}});
  const {short_url} = await site.create();
  const page = await site.visit(`${short_url}?a="><script>'\``);
  t.regex(page.text, /^<form method="post" action="[^"'<>`]+"><\/form>$/);
});

for (const [what, path] of Object.entries({'is very long': 'a'.repeat(3000), 'has a control character': '\u0080'})) {
  test(`of a referrer that ${what} the origin counts, and the page is valid`, async (t) => {
    const site = await startSite(t, {shortUrl: {confirm: 'always'}});
    const {short_url} = await site.create();
    const page = await site.visit(short_url, {headers: {Referer: `https://news.example/${path}`}});
    t.notThrows(() => structureOf(page.text));
    await site.press(page);
    const {details} = await site.shortener.links.stats('user-42', short_url);
    t.deepEqual(details['referrer'], [{value: 'news.example', visits: 1}]);
  });
}

test('visitors can report a link from its page with a plus sign and from the page that asks', async (t) => {
  const reports = (text: string): ReadonlyArray<string | undefined> =>
    Array.from(
      text.matchAll(/<a href="([^"]+)" rel="nofollow">(?:Report this link|Diesen Link melden)<\/a>/g),
      ([, url]) => url,
    );
  const where = (shortUrl: string): string => `https://example.com/report?link=${encodeURIComponent(shortUrl)}&by="a"`;
  for (const [reportUrl, expected] of [
    [where, (shortUrl: string) => where(shortUrl).replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['mailto:abuse@example.com', () => 'mailto:abuse@example.com'],
    [undefined, () => undefined],
    [() => 'javascript:alert(1)', () => undefined],
    [
      () => {
        throw new Error('The function fails');
      },
      () => undefined,
    ],
  ] as const) {
    const site = await startSite(t, {shortUrl: {pages: {reportUrl}}});
    const failures: string[] = [];
    site.shortener.events.on('error', ({message}) => failures.push(message));
    const asks = await site.create({confirm: 'true'});
    const plain = await site.create();
    const secret = await site.create({password: 's3cret'});
    for (const [short, path] of [
      [asks.short_url, asks.short_url],
      [plain.short_url, `${plain.short_url}+`],
    ] as const) {
      const {status, text} = await site.visit(path, {headers: {'Accept-Language': 'de'}});
      t.is(status, 200);
      t.deepEqual(
        reports(text),
        [expected(short)].filter((url) => url !== undefined),
      );
    }
    t.deepEqual(reports((await site.visit(secret.short_url)).text), []);
    t.is(failures.length > 0, reportUrl !== where && typeof reportUrl === 'function');
  }
});
