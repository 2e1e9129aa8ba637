import test from 'ava';
import {errorOf, open, textOf} from '../../support/dashboard.ts';

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

test('the operator finds a short URL without its scheme, and is told about an unknown one', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  const operator = visitor('operator');
  const find = async (text: string) => operator.get(`operator?short_url=${encodeURIComponent(text)}`);
  for (const text of [`${origin}/spring`, ` ${origin.replace('http://', '')}/spring `]) {
    t.true(textOf((await find(text)).text).includes('Account ann'), text);
  }
  for (const text of [
    `${origin}/Spring`,
    'https://elsewhere.example/spring',
    'nonsense',
    '<b>',
    'javascript:alert(1)',
  ]) {
    const {status, text: page} = await find(text);
    t.is(status, 200, text);
    t.true(textOf(page).includes('No account has this short URL') || errorOf(page, 'short_url') !== undefined, text);
  }
  t.false((await operator.get('operator')).text.includes('Nobody has'));
  const unknown = await operator.post('block', {short_url: `${origin}/nothing`});
  t.is(unknown.status, 404);
  t.true(textOf(unknown.text).includes('No account has this short URL'));
  t.false(textOf(unknown.text).includes('in your account'));
});

test('the operator sees all accounts with their totals, fifty a page', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  await fetch(`${origin}/spring`, {redirect: 'manual'});
  for (let index = 0; index < 60; index++) await shortener.accounts.create(`user-${index} <b>`);
  const operator = visitor('operator');
  const first = (await operator.get('accounts')).text;
  t.true(textOf(first).includes('ann May 6, 2031 1 1 May 6, 2031'));
  t.true(first.includes('user-0 &lt;b&gt;'));
  t.is(first.match(/class="links-strong"/g)?.length, 50);
  t.true(first.includes('accounts?page=2'));
  const second = (await operator.get('accounts?page=2')).text;
  // 60 accounts, the operator's own and ann's make 62.
  t.is(second.match(/class="links-strong"/g)?.length, 12);
  t.false(second.includes('accounts?page=3'));
  const end = (await operator.get('accounts?page=5')).text;
  t.true(end.includes('No more accounts'));
  t.false(end.includes('No accounts yet'));
  t.true(end.includes('accounts?page=4'));
  for (const page of ['0', '-1', 'x', '1e99']) t.is((await operator.get(`accounts?page=${page}`)).status, 200, page);
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
