import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type AdminLinkQuery, type Link, shortUrl as createShortener} from '../../../src/index.ts';
import {buildServices} from '../../../src/shortener/services.ts';
import {Admin} from '../../../src/links/admin.ts';
import {Bases} from '../../../src/link/bases.ts';
import type {Store} from '../../../src/store/port.ts';
import {type Site, startSite} from '../../support/site.ts';
import {intercepted, memoryStore} from '../../support/store-stub.ts';

const url = 'https://destination.example/page';
const secret = 'a-secret-of-good-length-0123456789';
const noon = Date.UTC(2031, 4, 6, 12);

async function start(t: ExecutionContext): Promise<Site> {
  return startSite(t, {shortUrl: {store: new Map(), secret, baseDomains: ['sho.rt']}});
}

test('a blocked account is refused everywhere and its links answer 410, until it is unblocked', async (t) => {
  const site = await start(t);
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

test('an unknown account cannot be blocked, and a wrong reason is refused', async (t) => {
  const {admin, links} = (await start(t)).shortener;
  t.is(await admin.account('nobody'), undefined);
  await t.throwsAsync(admin.blockAccount('nobody'), {code: 'invalid_api_key'});
  await t.throwsAsync(admin.unblockAccount('nobody'), {code: 'invalid_api_key'});
  const {shortUrl} = await links.create('user-42', {url});
  for (const reason of ['', ' x', 'a\nb', 'x'.repeat(201), 5]) {
    const block = {reason} as {reason: string};
    await t.throwsAsync(admin.blockAccount('user-42', block), {code: 'malformed_parameter'});
    await t.throwsAsync(admin.block(shortUrl, block), {code: 'malformed_parameter'});
  }
  await t.throwsAsync(admin.block(shortUrl, {resaon: 'x'} as object), {code: 'unknown_parameter'});
  t.like(await links.info('user-42', shortUrl), {status: 'active'});
  await admin.block(shortUrl, {reason: 'One'});
  await admin.block(shortUrl);
  t.is((await links.info('user-42', shortUrl)).blockReason, 'One');
  await t.throwsAsync(links.enable('user-42', shortUrl), {code: 'link_blocked', message: /“One”\.$/});
  await admin.unblock(shortUrl);
  t.false('blockReason' in (await links.info('user-42', shortUrl)));
});

/** Two processes over one store. `before` runs before each operation of the first one. */
async function twoProcesses(before: (operation: keyof Store) => void | Promise<void> = () => undefined) {
  const store = memoryStore();
  const open = (own: Store) => {
    const bases = new Bases('https://example.com', []);
    const services = buildServices(own, {bases, secrets: ['a secret'], now: () => noon});
    return {...services, admin: new Admin(services)};
  };
  const hooks = {before};
  const one = open(intercepted(store, (operation) => hooks.before(operation)));
  const two = open(store);
  await two.accounts.create('ann');
  return {one, two, hooks, account: await two.accounts.require('ann')};
}

test('a create that a block overtakes at any of its steps leaves no link that redirects', async (t) => {
  const outcomes = new Set<string>();
  for (let step = 1; step <= 8; step += 1) {
    const {one, two, hooks, account} = await twoProcesses();
    let steps = 0;
    hooks.before = async () => {
      steps += 1;
      if (steps === step) await two.admin.blockAccount('ann');
    };
    const result: Link | {code: string} = await one.links
      .create(account, {url, customUrl: 'spring'})
      .catch((error: unknown) => error as {code: string});
    if (steps < step) continue;
    outcomes.add('code' in result ? result.code : 'created');
    const found = await two.redirects.find({domain: 'example.com', slug: 'spring'});
    t.not(found.status, 'active', `step ${step}`);
    await two.admin.unblockAccount('ann');
    if ('code' in result) {
      t.is(result.code, 'account_blocked', `step ${step}`);
      // The account gets the name, and nothing else is left behind.
      await t.notThrowsAsync(two.links.create(account, {url, customUrl: 'spring'}), `step ${step}`);
    }
    t.is((await two.redirects.find({domain: 'example.com', slug: 'spring'})).status, 'active', `step ${step}`);
    // Reading the list finds the slot that the refused create has left.
    await two.links.page(account);
    t.is((await two.links.accountStats(account)).links, 1);
  }
  t.deepEqual([...outcomes], ['account_blocked']);
});

test('a block that is overtaken by an unblock at any of its steps leaves no link blocked', async (t) => {
  for (let step = 1; step <= 14; step += 1) {
    const {one, two, hooks, account} = await twoProcesses();
    for (const customUrl of ['one', 'two', 'three']) await two.links.create(account, {url, customUrl});
    let steps = 0;
    hooks.before = async () => {
      steps += 1;
      if (steps !== step) return;
      await two.admin.unblockAccount('ann');
      await two.links.create(account, {url, customUrl: 'four'}).catch(() => undefined);
    };
    await one.admin.blockAccount('ann');
    const isBlocked = (await two.admin.account('ann'))?.isBlocked === true;
    const {links} = await two.admin.pageLinks();
    for (const {link} of links) t.is(link.isAccountBlocked === true, isBlocked, `step ${step}, ${link.shortUrlPart}`);
  }
});

test('a block interrupted at any write is completed by a repeat', async (t) => {
  for (let cut = 1; cut <= 4; cut += 1) {
    const {one, two, hooks, account} = await twoProcesses();
    for (const customUrl of ['one', 'two', 'three']) await two.links.create(account, {url, customUrl});
    let writes = 0;
    hooks.before = (operation) => {
      if (operation === 'replace' && (writes += 1) === cut) throw new Error('cut off');
    };
    await t.throwsAsync(one.admin.blockAccount('ann'), {message: 'cut off'});
    await two.admin.blockAccount('ann');
    for (const {link} of (await two.admin.pageLinks()).links) t.is(link.status, 'disabled', `write ${cut}`);
  }
});

async function allPages(site: Site, query: AdminLinkQuery): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 500; pages += 1) {
    const page = await site.shortener.admin.pageLinks({...query, cursor});
    found.push(...page.links.map(({account, link}) => `${account}/${link.shortUrlPart}`));
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
  throw new Error('The list has no end');
}

test('pageLinks() gives the links of all accounts once, with any limit and in either order', async (t) => {
  const site = await start(t);
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
  const site = await start(t);
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

test('one call of pageLinks() reads a bounded part of many accounts', async (t) => {
  const {two, one, hooks} = await twoProcesses();
  for (let number = 0; number < 500; number += 1) await two.accounts.create(`user-${number}`);
  let reads = 0;
  hooks.before = () => void (reads += 1);
  const {links, nextCursor} = await one.admin.pageLinks({search: 'nothing'});
  t.deepEqual(links, []);
  t.not(nextCursor, undefined);
  t.true(reads < 1000, `${reads} reads`);
});

test('stats() sums the whole site, and remembers it for a minute', async (t) => {
  const site = await start(t);
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
    totalVisits: 2,
    days: [{date: '2031-05-06', visits: 2, conversions: 0}],
    conversions: [],
  });
  await site.visit(two.shortUrl);
  site.clock.now += 59_000;
  t.deepEqual(await admin.stats(), first);
  site.clock.now += 1000;
  t.like(await admin.stats(), {totalVisits: 3, days: [{date: '2031-05-06', visits: 3, conversions: 0}]});
});

test('a failed sum is not remembered', async (t) => {
  const {one, hooks} = await twoProcesses();
  hooks.before = () => {
    throw new Error('cut off');
  };
  await t.throwsAsync(one.admin.stats(), {message: 'cut off'});
  hooks.before = () => undefined;
  t.is((await one.admin.stats()).accounts, 1);
});

test('a shortener without links has empty lists and totals', async (t) => {
  const shortener = createShortener({baseUrl: 'https://example.com', store: 'memory:'});
  t.deepEqual(await shortener.admin.pageLinks(), {links: [], nextCursor: undefined});
  t.deepEqual(await shortener.admin.stats(), {accounts: 0, links: 0, totalVisits: 0, days: [], conversions: []});
  await shortener.close();
});
