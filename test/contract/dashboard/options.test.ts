import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {Middleware} from 'koa';
import type {DashboardUser} from '../../../src/dashboard.ts';
import {open, textOf} from '../../support/dashboard.ts';
import {between, keeping, linkPath} from '../../support/dashboard-pages.ts';

const url = 'https://example.org/';

test('every page shows the name of the user and a link to log out', async (t) => {
  const user = (): DashboardUser => ({name: 'Ada <ada@example.org>', logout: '/logout?from=links&x'});
  for (const layout of [undefined, ({content}: {content: string}) => `<main>${content}</main>`]) {
    const {visitor, shortener} = await open(t, {dashboard: {user, layout}});
    const {shortUrl} = await shortener.links.create('ann', {url});
    for (const page of ['', 'api', `link?short_url=${shortUrl}`]) {
      const {text} = await visitor('ann').get(page);
      t.true(text.includes('>Ada &lt;ada@example.org&gt;</bdi>'), page);
      t.regex(text, /<a href="\/logout\?from=links&amp;x">\s*Log out\s*<\/a>/, page);
    }
  }
});

const fail = (): never => {
  throw new Error('the session is broken');
};
const wrongUsers: Record<string, () => unknown> = {
  throws: fail,
  rejects: async () => fail(),
  'returns a string': () => 'Ada',
  'returns no name': () => ({logout: '/logout'}),
  'returns an empty name': () => ({name: ' '}),
  'returns an unknown property': () => ({name: 'Ada', logoutUrl: '/logout'}),
  'returns a script to log out': () => ({name: 'Ada', logout: 'javascript:alert(1)'}),
};
for (const [what, user] of Object.entries(wrongUsers)) {
  test(`if the option user ${what}, the app gets an error event and the page works without a name`, async (t) => {
    const faults: unknown[] = [];
    const {visitor} = await open(t, {dashboard: {user: user as () => undefined}, ...keeping(faults)});
    const {status, text} = await visitor('ann').get();
    t.is(status, 200);
    t.false(/links-user|javascript|broken/.test(text));
    t.is(faults.length, 1);
    t.true(faults[0] instanceof Error);
  });
}

for (const [what, account] of Object.entries({'an object': {id: 7}, 'an empty string': '', 'a boolean': true})) {
  test(`if the option account returns ${what}, the answer is 500 and both error events name the option`, async (t) => {
    const faults: unknown[] = [];
    const events: unknown[] = [];
    const {visitor, shortener} = await open(t, {dashboard: {account: () => account as never}, ...keeping(faults)});
    shortener.events.on('error', (error) => events.push(error));
    t.is((await visitor('ann').get()).status, 500);
    t.like(events, {length: 1, 0: {code: 'internal_error'}});
    t.regex((events[0] as Error).message, /`account`/);
    t.deepEqual(faults, events);
  });
}

const forPrograms = ['api', 'openapi.json', 'short-url.xsd'];

test('without the API no page shows it, its pages are unknown, and everything else works', async (t) => {
  const host: Middleware = (ctx) => ctx.throw(404);
  const {visitor, shortener, origin} = await open(t, {dashboard: {api: false}, ...between(undefined, host)});
  const ann = visitor('ann');
  const key = (await shortener.accounts.apiKey('ann')) ?? '';
  for (const path of forPrograms) t.is((await ann.get(path)).status, 404, path);
  t.is((await ann.post('key')).status, 404);
  t.is(await shortener.accounts.apiKey('ann'), key);
  const created = await ann.submit('create', {url, custom_url: 'spring'});
  const link = await ann.get(linkPath(`${origin}/spring`));
  for (const {text} of [created, link, await ann.get()]) {
    t.false(text.includes(key));
    t.false(/\bAPI\b/.test(textOf(text)), textOf(text));
  }
  const list = await fetch(`${origin}/api/v1/${key}/shorturl/list_active_urls.json`);
  t.is(list.status, 200);
});

test('the API key is on the page of the API alone', async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url});
  const key = (await shortener.accounts.apiKey('ann')) ?? '';
  for (const page of ['', linkPath(shortUrl), 'api']) {
    const {status, text} = await visitor('ann').get(page);
    t.is(status, 200);
    t.is(text.includes(key), page === 'api', page);
  }
});
