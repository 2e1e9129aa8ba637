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
  t.true(blocked.text.includes('Blocked.'));
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
  t.true(free.text.includes('No longer blocked.'));
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

test('the operator sorts accounts by links, visits and the last visit, and the next pages keep the order', async (t) => {
  const findAccounts = () => ['few', 'ann', 'many'];
  const {visitor, shortener, origin, clock} = await open(t, {dashboard: {findAccounts}});
  for (const [account, count] of [
    ['few', 1],
    ['many', 2],
  ] as const) {
    await shortener.accounts.create(account);
    for (let link = 1; link <= count; link += 1) {
      await shortener.links.create(account, {url, customUrl: `${account}-${link}`});
    }
    clock.now += 1000;
  }
  await openAsPerson(`${origin}/many-1`);
  clock.now += 1000;
  for (let visit = 0; visit < 3; visit += 1) await openAsPerson(`${origin}/few-1`);
  clock.now += 1000;
  await openAsPerson(`${origin}/many-2`);
  for (let index = 0; index < 50; index += 1) await shortener.accounts.create(`user-${index}`);
  const operator = visitor('operator');
  const first = async (query: string) => accountsIn((await operator.get(`accounts?${query}`)).text).slice(0, 3);
  t.deepEqual(await first('order=links'), ['many', 'few', 'operator']);
  t.deepEqual(await first('order=visits'), ['few', 'many', 'operator']);
  t.deepEqual(await first('order=last_visit'), ['many', 'few', 'operator']);
  t.deepEqual(await first('order=oldest'), ['ann', 'few', 'many']);
  t.deepEqual(await first('search=x'), ['few', 'ann', 'many']);
  const pages = await pagesFrom(operator, 'accounts?order=links', 'next');
  t.is(new Set(pages.flatMap(accountsIn)).size, 54);
  t.true(pages.at(-1)?.includes('<option value="links" selected>'));
});

test("the operator filters an account's links by status, and blocking several leads back to the list", async (t) => {
  const {visitor, shortener, origin} = await open(t);
  for (const customUrl of ['a', 'b', 'c']) await shortener.links.create('ann', {url, customUrl});
  await shortener.accounts.create('bob');
  await shortener.links.create('bob', {url, customUrl: 'other'});
  await shortener.links.disable('ann', `${origin}/b`);
  const operator = visitor('operator');
  const {text} = await operator.get('account?account=ann&status=disabled&order=visits');
  t.true(text.includes('/b</a') && !text.includes('/a</a'));
  const done = await operator.submit('block-links', {
    ...{account: 'ann', status: 'disabled', order: 'visits'},
    ...{selected_0: `${origin}/b`, do: 'block', reason: 'Spam'},
  });
  const shown = textOf(done.text);
  t.true(done.text.includes('<option value="disabled" selected>'));
  t.true(shown.includes('1 link was changed.') && shown.includes('Reason: Spam'), shown);
  t.true(textOf((await operator.get('account?account=ann&status=blocked')).text).includes('/b'));
  t.true(textOf((await operator.get('account?account=ann&status=expired')).text).includes('Nothing found'));
  const found = await operator.submit('block-links', {short_url: 'oth', selected_0: `${origin}/other`, do: 'block'});
  t.true(textOf(found.text).includes('1 link was changed.') && found.text.includes('value="oth"'));
  t.false(textOf(found.text).includes('/a '));
});

test('the operator filters the links of all accounts by domain, if the site has several', async (t) => {
  const single = await open(t);
  t.false((await single.visitor('operator').get('operator')).text.includes('name="base_domain"'));
  const {visitor, shortener, origin} = await open(t, {shortUrl: {baseDomains: ['go.example']}});
  for (let index = 0; index < 25; index++) {
    await shortener.links.create('ann', {url, customUrl: `n${index}`, baseDomain: 'go.example'});
  }
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  const operator = visitor('operator');
  const shown = (html: string) => html.match(/class="links-short"/g)?.length ?? 0;
  const all = (await operator.get('operator')).text;
  t.regex(textOf(all), /Domain Any localhost:\d+ go\.example /);
  t.is(shown((await operator.get('operator?base_domain=localhost')).text), 1);
  const pages = await pagesFrom(operator, 'operator?base_domain=go.example', 'next');
  t.deepEqual(pages.map(shown), [20, 5]);
  t.true(pages[1]?.includes('<option value="go.example" selected>'));
  t.false(pages[0]?.includes(`${origin}/spring`));
  const none = (await operator.get('operator?base_domain=localhost&short_url=n1')).text;
  t.true(textOf(none).includes('Nothing found'));
  const done = await operator.submit('block-links', {
    ...{base_domain: 'localhost', selected_0: `${origin}/spring`, do: 'block'},
  });
  t.true(
    done.text.includes('<option value="localhost" selected>') && textOf(done.text).includes('1 link was changed.'),
  );
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
  t.true(none.includes('Nothing found'));
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
