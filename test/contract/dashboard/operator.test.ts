import '../../support/quick-scrypt.ts';
import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';
import {openAsPerson} from '../../support/visitor.ts';

const url = 'https://example.org/a/long/one';
const linkPath = (shortUrl: string): string => `link?short_url=${encodeURIComponent(shortUrl)}`;

test('the operator finds any link, sees its account, blocks it and unblocks it', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const operator = visitor('operator');
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring', title: 'Spring'});
  const disabled = await shortener.links.create('ann', {url, customUrl: 'autumn'});
  await shortener.links.disable('ann', disabled.shortUrl);
  t.false(
    (await operator.get(`operator?short_url=${encodeURIComponent(disabled.shortUrl)}`)).text.includes('./unblock'),
  );
  await shortener.links.remove('ann', disabled.shortUrl);
  const query = `operator?short_url=${encodeURIComponent(shortUrl)}`;
  const found = textOf((await operator.get(query)).text);
  for (const text of ['Account ann', 'Title Spring', `Long URL ${url}`, 'Status Active']) {
    t.true(found.includes(text), text);
  }
  t.false((await operator.get(query)).text.includes('./unblock'));

  const blocked = await operator.submit('block', {short_url: shortUrl});
  t.true(blocked.text.includes('The link is blocked.'));
  t.is((await fetch(`${origin}/spring`)).status, 410);
  t.is((await visitor('ann').post('enable', {short_url: shortUrl})).status, 403);
  const [list, page] = await Promise.all([visitor('ann').get(''), visitor('ann').get(linkPath(shortUrl))]);
  for (const {text} of [list, page]) {
    t.true(textOf(text).includes('Blocked'));
    t.false(text.includes('./enable'));
  }
  t.true(textOf(page.text).includes('The operator of this site has blocked this link.'));
  t.false(page.text.includes('./update'));
  const onlyUnblock = (await operator.get(query)).text;
  t.true(onlyUnblock.includes('./unblock'));
  t.false(onlyUnblock.includes('./block"'));
  const change = await visitor('ann').post('update', {short_url: shortUrl, url, title: 'Other'});
  t.is(change.status, 403);
  t.true(textOf(change.text).includes('The operator of this site has blocked this link.'));

  const free = await operator.submit('unblock', {short_url: shortUrl});
  t.true(free.text.includes('The link is no longer blocked.'));
  t.is((await fetch(`${origin}/spring`, {redirect: 'manual'})).status, 302);
});

/** The accounts on a page, in order. */
function accountsIn(html: string): string[] {
  return Array.from(html.matchAll(/class="links-strong"><bdi>([^<]*)</g), ([, account = '']) => account);
}

/** The address of the link to the page before or after this one; empty for none. */
function addressOf(html: string, rel: 'prev' | 'next'): string {
  const address = new RegExp(`rel="${rel}" href="([^"]*)"`).exec(html)?.[1] ?? '';
  return address.replaceAll('&amp;', '&');
}

test('the operator sees all accounts with their totals, the newest first, fifty a page', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  await openAsPerson(`${origin}/spring`);
  for (let index = 0; index < 160; index++) await shortener.accounts.create(`user-${index} <b>`);
  const operator = visitor('operator');
  const pages: string[] = [];
  for (let address = 'accounts'; address !== ''; address = addressOf(pages.at(-1) ?? '', 'next')) {
    pages.push((await operator.get(address)).text);
  }
  const [first = '', , , last = ''] = pages;
  const shown = pages.map(accountsIn);
  t.deepEqual(
    shown.map(({length}) => length),
    [50, 50, 50, 12],
  );
  t.deepEqual(shown.flat(), [
    'operator',
    ...Array.from({length: 160}, (_, index) => `user-${159 - index} &lt;b&gt;`),
    'ann',
  ]);
  t.true(textOf(last).includes('ann May 6, 2031 1 1 May 6, 2031'));
  t.is(addressOf(first, 'prev'), '');

  const back = [last];
  for (let address = addressOf(last, 'prev'); address !== ''; address = addressOf(back.at(-1) ?? '', 'prev')) {
    back.push((await operator.get(address)).text);
  }
  t.deepEqual(back.map(accountsIn), shown.toReversed());
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

test("other users get the host's 404 for the operator's pages", async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('bob', {url}).catch(async () => {
    await shortener.accounts.create('bob');
    return shortener.links.create('bob', {url});
  });
  const ann = visitor('ann');
  for (const page of ['operator', 'accounts', `operator?short_url=${shortUrl}`]) {
    t.is((await ann.get(page)).status, 404);
  }
  for (const action of ['block', 'unblock']) t.is((await ann.post(action, {short_url: shortUrl})).status, 404);
  t.false((await ann.get()).text.includes('operator'));
  t.is((await shortener.links.info('bob', shortUrl)).status, 'active');
});
