import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import {type Site, startSite} from '../../support/site.ts';

const owner = 'user-42';
const url = 'https://destination.example/page';

async function start(t: ExecutionContext): Promise<Site> {
  return startSite(t, {shortUrl: {store: new Map(), secret: 'a-secret-of-good-length-0123456789'}});
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

test('removed and unknown links are not found, and cannot be blocked or unblocked', async (t) => {
  const site = await start(t);
  const {admin, accounts, links} = site.shortener;
  const {shortUrl: removed} = await links.create(owner, {url});
  await links.remove(owner, removed);
  await accounts.create('user-43');
  const {shortUrl: orphaned} = await links.create('user-43', {url});
  await accounts.remove('user-43');
  const none = ['https://example.com/none', 'https://elsewhere.example/a/b'];
  const others = ['https://example.com/', 'spring', '', undefined, null, 5, {}];
  for (const [index, text] of ([removed, orphaned, ...none, ...others] as string[]).entries()) {
    t.is(await admin.find(text), undefined, `${index}`);
    const refusal = {code: 'unknown_short_url', message: /This site has/};
    await t.throwsAsync(admin.block(text), refusal, `${index}`);
    await t.throwsAsync(admin.unblock(text), refusal, `${index}`);
  }
});

test('a blocked link is disabled for its account and gone for visitors, with its password too, until it is unblocked', async (t) => {
  const site = await start(t);
  const {admin, links} = site.shortener;
  const {shortUrl} = await links.create(owner, {url});
  t.is((await site.visit(shortUrl)).status, 302);
  const {account, link} = await admin.block(shortUrl);
  t.is(account, owner);
  t.like(link, {shortUrl, status: 'disabled', totalVisits: 1});
  t.is((await site.visit(shortUrl)).status, 410);
  const {shortUrl: locked} = await links.create(owner, {url, password: 's3cret'});
  await admin.block(locked);
  t.is((await site.submit(locked, 's3cret')).status, 410);
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

test('pageAccounts() gives the accounts a page at a time, by default the newest first', async (t) => {
  const site = await start(t);
  const {admin, accounts} = site.shortener;
  site.clock.set('2031-05-07T08:09:10.999Z');
  for (const account of ['Ann', 'bob', 'joann']) await accounts.create(account);
  const first = await admin.pageAccounts({limit: 3});
  const newest = first.accounts.map(({account}) => account);
  t.deepEqual(newest, ['joann', 'bob', 'Ann']);
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
