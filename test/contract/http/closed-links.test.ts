import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {checkStore, copyStore, importLinks} from '../../../src/tools.ts';
import {accepted, refused} from '../../support/answers.ts';
import {type Site, startSite} from '../../support/site.ts';
import {exported, partsOf} from '../../support/tools/text.ts';

const secret = 'what seals the keys of these tests';
const later = '2.7.1';

/** Changes a stored record. */
function change(store: Map<string, unknown>, name: string, work: (value: never) => unknown): void {
  const key = [...store.keys()].find((each) => each.includes(name)) ?? '';
  const {value} = JSON.parse(String(store.get(key))) as {value: never};
  store.set(key, JSON.stringify({value: work(value)}));
}

/** A site with a link that a later version has protected. */
async function start(
  t: ExecutionContext,
  fields: object = {},
): Promise<{site: Site; store: Map<string, unknown>; short_url: string}> {
  const store = new Map<string, unknown>();
  const site = await startSite(t, {shortUrl: {store, secret}});
  const {short_url} = await site.create({custom_url: 'spring', ...fields});
  change(store, 'spring', (value: string | [text: string, rest: object]) => {
    const [text, rest] = [value].flat() as [text: string, rest?: object];
    return [text, {...rest, '!confirm': 'ask'}];
  });
  change(store, 'format', (format: object) => ({...format, version: later}));
  return {site, store, short_url};
}

for (const [what, fields] of Object.entries({
  'a plain link': {},
  'a link with a password': {password: 'sesame'},
  'a link with a limit': {max_visits: '5'},
  'a link with a card': {preview_title: 'A card'},
  'an expired link with a URL for afterwards': {
    expiry_date: '2000-01-02',
    expired_url: 'https://destination.example/over',
  },
})) {
  test(`${what} that a later version protects answers 503 in every way, and leads nowhere`, async (t) => {
    const {expiry_date, ...others} = fields as {expiry_date?: string};
    const {site, store, short_url} = await start(t, others);
    if (expiry_date !== undefined) {
      change(store, 'spring', ([text, rest]: [string, object]) => [text, {...rest, end: Date.parse(expiry_date)}]);
    }
    const card = {headers: {'User-Agent': 'Twitterbot/1.0'}};
    for (const reply of [
      await site.visit(short_url),
      await site.visit(short_url),
      await site.visit(short_url, {method: 'HEAD'}),
      await site.visit(short_url, card),
      await site.visit(`${short_url}+`),
      await site.submit(short_url, 'sesame'),
    ]) {
      t.is(reply.status, 503);
      t.is(reply.headers.location, undefined);
      t.is(reply.headers['retry-after'], '60');
      t.notRegex(reply.text, /destination\.example/);
    }
    t.is((await site.info(short_url)).total_visits, 0);
  });
}

test('a link that a later version protects is shown as disabled, and only changes that close it are made', async (t) => {
  const {site, short_url, store} = await start(t);
  t.is((await site.info(short_url)).status, 'disabled');
  t.is((await site.shortener.links.info('user-42', short_url)).status, 'disabled');
  t.like(accepted(t, await site.api('list_urls')), {urls: [{short_url, status: 'disabled'}]});
  t.deepEqual(accepted(t, await site.api('list_active_urls')).urls, []);
  t.is((await site.shortener.links.page('user-42', {status: 'active'})).links.length, 0);
  refused(t, await site.api('enable', {short_url}), 'store_unavailable');
  refused(t, await site.api('update', {short_url, title: 'Mine'}), 'store_unavailable');
  await t.throwsAsync(site.shortener.links.update('user-42', short_url, {title: 'Mine'}), {message: /later version/});
  t.regex(await site.shortener.links.qr('user-42', short_url), /^<svg/);
  accepted(t, await site.api('disable', {short_url}));
  await site.shortener.admin.block(short_url);
  await site.shortener.admin.unblock(short_url);
  t.regex(String([...store.entries()].find(([key]) => key.includes('spring'))?.[1]), /"!confirm":"ask"/);
  t.is((await site.visit(short_url)).status, 503);
  accepted(t, await site.api('remove', {short_url}));
  t.is((await site.visit(short_url)).status, 410);
});

test('copies, exports and imports keep the protection, and `check` names the version that wrote it', async (t) => {
  const {site, store, short_url} = await start(t);
  await site.shortener.close();
  const [copied, restored] = [new Map<string, unknown>(), new Map<string, unknown>()];
  await copyStore({from: store, to: copied});
  const {text} = await exported({store, namespace: 'shorturl'});
  await importLinks({format: 'ndjson', store: restored, file: partsOf(text)});
  for (const each of [store, copied, restored]) {
    const moved = await startSite(t, {shortUrl: {store: each, secret}});
    t.is((await moved.visit(short_url)).status, 503);
    await moved.shortener.links.create('user-42', {url: 'https://destination.example/'});
    const {ok, findings} = await checkStore({store: each});
    t.false(ok);
    const {message = '', remedy = ''} = findings.find(({code}) => code === 'closed_links') ?? {};
    t.regex(message, /at 1 of .*`!confirm`.*koa-short-url 2\.7\.1/);
    t.regex(remedy, /koa-short-url 2\.7\.1/);
  }
});
