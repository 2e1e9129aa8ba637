import '../../support/quick-scrypt.ts';
import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';
import {openAsPerson} from '../../support/visitor.ts';

const url = 'https://example.org/';
const day = 24 * 60 * 60 * 1000;

test('the operator sees what is new today by account, what was refused and blocked, and how the store is', async (t) => {
  const allowUrl = (given: string): boolean => !given.includes('phishing');
  const {visitor, shortener, origin, clock} = await open(t, {shortUrl: {allowUrl, createQuota: 2}});
  for (const customUrl of ['old', 'older']) await shortener.links.create('ann', {url, customUrl});
  await shortener.admin.block(`${origin}/old`, {reason: 'Yesterday'});
  clock.now += day;
  await shortener.accounts.create('bob');
  for (const customUrl of ['one', 'two']) await shortener.links.create('bob', {url, customUrl});
  await shortener.links.create('ann', {url, customUrl: 'three'});
  await openAsPerson(`${origin}/one`);
  await fetch(`${origin}/api/v1/${'x'.repeat(40)}/shorturl/list_active_urls`);
  await shortener.admin.block(`${origin}/two`, {reason: 'Phishing'});
  await shortener.admin.blockAccount('ann', {reason: 'Spam'});
  for (const over of ['four', 'five']) {
    await t.throwsAsync(shortener.links.create('bob', {url, customUrl: over}), {code: 'too_many_requests'});
  }
  const page = (await visitor('operator').get('today')).text;
  const text = textOf(page);
  t.true(text.includes('The store (memory) answers in'), text);
  t.regex(text, /New links 3 New accounts 2 Visits 1 New links by account/);
  t.regex(text, /Account New links bob 2 ann 1 Refused/);
  t.regex(text, /Limit of new links reached bob 2/);
  t.regex(text, /Unknown API key 1 /);
  t.regex(text, /Blocked today ann Spam \S+\/two Phishing All blocked links/);
  for (const address of [
    'operator?from=2031-05-07&amp;until=2031-05-07',
    'account?account=bob',
    'account?account=ann',
  ]) {
    t.true(page.includes(`href="./${address}"`), address);
  }
  clock.now += day;
  const next = textOf((await visitor('operator').get('today')).text);
  t.regex(
    next,
    /New links 0 New accounts 0 Visits 0 Refused requests Nothing was refused .* Nothing was blocked today/,
  );
  t.is((await visitor('ann').get('today')).status, 404);
});

test('the operator blocks and unblocks several links, lists the blocked ones, and the browser may offer earlier reasons', async (t) => {
  const {visitor, shortener, origin} = await open(t);
  for (const customUrl of ['a', 'b', 'c'])
    await shortener.links.create('ann', {url, customUrl, title: `Title ${customUrl}`});
  const operator = visitor('operator');
  const selected = {selected_0: `${origin}/a`, selected_2: `${origin}/b`, selected_3: `${origin}/gone`};
  const done = await operator.submit('block-links', {...selected, do: 'block', reason: ' Spam '});
  t.true(textOf(done.text).includes('2 links were changed.'));
  t.regex(done.text, /<input [^>]*autocomplete="on"[^>]*name="reason"/);
  const blocked = textOf((await operator.get('operator?status=blocked')).text);
  t.true(blocked.includes('Title a') && blocked.includes('Title b') && !blocked.includes('Title c'), blocked);
  t.true(blocked.includes('Reason: Spam'));
  await operator.submit('block-links', {...selected, do: 'unblock'});
  t.deepEqual((await shortener.admin.pageLinks({status: 'blocked'})).links, []);
  t.is((await operator.post('block-links', {do: 'block'})).status, 400);
  await shortener.admin.blockAccount('ann');
  t.is((await shortener.admin.pageLinks({status: 'blocked', order: 'visits'})).links.length, 3);
  t.is(
    (
      await visitor('ann')
        .post('block-links', {...selected, do: 'block'})
        .catch(() => ({status: 404}))
    ).status,
    404,
  );
});
