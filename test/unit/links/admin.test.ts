import {linkKey} from '../../../src/keys.ts';
import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import type {LinkEvent} from '../../../src/links/events.ts';
import {shortUrl as createShortener} from '../../../src/index.ts';
import {packing} from '../../../src/link/packing.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {collect} from '../../support/collect.ts';
import {type Site, startSite} from '../../support/site.ts';

const owner = 'user-42';
const url = 'https://destination.example/page';

async function start(t: ExecutionContext): Promise<Site> {
  return startSite(t, {shortUrl: {store: new Map(), secret: 'a-secret-of-good-length-0123456789'}});
}

/** Collects the events of block, unblock, disable and enable. */
function listen(site: Site): Array<[kind: string, event: LinkEvent]> {
  const events: Array<[string, LinkEvent]> = [];
  for (const kind of ['block', 'unblock', 'disable', 'enable'] as const) {
    site.shortener.events.on(kind, (event) => events.push([kind, event]));
  }
  return events;
}

test('find() gives any link of the site with its account and its visits', async (t) => {
  const site = await start(t);
  const {admin, accounts, links} = site.shortener;
  await accounts.create('user-43');
  const {shortUrl} = await links.create('user-43', {url, customUrl: 'spring', title: 'Spring'});
  await site.visit(shortUrl);
  const found = {account: 'user-43', link: await links.info('user-43', shortUrl)};
  t.is(found.link.totalVisits, 1);
  for (const text of [shortUrl, 'http://EXAMPLE.com/spring', 'https://example.com/spring?utm=x#top']) {
    t.deepEqual(await admin.find(text), found, text);
  }
});

test('removed, pending and unknown links are not found, and cannot be blocked or unblocked', async (t) => {
  const site = await start(t);
  const {admin, accounts, links} = site.shortener;
  const {shortUrl: removed} = await links.create(owner, {url});
  await links.remove(owner, removed);
  await accounts.create('user-43');
  const {shortUrl: orphaned} = await links.create('user-43', {url});
  await accounts.remove('user-43');
  const {shortUrl: pending} = await links.create(owner, {url, customUrl: 'pending'});
  await change(site, 'pending', (record) => ({...record, state: 'pending'}));
  const none = ['https://example.com/none', 'https://example.com/Pending', 'https://elsewhere.example/a/b'];
  const others = ['https://example.com/', 'spring', '', undefined, null, 5, {}];
  for (const [index, text] of ([removed, orphaned, pending, ...none, ...others] as string[]).entries()) {
    t.is(await admin.find(text), undefined, `${index}`);
    const refusal = {code: 'unknown_short_url', message: /This site has/};
    await t.throwsAsync(admin.block(text), refusal, `${index}`);
    await t.throwsAsync(admin.unblock(text), refusal, `${index}`);
  }
});

test('a blocked link is disabled for its account and gone for visitors, until it is unblocked', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url});
  t.is((await site.visit(shortUrl)).status, 302);
  const {account, link} = await admin.block(shortUrl);
  t.is(account, owner);
  t.like(link, {shortUrl, status: 'disabled', totalVisits: 1});
  t.is((await site.visit(shortUrl)).status, 410);
  t.deepEqual(await links.info(owner, shortUrl), link);
  t.deepEqual(await admin.find(shortUrl), {account, link});
  t.deepEqual(await site.list(), []);
  await t.throwsAsync(links.enable(owner, shortUrl), {code: 'link_blocked'});
  await t.throwsAsync(links.update(owner, shortUrl, {url: 'https://destination.example/'}), {code: 'link_blocked'});

  t.like(await admin.unblock(shortUrl), {account, link: {shortUrl, status: 'active', totalVisits: 1}});
  t.is((await site.visit(shortUrl)).status, 302);
  t.deepEqual(await site.list(), [shortUrl]);
  t.is((await links.update(owner, shortUrl, {title: 'Spring'})).title, 'Spring');
});

test('unblock restores the state that the account left', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const before = await links.create(owner, {url, customUrl: 'before'});
  await links.disable(owner, before.shortUrl);
  const meanwhile = await links.create(owner, {url, customUrl: 'meanwhile'});
  const over = await links.create(owner, {url, customUrl: 'over', expiryDate: '2031-05-06'});
  const all = [before, meanwhile, over];
  for (const {shortUrl} of all) await admin.block(shortUrl);
  t.is((await links.disable(owner, meanwhile.shortUrl)).status, 'disabled');
  site.clock.set('2031-05-07T00:00:00Z');
  for (const {shortUrl} of all) t.is((await links.info(owner, shortUrl)).status, 'disabled');
  t.is((await admin.unblock(before.shortUrl)).link.status, 'disabled');
  t.is((await admin.unblock(meanwhile.shortUrl)).link.status, 'disabled');
  t.is((await admin.unblock(over.shortUrl)).link.status, 'expired');
  t.is((await links.enable(owner, before.shortUrl)).status, 'active');
});

test('blocking or unblocking a second time changes nothing and sends no event', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url});
  const events = listen(site);
  await admin.unblock(shortUrl);
  t.is(events.length, 0);
  const blocked = await admin.block(shortUrl);
  t.deepEqual(await admin.block(shortUrl), blocked);
  await links.disable(owner, shortUrl);
  await links.disable(owner, shortUrl);
  await admin.unblock(shortUrl);
  await admin.unblock(shortUrl);
  t.deepEqual(
    events.map(([kind, {account, link, at}]) => [kind, account, link.shortUrl, link.status, at.getTime()]),
    [
      ['block', owner, shortUrl, 'disabled', site.clock.now],
      ['disable', owner, shortUrl, 'disabled', site.clock.now],
      ['unblock', owner, shortUrl, 'disabled', site.clock.now],
    ],
  );
});

test('a blocked link redirects no visitor, not even with its password', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url, password: 's3cret'});
  t.is((await site.visit(shortUrl)).status, 200);
  await admin.block(shortUrl);
  t.is((await site.visit(shortUrl)).status, 410);
  t.is((await site.submit(shortUrl, 's3cret')).status, 410);
  t.is((await links.info(owner, shortUrl)).totalVisits, 0);
});

test('an account cannot remove a blocked link and create it again', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url, customUrl: 'spring'});
  await admin.block(shortUrl);
  await links.remove(owner, shortUrl);
  t.is(await admin.find(shortUrl), undefined);
  await t.throwsAsync(links.create(owner, {url, customUrl: 'spring'}), {code: 'custom_url_taken'});
  t.is((await site.visit(shortUrl)).status, 410);
});

test('a link on a domain that is no longer configured can still be found and blocked', async (t) => {
  const site = await start(t);
  const {shortUrl} = await site.shortener.links.create(owner, {url, customUrl: 'spring', baseDomain: 'sho.rt'});
  const shortener = createShortener({...site.options, baseDomains: []});
  t.teardown(() => shortener.close());
  t.is((await shortener.admin.find(shortUrl))?.account, owner);
  t.is((await shortener.admin.block(shortUrl)).link.status, 'disabled');
});

test('while the store is away, every operation of the operator fails with store_unavailable', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url});
  await site.shortener.close();
  for (const asked of [admin.find(shortUrl), admin.block(shortUrl), admin.accounts().next(), admin.pageAccounts()]) {
    await t.throwsAsync(asked, {code: 'store_unavailable'});
  }
});

test('accounts() gives every account with the time of its creation', async (t) => {
  const site = await start(t);
  const {admin, accounts} = site.shortener;
  site.clock.set('2031-05-07T08:09:10.999Z');
  await accounts.create('user-43');
  t.deepEqual(await collect(admin.accounts()), [
    {account: owner, created: '2031-05-06 12:00:00'},
    {account: 'user-43', created: '2031-05-07 08:09:10'},
  ]);
});

test('pageAccounts() gives the accounts a page at a time, by default the newest first', async (t) => {
  const site = await start(t);
  const {admin, accounts} = site.shortener;
  site.clock.set('2031-05-07T08:09:10.999Z');
  for (const account of ['Ann', 'bob', 'joann']) await accounts.create(account);
  const first = await admin.pageAccounts({limit: 3});
  t.deepEqual(
    first.accounts.map(({account}) => account),
    ['joann', 'bob', 'Ann'],
  );
  t.deepEqual(await admin.pageAccounts({limit: 3, cursor: first.nextCursor}), {
    accounts: [{account: owner, created: '2031-05-06 12:00:00'}],
    nextCursor: undefined,
  });
  const named = await admin.pageAccounts({order: 'oldest', search: 'ANN'});
  t.deepEqual(named, {
    accounts: ['Ann', 'joann'].map((account) => ({account, created: '2031-05-07 08:09:10'})),
    nextCursor: undefined,
  });
  t.deepEqual(await admin.pageAccounts({search: 'nobody'}), {accounts: [], nextCursor: undefined});
});

test('a search through many accounts takes several calls, of which each has a cursor', async (t) => {
  const {admin, accounts} = (await start(t)).shortener;
  for (let index = 0; index < 1300; index++) await accounts.create(`account-${index}`);
  const first = await admin.pageAccounts({search: owner});
  t.deepEqual(first.accounts, []);
  t.not(first.nextCursor, undefined);
  const second = await admin.pageAccounts({search: owner, cursor: first.nextCursor});
  t.is(second.accounts[0]?.account, owner);
  t.is(second.nextCursor, undefined);
  t.is((await admin.pageAccounts()).accounts.length, 100);
  t.is((await admin.pageAccounts({limit: 1000})).accounts.length, 1000);
});

test('pageAccounts() refuses a wrong order, search, limit or cursor', async (t) => {
  const {admin, accounts} = (await start(t)).shortener;
  await accounts.create('user-43');
  const {nextCursor} = await admin.pageAccounts({limit: 1});
  const wrong: unknown[] = [
    {order: 'first'},
    {search: ''},
    {search: 'a'.repeat(201)},
    {limit: 0},
    {limit: 1001},
    {limit: '5'},
    {cursor: 'nonsense'},
    {cursor: nextCursor, order: 'oldest'},
  ];
  for (const query of wrong) {
    await t.throwsAsync(admin.pageAccounts(query as never), {code: 'malformed_parameter'}, JSON.stringify(query));
  }
  await t.throwsAsync(admin.pageAccounts({status: 'active'} as never), {code: 'unknown_parameter'});
});

/** Changes a record directly in the store. */
async function change({options}: Site, slug: string, next: (record: LinkRecord) => LinkRecord): Promise<void> {
  const store = openStore(options.store, {namespace: 'shorturl', packing});
  const key = linkKey({domain: 'example.com', slug});
  const entry = await store.get<LinkRecord>(key);
  if (entry) await store.replace(key, entry.revision, next(entry.value));
  await store.close();
}
