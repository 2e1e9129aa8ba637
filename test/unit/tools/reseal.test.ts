import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {type ShortUrl, type ShortUrlError, shortUrl} from '../../../src/index.ts';
import {reseal} from '../../../src/tools.ts';
import {listen} from '../../support/listen.ts';

const old = 'the secret of the first years of the site';
const next = 'the secret that the site has from now on';
const lost = 'a secret that the operator does not have';
const names = Array.from({length: 45}, (_, index) => `user-${index}`);

function site(t: ExecutionContext, store: Map<string, unknown>, secret: string | string[]): ShortUrl {
  const shortener = shortUrl({baseUrl: 'https://example.com', store, secret});
  t.teardown(() => shortener.close());
  return shortener;
}

async function keysOf({accounts}: ShortUrl): Promise<Array<string | undefined>> {
  return Promise.all(names.map((name) => accounts.apiKey(name)));
}

test('after a reseal the first secret alone opens all keys, which are unchanged', async (t) => {
  const store = new Map<string, unknown>();
  const before = site(t, store, old);
  for (const name of names.slice(1)) await before.accounts.create(name);
  await before.accounts.create('removed');
  await before.accounts.remove('removed');
  await site(t, store, next).accounts.create('user-0');
  const keys = await keysOf(site(t, store, [next, old]));
  const progress: number[] = [];
  const options = {store, secret: [next, old], onProgress: ({done}: {done: number}) => void progress.push(done)};
  const none = {unopened: 0, unopenedAccounts: [], unreadable: 0};
  t.deepEqual(await reseal(options), {ok: true, resealed: 44, unchanged: 1, ...none});
  t.is(progress.at(-1), 45);
  t.deepEqual(await keysOf(site(t, store, next)), keys);
  t.deepEqual(await reseal({store, secret: next}), {ok: true, resealed: 0, unchanged: 45, ...none});
});

test('in each step of a change of the secret, all processes know what others have stored', async (t) => {
  const store = new Map<string, unknown>();
  const first = site(t, store, old);
  await first.accounts.createMany(['user-0', 'spammer']);
  await first.admin.blockAccount('spammer');
  await first.accounts.remove('spammer');
  const url = 'https://destination.example/page';
  const reused = await first.links.create('user-0', {url, reuse: true});
  const made = await first.links.create('user-0', {url}, {idempotencyKey: 'once'});
  const steps = [
    [[old], [old, next]],
    [
      [old, next],
      [next, old],
    ],
    [[next, old]],
    [[next, old], [next]],
  ];
  for (const [index, secrets] of steps.entries()) {
    if (index === 3) await reseal({store, secret: [next, old]});
    const both = secrets.map((secret) => site(t, store, secret));
    const title = `step ${index}`;
    const created = await Promise.all(both.map(({links}) => links.create('user-0', {url, reuse: true, title})));
    t.is(new Set(created.map(({shortUrl}) => shortUrl)).size, 1);
    for (const {accounts, links} of both) {
      t.is((await links.create('user-0', {url, reuse: true})).shortUrl, reused.shortUrl);
      t.is((await links.create('user-0', {url}, {idempotencyKey: 'once'})).shortUrl, made.shortUrl);
      await accounts.create('spammer');
      await t.throwsAsync(links.create('spammer', {url}), {code: 'account_blocked'});
      await accounts.remove('spammer');
      t.is(Array.from(store.keys()).filter((key) => key.includes('block:')).length, 1);
    }
  }
});

test('a key for digests that no secret opens is told, and replaced only on request', async (t) => {
  const store = new Map<string, unknown>();
  const first = site(t, store, lost);
  await first.accounts.create('spammer');
  await first.admin.blockAccount('spammer');
  await first.accounts.remove('spammer');
  t.like(await reseal({store, secret: next}), {ok: false, unopened: 0, siteKey: 'unopened'});
  await t.throwsAsync(site(t, store, next).accounts.create('spammer'), {code: 'internal_error', message: /secret/});
  await t.throwsAsync(site(t, store, next).ready(), {code: 'internal_error', message: /secret/});
  const summary = await reseal({store, secret: next, newSiteKey: true});
  t.true(summary.ok);
  t.false('siteKey' in summary);
  await t.notThrowsAsync(site(t, store, next).accounts.create('spammer'));
  await t.notThrowsAsync(site(t, store, next).ready());
});

test('a key that no secret opens stays unchanged, and its account is named', async (t) => {
  const store = new Map<string, unknown>();
  await site(t, store, lost).accounts.create('ann');
  await site(t, store, old).accounts.create('bob');
  await site(t, store, old).accounts.create('eve');
  store.set('shorturl:account:eve', 'not JSON');
  const before = store.get('shorturl:account:ann');
  const told: string[] = [];
  const summary = await reseal({store, secret: [next, old], onUnopened: (account) => void told.push(account)});
  t.deepEqual(summary, {
    ok: false,
    resealed: 1,
    unchanged: 0,
    unopened: 1,
    unopenedAccounts: ['ann'],
    unreadable: 1,
  });
  t.deepEqual(told, ['ann']);
  t.is(store.get('shorturl:account:ann'), before);
});

test('an interrupted run is completed by the next one', async (t) => {
  let writes = Infinity;
  class Failing extends Map<string, unknown> {
    override set(key: string, value: unknown): this {
      if (key.includes(':account:') && (writes -= 1) < 0) throw new Error('cut off');
      return super.set(key, value);
    }
  }
  const store = new Failing();
  const before = site(t, store, old);
  for (const name of names) await before.accounts.create(name);
  writes = 20;
  await t.throwsAsync(reseal({store, secret: [next, old]}));
  writes = Infinity;
  t.like(await reseal({store, secret: [next, old]}), {ok: true, resealed: 25, unchanged: 20});
});

test('invalid secrets are refused without repeating them', async (t) => {
  const store = new Map<string, unknown>();
  for (const secret of ['', [], [next, ''], 5, undefined, 'short', ['short', next]] as string[]) {
    const error = await t.throwsAsync(reseal({store, secret}), {instanceOf: TypeError, message: /^Expected /});
    t.notRegex(error.message, /short|from now on/);
  }
  const missing = {store: 'sqlite:/nowhere/at/all.db', secret: next};
  await t.throwsAsync(reseal(missing), {code: 'nothing_there'});
});

test('the first call of a site tells that its secret opens no key of its store', async (t) => {
  const store = new Map<string, unknown>();
  const before = site(t, store, old);
  for (const name of names.slice(0, 3)) await before.accounts.create(name);
  const shortener = site(t, store, lost);
  const {port} = await listen(t, new Koa().use(shortener));
  const told = new Promise<ShortUrlError>((resolve) => shortener.events.on('error', resolve));
  await fetch(`http://127.0.0.1:${port}/api/v1/a-key/shorturl/list_active_urls.json`);
  t.like(await told, {code: 'internal_error'});
  t.regex((await told).message, /secret/);
});

test('ready() of a site rejects if its secret opens no key of its store', async (t) => {
  const store = new Map<string, unknown>();
  await t.notThrowsAsync(site(t, store, lost).ready());
  const before = site(t, store, old);
  for (const name of names.slice(0, 20)) await before.accounts.create(name);
  const error = await t.throwsAsync(site(t, store, lost).ready(), {code: 'internal_error', message: /secret/});
  t.notRegex(error.message, /operator|first years/);
  const opened = site(t, store, [lost, old]);
  await t.notThrowsAsync(opened.ready());
  // One key that opens is enough, because those of a few accounts may be lost.
  await site(t, store, lost).accounts.create('last');
  await t.notThrowsAsync(site(t, store, lost).ready());
});
