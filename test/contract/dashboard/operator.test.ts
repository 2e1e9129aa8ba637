import '../../support/quick-scrypt.ts';
import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';
import {addressOf, linkPath, pagesFrom} from '../../support/dashboard-pages.ts';
import {openAsPerson} from '../../support/visitor.ts';

const url = 'https://example.org/a/long/one';

test('the operator finds any link, sees its account, blocks it and unblocks it', async (t) => {
  const {visitor, shortener} = await open(t);
  const [operator, ann] = [visitor('operator'), visitor('ann')];
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring', title: 'Spring'});
  const disabled = await shortener.links.create('ann', {url, customUrl: 'autumn'});
  await shortener.links.disable('ann', disabled.shortUrl);
  const find = async (address: string) =>
    (await operator.get(`operator?short_url=${encodeURIComponent(address)}`)).text;
  t.false((await find(disabled.shortUrl)).includes('./unblock'));
  await shortener.links.remove('ann', disabled.shortUrl);
  const found = await find(shortUrl);
  t.false(found.includes('./unblock'));
  for (const text of ['Account ann', 'Title Spring', `Long URL ${url}`, 'Status Active']) {
    t.true(textOf(found).includes(text), text);
  }

  const blocked = await operator.submit('block', {short_url: shortUrl});
  t.true(blocked.text.includes('The link is blocked.'));
  t.is((await fetch(shortUrl)).status, 410);
  t.is((await ann.post('enable', {short_url: shortUrl})).status, 403);
  const page = await ann.get(linkPath(shortUrl));
  for (const {text} of [await ann.get(), page]) {
    t.true(textOf(text).includes('Blocked'));
    t.false(text.includes('./enable'));
  }
  t.false(page.text.includes('./update'));
  const change = await ann.post('update', {short_url: shortUrl, url, title: 'Other'});
  t.is(change.status, 403);
  for (const {text} of [page, change]) {
    t.true(textOf(text).includes('The operator of this site has blocked this link.'));
  }
  const onlyUnblock = await find(shortUrl);
  t.true(onlyUnblock.includes('./unblock'));
  t.false(onlyUnblock.includes('./block"'));

  const free = await operator.submit('unblock', {short_url: shortUrl});
  t.true(free.text.includes('The link is no longer blocked.'));
  t.is((await fetch(shortUrl, {redirect: 'manual'})).status, 302);
});

/** The accounts on a page, in order. */
function accountsIn(html: string): string[] {
  return Array.from(html.matchAll(/class="links-strong"><bdi>([^<]*)</g), ([, account = '']) => account);
}

test('the operator sees all accounts with their totals, the newest first, fifty a page', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  await openAsPerson(`${origin}/spring`);
  for (let index = 0; index < 110; index++) await shortener.accounts.create(`user-${index} <b>`);
  const operator = visitor('operator');
  const pages = await pagesFrom(operator, 'accounts', 'next');
  const shown = pages.map(accountsIn);
  t.deepEqual(
    shown.map(({length}) => length),
    [50, 50, 12],
  );
  const users = Array.from({length: 110}, (_, index) => `user-${109 - index} &lt;b&gt;`);
  t.deepEqual(shown.flat(), ['operator', ...users, 'ann']);
  const last = pages.at(-1) ?? '';
  t.true(textOf(last).includes('ann May 6, 2031 1 1 May 6, 2031'));
  const back = await pagesFrom(operator, addressOf(last, 'prev'), 'prev');
  t.deepEqual(back.map(accountsIn), shown.slice(0, -1).toReversed());
});

test('the operator finds accounts by a part of their names, and the next pages keep the search', async (t) => {
  const {visitor, shortener} = await open(t);
  for (let index = 0; index < 60; index++) await shortener.accounts.create(`Shop ${index}`);
  const operator = visitor('operator');
  const first = (await operator.get('accounts?search=+sHOP+')).text;
  t.is(accountsIn(first).length, 50);
  t.true(first.includes('value="sHOP"'));
  const second = (await operator.get(addressOf(first, 'next'))).text;
  t.is(accountsIn(second).at(-1), 'Shop 0');
  t.is(addressOf(second, 'next'), '');
  t.deepEqual(accountsIn((await operator.get(addressOf(second, 'prev'))).text), accountsIn(first));
  t.deepEqual(accountsIn((await operator.get('accounts?search=ann')).text), ['ann']);
  const none = (await operator.get('accounts?search=%3Cb%3E')).text;
  t.true(none.includes('No account matches'));
  t.true(none.includes('value="&lt;b&gt;"'));
  t.is((await operator.get(`accounts?search=${'😀'.repeat(300)}`)).status, 200);
});

test("other users get the host's 404 for the operator's pages and actions", async (t) => {
  const {visitor, shortener} = await open(t);
  await shortener.accounts.create('bob');
  const {shortUrl} = await shortener.links.create('bob', {url});
  const ann = visitor('ann');
  for (const page of ['operator', 'accounts', `operator?short_url=${shortUrl}`, 'account?account=ann']) {
    t.is((await ann.get(page)).status, 404, page);
  }
  for (const action of ['block', 'unblock', 'block-account', 'unblock-account', 'remove-account']) {
    t.is((await ann.post(action, {short_url: shortUrl, account: 'ann'})).status, 404, action);
  }
  t.false((await ann.get()).text.includes('operator'));
  t.is((await shortener.links.info('bob', shortUrl)).status, 'active');
});
