import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';

const url = 'https://destination.example/page';

test('the operator blocks an account with a reason, unblocks it and removes it', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  const operator = visitor('operator');
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  const list = (await operator.get('accounts')).text;
  t.true(list.includes('href="./account?account=ann"'));
  const page = (await operator.get('account?account=ann')).text;
  t.true(textOf(page).includes('/spring'));

  const blocked = await operator.submit('block-account', {account: 'ann', reason: 'Spam <b>'});
  t.true(textOf(blocked.text).includes('Reason Spam &lt;b&gt;'), textOf(blocked.text));
  t.is((await fetch(`${origin}/spring`)).status, 410);
  const own = await visitor('ann').get('');
  t.is(own.status, 403);
  t.true(textOf(own.text).includes('This account is blocked'));

  await operator.submit('unblock-account', {account: 'ann'});
  t.is((await fetch(`${origin}/spring`, {redirect: 'manual'})).status, 302);
  t.is((await visitor('ann').get('')).status, 200);
  await operator.submit('remove-account', {account: 'ann'});
  t.is(await shortener.accounts.apiKey('ann'), undefined);
  t.is((await operator.get('account?account=ann')).status, 404);
});

test('the operator finds links of all accounts by a short part, and sees the newest ones', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  const found = textOf((await operator.get('operator?short_url=spring')).text);
  t.true(found.includes('/spring'), found);
  const start = textOf((await operator.get('operator')).text);
  for (const text of ['Newest links', '/spring', 'Total visits']) t.true(start.includes(text), text);
});

test("the reason of a link's block is shown to its owner", async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  await visitor('operator').submit('block', {short_url: shortUrl, reason: 'Phishing'});
  const {text} = await visitor('ann').get(`link?short_url=${encodeURIComponent(shortUrl)}`);
  t.true(textOf(text).includes('Reason: Phishing'));
});

test('an account may be a number', async (t) => {
  const {visitor, shortener} = await open(t, {dashboard: {account: () => 42}});
  t.is((await visitor('42').get('')).status, 200);
  t.not(await shortener.accounts.apiKey('42'), undefined);
});

test("other users get the host's 404 for an account's page and its actions", async (t) => {
  const {visitor} = await open(t);
  const ann = visitor('ann');
  t.is((await ann.get('account?account=ann')).status, 404);
  for (const action of ['block-account', 'unblock-account', 'remove-account']) {
    t.is((await ann.post(action, {account: 'ann'})).status, 404);
  }
});
