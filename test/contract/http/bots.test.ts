import '../../support/quick-scrypt.ts';
import test from 'ava';
import {redirects} from '../../support/answers.ts';
import type {Ask} from '../../support/request.ts';
import {type Site, startSite} from '../../support/site.ts';

const previewAgent = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const preview = {headers: {'User-Agent': previewAgent}};

const visitors: Array<[who: string, userAgent: string, isCounted: boolean]> = [
  ['Slack’s preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', false],
  ['Facebook’s preview', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', false],
  ['WhatsApp’s preview', 'WhatsApp/2.23.20.0', false],
  ['Discord’s preview', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)', false],
  ['Telegram’s preview', 'TelegramBot (like TwitterBot)', false],
  ['Teams’ preview', 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5', false],
  ['a search engine', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', false],
  [
    'a browser',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    true,
  ],
  [
    'a phone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    true,
  ],
  ['an empty User-Agent', '', false],
  ['Word', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)', false],
];

for (const [who, userAgent, isCounted] of visitors) {
  test(`by default ${who} is redirected and ${isCounted ? 'counted' : 'not counted'}`, async (t) => {
    const site = await startSite(t);
    const link = await site.create();
    for (const visits of [1, 2]) {
      redirects(t, await site.visit(link.short_url, {headers: {'User-Agent': userAgent}}), link.original_url);
      t.is((await site.info(link.short_url)).total_visits, isCounted ? visits : 0);
    }
  });
}

test('a countVisit of the host replaces the list of bots', async (t) => {
  const site = await startSite(t, {shortUrl: {countVisit: () => true}});
  const link = await site.create({max_visits: '1'});
  redirects(t, await site.visit(link.short_url, preview), link.original_url);
  t.is((await site.info(link.short_url)).total_visits, 1);
});

/** The page keeps the destination of a limited link from requests that do not count. */
const title = 'Spring <sale> & "more"';
const uncounted: Record<string, Omit<Ask, 'path'>> = {
  'a link preview': preview,
  'a HEAD request': {method: 'HEAD'},
  'a HEAD request of a link preview': {...preview, method: 'HEAD'},
  'a prefetch': {headers: {'Sec-Purpose': 'prefetch;prerender'}},
  'a prefetch of an older Firefox': {headers: {'X-Moz': 'prefetch'}},
  'a preview of an older Safari': {headers: {'X-Purpose': 'preview'}},
};
for (const [what, ask] of Object.entries(uncounted)) {
  test(`${what} takes no visit of a limited link and does not learn its destination`, async (t) => {
    const site = await startSite(t);
    const {short_url, original_url} = await site.create({max_visits: '1', title});
    for (let turn = 0; turn < 3; turn++) {
      const reply = await site.visit(short_url, ask);
      t.is(reply.status, 200);
      t.is(reply.headers.location, undefined);
      t.is(reply.headers['content-type'], 'text/html; charset=utf-8');
      t.is(reply.headers['cache-control'], 'no-store');
      t.is(reply.headers['x-robots-tag'], 'noindex');
      t.is(reply.headers['x-frame-options'], 'DENY');
      t.regex(String(reply.headers['content-security-policy']), /default-src 'none'/);
      t.notRegex(JSON.stringify(reply.headers) + reply.text, /destination\.example|Spring/);
      if (ask.method === 'HEAD') t.is(reply.text, '');
      else t.true(reply.text.includes('<h1>A short link</h1>'), reply.text);
    }
    t.is((await site.info(short_url)).total_visits, 0);

    redirects(t, await site.visit(short_url), original_url);
    t.is((await site.visit(short_url, ask)).status, 410, 'the visits are used up');
    t.is((await site.info(short_url)).total_visits, 1);
  });
}

const submissions: Record<string, (site: Site, shortUrl: string) => ReturnType<Site['submit']>> = {
  'a link preview': (site, shortUrl) => site.submit(shortUrl, 's3cret', preview),
  'a prefetch': (site, shortUrl) => site.submit(shortUrl, 's3cret', {headers: {Purpose: 'prefetch'}}),
};
for (const [what, submit] of Object.entries(submissions)) {
  test(`${what} with the right password takes no visit of a limited link and does not learn its destination`, async (t) => {
    const site = await startSite(t);
    const {short_url, original_url} = await site.create({max_visits: '1', password: 's3cret'});
    t.regex((await site.visit(short_url, preview)).text, /<form/, 'the form stays');
    const reply = await submit(site, short_url);
    t.is(reply.status, 200);
    t.is(reply.headers.location, undefined);
    t.notRegex(reply.text, /destination\.example/);
    redirects(t, await site.submit(short_url, 's3cret'), original_url, 303);
    t.is((await site.info(short_url)).total_visits, 1);
  });
}

for (const isCounted of [true, false]) {
  for (const password of [undefined, 's3cret']) {
    const kind = password === undefined ? 'link' : 'link with a password';
    test(`a ${kind} disabled while countVisit runs is gone, if countVisit returns ${isCounted}`, async (t) => {
      let disable = async (): Promise<unknown> => undefined;
      const site = await startSite(t, {
        shortUrl: {
          async countVisit() {
            await disable();
            return isCounted;
          },
        },
      });
      const {short_url} = await site.create(password === undefined ? {} : {password});
      const open = (): ReturnType<typeof site.visit> =>
        password === undefined ? site.visit(short_url) : site.submit(short_url, password);
      t.is((await open()).status, password === undefined ? 302 : 303);
      await site.api('disable', {short_url});
      await site.api('enable', {short_url});
      disable = () => site.api('disable', {short_url});
      t.is((await open()).status, 410);
      t.is((await site.info(short_url)).total_visits, isCounted ? 1 : 0);
    });
  }
}
