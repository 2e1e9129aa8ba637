import test from 'ava';
import '../../support/quick-scrypt.ts';
import {type Answer, open} from '../../support/dashboard.ts';

const url = 'https://example.org/';
const isShown = ({text}: Answer): boolean => text.includes('role="status"');

test('an action is confirmed, and its address confirms it to nobody else', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await operator.get();
  const {shortUrl} = await shortener.links.create('operator', {url});
  for (const [action, fields] of [
    ['create', {url}],
    ['update', {short_url: shortUrl, title: 'Spring'}],
    ['block', {short_url: shortUrl}],
    ['unblock', {short_url: shortUrl}],
    ['remove', {short_url: shortUrl, from: 'link'}],
    ['key', {}],
  ] as const) {
    const {status, location} = await operator.post(action, fields);
    t.is(status, 303, action);
    t.true(isShown(await operator.get(location)), action);
    t.false(isShown(await visitor('ann').get(location)), action);
  }
});

test('the query of a page alone cannot make it show a confirmation', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await operator.get();
  const {shortUrl} = await shortener.links.create('operator', {url});
  const query = `short_url=${encodeURIComponent(shortUrl)}`;
  const proof =
    new URL((await operator.post('update', {short_url: shortUrl})).location).searchParams.get('proof') ?? '';
  t.true(isShown(await operator.get(`link?${query}&done=updated&proof=${proof}`)));
  for (const address of [
    '?done=created&short_url=https://elsewhere.example/',
    `?done=created&${query}`,
    '?done=removed',
    'api?done=key',
    `link?done=updated&${query}`,
    `operator?done=blocked&${query}`,
    `operator?done=unblocked&${query}`,
  ]) {
    for (const each of [
      address,
      `${address}&proof=`,
      `${address}&proof=${proof}x`,
      `${address}&proof=${'A'.repeat(22)}`,
    ]) {
      const answer = await operator.get(each);
      t.is(answer.status, 200, each);
      t.false(isShown(answer), each);
      t.false(answer.text.includes('elsewhere.example'), each);
    }
  }
});
