import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** Accounts and their API keys. */
export function accounts(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});

  test('a key has at least 190 bits, in characters that need no escaping in a path', async (t) => {
    const {shortener} = await making();
    const keys = [];
    for (let user = 0; user < 5; user++) keys.push((await shortener.accounts.create(`user-${user}`)).apiKey);
    for (const key of keys) t.regex(key, /^[A-Za-z0-9_-]{32,}$/);
    t.is(new Set(keys).size, 5);
  });

  test('creating an account again gives the same key', async (t) => {
    const {shortener, key} = await making();
    t.deepEqual(await shortener.accounts.create('user-42'), {apiKey: key});
  });

  test('apiKey shows the key again, and gives undefined for an unknown account', async (t) => {
    const {shortener, key} = await startSite(t, {world});
    t.is(await shortener.accounts.apiKey('user-42'), key);
    for (const account of ['user-4', 'User-42', 'user-42 ', '__proto__', 'constructor']) {
      t.is(await shortener.accounts.apiKey(account), undefined);
    }
  });

  for (const account of ['__proto__', 'somebody@example.com', 'a:b/c%2F d', 'ü😀', '42']) {
    test(`an account may have the id ${account}`, async (t) => {
      const site = await making();
      const {apiKey: key} = await site.shortener.accounts.create(account);
      const link = await site.create({}, {key});
      t.is(await site.shortener.accounts.apiKey(account), key);
      t.deepEqual(await site.list({key}), [link.short_url]);
      t.deepEqual(await site.list(), []);
    });
  }

  test('rotate gives a new key, stops the old one at once and keeps the links', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    const {apiKey} = await site.shortener.accounts.rotate('user-42');
    t.not(apiKey, site.key);
    t.is(await site.shortener.accounts.apiKey('user-42'), apiKey);
    t.deepEqual(await site.shortener.accounts.create('user-42'), {apiKey});
    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    refused(t, await site.api('create', {url: destination}), 'invalid_api_key');
    t.deepEqual(await site.list({key: apiKey}), [link.short_url]);
    accepted(t, await site.api('info', {short_url: link.short_url}, {key: apiKey}));
    redirects(t, await site.visit(link.short_url), destination);
  });

  test('remove stops the key, and the links answer 410', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    redirects(t, await site.visit(link.short_url), destination);

    await site.shortener.accounts.remove('user-42');

    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    refused(t, await site.api('info', {short_url: link.short_url}), 'invalid_api_key');
    t.is(await site.shortener.accounts.apiKey('user-42'), undefined);
    t.is((await site.visit(link.short_url)).status, 410);
  });

  test('removing an account affects no other account, and its short parts stay taken', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const mine = await site.create({custom_url: 'mine'});
    const theirs = await site.create({custom_url: 'theirs'}, {key});
    await site.shortener.accounts.remove('user-42');
    redirects(t, await site.visit(theirs.short_url), destination);
    t.deepEqual(await site.list({key}), [theirs.short_url]);
    refused(t, await site.api('create', {custom_url: 'mine', url: destination}, {key}), 'custom_url_taken');
    refused(t, await site.api('create', {url: mine.short_url}, {key}), 'forbidden_url');
    refused(t, await site.api('info', {short_url: mine.short_url}, {key}), 'unknown_short_url');
  });

  test('an account that is created again after its removal has a new key and no links', async (t) => {
    const site = await startSite(t, {world});
    await site.shortener.accounts.remove('user-42');
    const {apiKey: key} = await site.shortener.accounts.create('user-42');
    t.not(key, site.key);
    refused(t, await site.api('list_active_urls'), 'invalid_api_key');
    const link = await site.create({}, {key});
    redirects(t, await site.visit(link.short_url), destination);
  });
}
