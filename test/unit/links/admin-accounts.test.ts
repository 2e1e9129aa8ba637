import '../../support/quick-scrypt.ts';
import test from 'ava';
import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {AccountQuery, AdminLinkQuery} from '../../../src/index.ts';
import {collect, pagesOf} from '../../support/collect.ts';
import {type Site, startSite} from '../../support/site.ts';

const url = 'https://destination.example/page';

test('a blocked account is refused everywhere and its links answer 410, until it is unblocked', async (t) => {
  const site = await startSite(t);
  const {admin, accounts, links, keys, events} = site.shortener;
  const seen: unknown[] = [];
  events.on('blockAccount', (event) => seen.push(['blockAccount', event]));
  events.on('unblockAccount', (event) => seen.push(['unblockAccount', event]));
  await accounts.create(42);
  const active = await links.create(42, {url, customUrl: 'active'});
  const disabled = await links.create(42, {url, customUrl: 'disabled'});
  await links.disable(42, disabled.shortUrl);
  const blocked = await links.create(42, {url, customUrl: 'blocked'});
  await admin.block(blocked.shortUrl, {reason: 'Phishing'});
  const other = await links.create('user-42', {url, customUrl: 'other'});

  await admin.blockAccount(42, {reason: 'Spam'});
  await admin.blockAccount('42');
  const refusal = {code: 'account_blocked', message: /Spam/};
  await t.throwsAsync(links.create(42, {url}), refusal);
  await t.throwsAsync(links.info(42, active.shortUrl), refusal);
  await t.throwsAsync(links.page(42), refusal);
  await t.throwsAsync(links.list(42).next(), refusal);
  await t.throwsAsync(keys.create(42, {label: 'x', scope: 'read'}), refusal);
  await t.throwsAsync(keys.list(42), refusal);
  for (const {shortUrl} of [active, disabled, blocked]) {
    t.is((await site.visit(shortUrl)).status, 410);
    t.like((await admin.find(shortUrl))?.link, {status: 'disabled', isAccountBlocked: true});
  }
  t.is((await site.visit(other.shortUrl)).status, 302);
  t.not(await accounts.apiKey(42), undefined);
  t.like(await admin.account('42'), {account: '42', isBlocked: true, blockReason: 'Spam', links: 3});
  await admin.unblock(blocked.shortUrl);
  await admin.block(blocked.shortUrl, {reason: 'Phishing'});

  await admin.unblockAccount(42);
  await admin.unblockAccount(42);
  t.is((await site.visit(active.shortUrl)).status, 302);
  t.is((await links.info(42, disabled.shortUrl)).status, 'disabled');
  t.false('isAccountBlocked' in (await links.info(42, disabled.shortUrl)));
  t.like(await links.info(42, blocked.shortUrl), {status: 'disabled', isBlocked: true, blockReason: 'Phishing'});
  await t.notThrowsAsync(links.create(42, {url}));
  const info = await admin.account(42);
  t.like(info, {isBlocked: false, created: '2031-05-06 12:00:00', apiKeyCreated: '2031-05-06 12:00:00'});
  t.false('blockReason' in (info ?? {}));
  const at = new Date(site.clock.now);
  t.deepEqual(seen, [
    ['blockAccount', {account: '42', reason: 'Spam', at}],
    ['unblockAccount', {account: '42', reason: undefined, at}],
  ]);
});

async function allPages({shortener}: Site, query: AdminLinkQuery): Promise<string[]> {
  const pages = await pagesOf((cursor) => shortener.admin.pageLinks({...query, cursor}));
  return pages.flatMap(({links}) => links.map(({account, link}) => `${account}/${link.shortUrlPart}`));
}

test('pageLinks() gives the links of all accounts once, with any limit and in either order', async (t) => {
  const site = await startSite(t);
  const {accounts, links, admin} = site.shortener;
  const expected: string[] = [];
  for (const account of ['user-42', 'bob', 'empty', 7, 'eve']) {
    await accounts.create(account);
    const count = account === 'empty' ? 0 : account === 7 ? 60 : 3;
    for (let number = 0; number < count; number += 1) {
      const link = await links.create(account, {url, customUrl: `${account}-${number}`});
      expected.push(`${account}/${link.shortUrlPart}`);
    }
  }
  for (const limit of [1, 3, 50, 1000]) {
    t.deepEqual(await allPages(site, {limit, order: 'oldest'}), expected, `${limit}`);
    t.deepEqual(await allPages(site, {limit}), expected.toReversed(), `${limit}`);
  }
  t.deepEqual(await allPages(site, {account: '7', limit: 7, order: 'oldest'}), expected.slice(6, 66));
  t.deepEqual(await allPages(site, {account: 'nobody'}), []);
  await links.disable('bob', 'https://example.com/bob-1');
  t.deepEqual(await allPages(site, {status: 'disabled', limit: 2}), ['bob/bob-1']);
  for (const query of [{limit: 0}, {cursor: 'x'}, {order: 'up'}, {status: 'removed'}, {search: 'x'.repeat(201)}]) {
    await t.throwsAsync(admin.pageLinks(query as AdminLinkQuery), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(admin.pageLinks({acount: 'x'} as AdminLinkQuery), {code: 'unknown_parameter'});
});

test('pageLinks() finds a link by its short part or short URL first, and by a part of its texts', async (t) => {
  const site = await startSite(t);
  const {accounts, links} = site.shortener;
  await accounts.create('bob');
  await links.create('user-42', {url, customUrl: 'spring'});
  await links.create('user-42', {url, customUrl: 'spring', baseDomain: 'sho.rt'});
  await links.create('bob', {url: 'https://destination.example/SPRING', customUrl: 'x1'});
  await links.create('bob', {url, customUrl: 'x2', title: 'Spring sale'});
  await links.create('bob', {url, customUrl: 'x3'});
  for (const limit of [1, 2, 100]) {
    t.deepEqual(
      await allPages(site, {search: 'spring', limit}),
      ['user-42/spring', 'user-42/spring', 'bob/x2', 'bob/x1'],
      `${limit}`,
    );
  }
  for (const search of ['https://sho.rt/spring', 'sho.rt/spring', ' SHO.rt/spring ']) {
    t.deepEqual(await allPages(site, {search}), ['user-42/spring'], search);
  }
  t.deepEqual(await allPages(site, {search: 'spring', account: 'bob'}), ['bob/x2', 'bob/x1']);
});

test('pages of all links are full but for the last, and one call of a search reads a bounded part', async (t) => {
  const {accounts, links, admin} = (await startSite(t)).shortener;
  const expected: number[] = [];
  const create = async (name: string): Promise<void> => {
    await accounts.create(name);
    expected.unshift((await links.create(name, {url})).urlId);
  };
  for (let number = 0; number < 25; number += 1) await create(`one-${number}`);
  await accounts.create('many');
  const many = Array.from({length: 1200}, () => ({url}));
  await collect(links.createMany('many', many));
  for (let number = 0; number < 20; number += 1) await create(`two-${number}`);
  const search = await admin.pageLinks({search: 'ü'});
  t.deepEqual(search.links, []);
  t.not(search.nextCursor, undefined);
  // It leaves a thousand empty slots.
  await accounts.remove('many');
  const all = await pagesOf((cursor) => admin.pageLinks({limit: 20, cursor}));
  const pages = all.map((page) => page.links.map(({link}) => link.urlId));
  const lengths = pages.map(({length}) => length);
  t.deepEqual(lengths, [20, 20, 5]);
  t.deepEqual(pages.flat(), expected);
});

async function accountsIn(site: Site, query: AccountQuery): Promise<string[]> {
  const pages = await pagesOf((cursor) => site.shortener.admin.pageAccounts({...query, cursor}));
  return pages.flatMap(({accounts}) => accounts.map(({account}) => account));
}

test('pageAccounts() sorts accounts by links, visits and the last visit, the most first and of equal ones the newest', async (t) => {
  const site = await startSite(t);
  const {accounts, links, admin} = site.shortener;
  const visits = {'user-42': 1, ann: 3, bob: 1, cid: 0, dan: 0};
  for (const [account, count] of Object.entries(visits)) {
    await accounts.create(account);
    const own = account === 'dan' ? [] : account === 'cid' ? ['c1', 'c2', 'c3'] : [`${account}-1`];
    for (const customUrl of own) await links.create(account, {url, customUrl});
    for (let visit = 0; visit < count; visit += 1) await site.visit(`https://example.com/${account}-1`);
    site.clock.now += 1000;
  }
  for (const limit of [1, 2, 100]) {
    t.deepEqual(await accountsIn(site, {order: 'links', limit}), ['cid', 'bob', 'ann', 'user-42', 'dan'], `${limit}`);
    t.deepEqual(await accountsIn(site, {order: 'visits', limit}), ['ann', 'bob', 'user-42', 'dan', 'cid'], `${limit}`);
    t.deepEqual(await accountsIn(site, {order: 'last_visit', limit}), ['bob', 'ann', 'user-42', 'dan', 'cid']);
  }
  t.deepEqual(await accountsIn(site, {order: 'visits', search: 'A', limit: 1}), ['ann', 'dan']);

  // The order is up to a minute old, but an account that was removed is in no list.
  await site.visit('https://example.com/c1');
  await accounts.remove('ann');
  t.deepEqual(await accountsIn(site, {order: 'last_visit'}), ['bob', 'user-42', 'dan', 'cid']);
  await accounts.create('ann');
  t.deepEqual(await accountsIn(site, {order: 'visits'}), ['bob', 'user-42', 'dan', 'cid']);
  site.clock.now += 61_000;
  t.deepEqual(await accountsIn(site, {order: 'last_visit'}), ['cid', 'bob', 'user-42', 'ann', 'dan']);

  const {nextCursor} = await admin.pageAccounts({order: 'visits', limit: 1});
  for (const order of ['links', 'newest'] as const) {
    await t.throwsAsync(admin.pageAccounts({order, cursor: nextCursor}), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(admin.pageAccounts({order: 'conversions'} as never), {code: 'malformed_parameter'});
});

test('stats() sums the whole site, and remembers it for a minute', async (t) => {
  const site = await startSite(t);
  const {admin, accounts, links} = site.shortener;
  for (let number = 0; number < 45; number += 1) await accounts.create(`user-${number}`);
  const one = await links.create('user-42', {url});
  const two = await links.create('user-7', {url});
  await site.visit(one.shortUrl);
  await site.visit(two.shortUrl);
  const first = await admin.stats();
  t.deepEqual(first, {
    accounts: 45,
    links: 2,
    brokenLinks: 0,
    totalVisits: 2,
    days: [{date: '2031-05-06', visits: 2, conversions: 0, values: []}],
    conversions: [],
  });
  await site.visit(two.shortUrl);
  site.clock.now += 59_000;
  t.deepEqual(await admin.stats(), first);
  site.clock.now += 1001;
  t.like(await admin.stats(), {totalVisits: 3, days: [{date: '2031-05-06', visits: 3, conversions: 0, values: []}]});
});

test.serial('the figures of a site take few calls of the store for many accounts', async (t) => {
  const {admin, accounts, links} = (await startSite(t)).shortener;
  const names = Array.from({length: 300}, (_, number) => `user-${number}`);
  await accounts.createMany(names);
  for (const name of names) await links.create(name, {url});
  let operations = 0;
  const count = (): void => void (operations += 1);
  const starts = 'tracing:koa-short-url:store:start';
  subscribe(starts, count);
  t.teardown(() => unsubscribe(starts, count));
  const {links: all} = await admin.stats({from: '2031-04-07', until: '2031-05-06'});
  t.is(all, names.length);
  t.true(operations < names.length / 10, `${operations}`);
});

test('more than 10,000 accounts are listed by their creation only', async (t) => {
  const {accounts, admin} = (await startSite(t)).shortener;
  const names = Array.from({length: 10_000}, (_, number) => `account-${number}`);
  // Besides one of the site.
  for (let start = 0; start < names.length; start += 1000) await accounts.createMany(names.slice(start, start + 1000));
  await t.throwsAsync(admin.pageAccounts({order: 'links'}), {code: 'too_many_links', message: /10000/});
  t.is((await admin.pageAccounts({order: 'oldest', limit: 1000})).accounts.length, 1000);
});

test('stats() has the visits of links that were removed, and no longer those of a removed account', async (t) => {
  const site = await startSite(t);
  const {admin, accounts, links} = site.shortener;
  await accounts.create('user-7');
  for (const account of ['user-42', 'user-7']) {
    const {shortUrl} = await links.create(account, {url});
    await site.visit(shortUrl);
    await links.remove(account, shortUrl);
  }
  t.like(await admin.stats(), {accounts: 2, links: 0, totalVisits: 2});
  await accounts.remove('user-7');
  site.clock.now += 61_000;
  t.like(await admin.stats(), {accounts: 1, links: 0, totalVisits: 1});
});

test('recentBlocks() has the blocks of links and accounts that are in force, the newest first', async (t) => {
  const site = await startSite(t);
  const {admin, accounts, links} = site.shortener;
  await accounts.create('ann');
  await accounts.create('bob');
  t.deepEqual(await admin.recentBlocks(), []);
  const of: Record<string, string> = {};
  for (const customUrl of ['one', 'two', 'three', 'gone']) {
    of[customUrl] = (await links.create('user-42', {url, customUrl})).shortUrl;
  }
  await admin.block(of['one'] ?? '', {reason: 'Phishing'});
  site.clock.now += 1000;
  await admin.blockAccount('ann', {reason: 'Spam'});
  await admin.blockAccount('bob');
  site.clock.now += 1000;
  for (const name of ['two', 'three', 'gone']) await admin.block(of[name] ?? '');
  // A block that was made before stays as old as it is.
  await admin.block(of['one'] ?? '', {reason: 'Fraud'});
  await admin.blockAccount('ann');
  await admin.unblock(of['two'] ?? '');
  await admin.unblockAccount('bob');
  await links.remove('user-42', of['gone'] ?? '');
  const found = await admin.recentBlocks();
  t.deepEqual(
    found.map(({account, link, reason, at}) => [account, link?.shortUrlPart, reason, at]),
    [
      ['user-42', 'three', undefined, '2031-05-06 12:00:02'],
      ['ann', undefined, 'Spam', '2031-05-06 12:00:01'],
      ['user-42', 'one', 'Fraud', '2031-05-06 12:00:00'],
    ],
  );
  // Again.
  site.clock.now += 1000;
  await admin.unblock(of['one'] ?? '');
  await admin.block(of['one'] ?? '');
  t.like((await admin.recentBlocks())[0], {link: {shortUrlPart: 'one'}, at: '2031-05-06 12:00:03'});
  await accounts.remove('ann');
  t.deepEqual(
    (await admin.recentBlocks()).map(({link}) => link?.shortUrlPart),
    ['one', 'three'],
  );
  await t.throwsAsync(admin.block(of['three'] ?? '', {reason: ''}), {code: 'malformed_parameter'});
});

test('recentBlocks() has at most a hundred blocks', async (t) => {
  const {admin, links} = (await startSite(t)).shortener;
  const made = await collect(
    links.createMany(
      'user-42',
      Array.from({length: 103}, () => ({url})),
    ),
  );
  for (const {link} of made) await admin.block(link?.shortUrl ?? '');
  const found = await admin.recentBlocks();
  t.deepEqual(
    found.map(({link}) => link?.urlId),
    Array.from({length: 100}, (_, index) => 103 - index),
  );
});

test('a block outlives the removal of its account, until the operator ends it', async (t) => {
  const site = await startSite(t);
  const {admin, accounts, links, events} = site.shortener;
  const ended: string[] = [];
  events.on('unblockAccount', ({account}) => ended.push(account));
  await accounts.createMany(['spammer', 'again', 'fine']);
  await admin.blockAccount('spammer', {reason: 'Spam'});
  await admin.blockAccount('again');
  await admin.blockAccount('fine');
  await admin.unblockAccount('fine');
  for (const name of ['spammer', 'again', 'fine']) await accounts.remove(name);

  const {apiKey} = await accounts.create('spammer');
  await accounts.createMany(['again', 'fine']);
  t.is((await accounts.create('spammer')).apiKey, apiKey);
  await t.throwsAsync(links.create('spammer', {url}), {code: 'account_blocked', message: /Spam/});
  await t.throwsAsync(links.create('again', {url}), {code: 'account_blocked'});
  await t.notThrowsAsync(links.create('fine', {url}));
  t.like(await admin.account('spammer'), {isBlocked: true, blockReason: 'Spam'});

  // As often as the account is removed and created.
  await accounts.remove('spammer');
  await accounts.create('spammer');
  await t.throwsAsync(links.create('spammer', {url}), {code: 'account_blocked', message: /Spam/});
  await admin.unblockAccount('spammer');
  const link = await links.create('spammer', {url});
  t.is((await site.visit(link.shortUrl)).status, 302);
  await accounts.remove('spammer');
  await accounts.create('spammer');
  await t.notThrowsAsync(links.create('spammer', {url}));
  t.deepEqual(ended, ['fine', 'spammer']);
});

test('the block of a removed account ends by the name of the account', async (t) => {
  const {admin, accounts, links, events} = (await startSite(t)).shortener;
  const ended: string[] = [];
  events.on('unblockAccount', ({account}) => ended.push(account));
  await accounts.create('named');
  await admin.blockAccount('named', {reason: 'Spam'});
  await accounts.remove('named');
  await admin.unblockAccount('named');
  await t.throwsAsync(admin.unblockAccount('named'), {code: 'invalid_api_key'});
  await t.throwsAsync(admin.unblockAccount('nobody'), {code: 'invalid_api_key'});
  await accounts.create('named');
  await t.notThrowsAsync(links.create('named', {url}));
  t.deepEqual(ended, ['named']);
});
