import '../../support/quick-scrypt.ts';
import test from 'ava';
import {redirects} from '../../support/answers.ts';
import type {Ask} from '../../support/request.ts';
import {startSite} from '../../support/site.ts';

const previewAgent = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const preview = {headers: {'User-Agent': previewAgent}};

/** The page keeps the destination of a limited link from requests that do not count. */
const title = 'Spring <sale> & "more"';
const uncounted: Record<string, Omit<Ask, 'path'>> = {
  'a link preview': preview,
  'a HEAD request': {method: 'HEAD'},
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

const officeAgent = 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)';
const rules = {'the default of countVisit': {}, 'a rule that counts all': {countVisit: () => true}};
for (const [what, options] of Object.entries(rules)) {
  test(`Office learns no destination, so its browser counts and is marked: ${what}`, async (t) => {
    const site = await startSite(t, {shortUrl: {...options, attribution: {}}});
    for (const input of [{}, {title}, {max_visits: '1'}, {preview_title: 'A card'}]) {
      const {short_url, original_url} = await site.create(input);
      for (const method of ['HEAD', 'GET']) {
        const reply = await site.visit(short_url, {method, headers: {'User-Agent': officeAgent}});
        t.is(reply.status, 200);
        t.is(reply.headers['cache-control'], 'no-store');
        t.notRegex(JSON.stringify(reply.headers) + reply.text, /destination\.example|Spring|set-cookie/);
        if (method === 'GET') t.true(reply.text.includes(`href="${short_url}"`), reply.text);
      }
      t.is((await site.info(short_url)).total_visits, 0);
      const reply = await site.visit(short_url);
      redirects(t, reply, original_url);
      t.regex(String(reply.headers['set-cookie']), /short_url_via=/);
      t.is((await site.info(short_url)).total_visits, 1);
    }
  });
}

test('a link preview with the right password takes no visit of a limited link', async (t) => {
  const site = await startSite(t);
  const {short_url, original_url} = await site.create({max_visits: '1', password: 's3cret'});
  t.regex((await site.visit(short_url, preview)).text, /<form/, 'the form stays');
  const reply = await site.submit(short_url, 's3cret', preview);
  t.is(reply.status, 200);
  t.is(reply.headers.location, undefined);
  t.notRegex(reply.text, /destination\.example/);
  redirects(t, await site.submit(short_url, 's3cret'), original_url, 303);
  t.is((await site.info(short_url)).total_visits, 1);
});

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
