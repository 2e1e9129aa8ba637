import '../../support/quick-scrypt.ts';
import test from 'ava';
import {type ShortUrl, ShortUrlError} from '../../../src/index.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';
import {open, textOf} from '../../support/dashboard.ts';
import {keeping} from '../../support/dashboard-pages.ts';

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
  t.true(textOf(blocked.text).includes('Blocked.'));
  t.true(textOf(blocked.text).includes('Reason Spam &lt;b&gt;'), textOf(blocked.text));
  const isMarked = async () => /\bann Blocked\b/.test(textOf((await operator.get('accounts')).text));
  t.true(await isMarked());
  t.is((await fetch(`${origin}/spring`)).status, 410);
  const own = await visitor('ann').get('');
  t.is(own.status, 403);
  t.true(textOf(own.text).includes('This account is blocked'));
  t.true(textOf(own.text).includes('Reason: Spam &lt;b&gt;'));
  // The user's own pages would only say the same.
  t.notRegex(own.text, /<main[^>]*>.*href="\.\/"|Go to your links/s);

  const unblocked = await operator.submit('unblock-account', {account: 'ann'});
  t.true(textOf(unblocked.text).includes('No longer blocked.'));
  t.false(await isMarked());
  t.is((await fetch(`${origin}/spring`, {redirect: 'manual'})).status, 302);
  t.is((await visitor('ann').get('')).status, 200);
  const removed = await operator.submit('remove-account', {account: 'ann'});
  t.true(textOf(removed.text).includes('The account was removed.'));
  t.is(await shortener.accounts.apiKey('ann'), undefined);
  t.is((await operator.get('account?account=ann')).status, 404);
});

test('a form of the operator for an account that is gone, or cannot be, is answered with a page', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await operator.get('');
  await shortener.accounts.remove('ann');
  for (const account of ['ann', '', 'x'.repeat(256)]) {
    for (const action of ['block-account', 'unblock-account']) {
      const {status, text} = await operator.post(action, {account});
      t.is(status, 404, `${action} ${account}`);
      t.true(text.includes('This page does not exist'));
    }
    t.is((await operator.post('remove-account', {account})).status, account === 'ann' ? 303 : 404, account);
  }
});

test('an account that was blocked and removed is blocked when its user opens the dashboard, until the operator unblocks it', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await operator.submit('block-account', {account: 'ann', reason: 'Spam <b>'});
  await operator.submit('remove-account', {account: 'ann'});
  t.is((await visitor('ann').get('')).status, 403);
  t.true(textOf((await operator.get('account?account=ann')).text).includes('Spam &lt;b&gt;'));
  await operator.submit('unblock-account', {account: 'ann'});
  t.is((await visitor('ann').get('')).status, 200);
  t.deepEqual((await shortener.links.page('ann')).links, []);
});

test("the operator's pages name accounts as the host describes them, each once for a page", async (t) => {
  const asked: string[] = [];
  const describeAccount = async (account: string) => {
    asked.push(account);
    return account === 'ann' ? {name: 'Ann <b>', email: 'ann@example.org'} : undefined;
  };
  const {visitor, shortener} = await open(t, {dashboard: {describeAccount}});
  await shortener.links.create('ann', {url, customUrl: 'spring'});
  await shortener.links.create('ann', {url, customUrl: 'summer'});
  for (const page of ['accounts', 'account?account=ann', 'operator', 'operator?short_url=spring']) {
    asked.length = 0;
    const {text} = await visitor('operator').get(page);
    t.true(text.includes('Ann &lt;b&gt;'), page);
    t.true(textOf(text).includes('ann@example.org'), page);
    t.deepEqual(
      asked.filter((account) => account === 'ann'),
      ['ann'],
      page,
    );
  }
});

test('describeAccount may return an object of a class, whose name and email are accessors', async (t) => {
  class User {
    readonly #first = 'Ann';
    get name() {
      return `${this.#first} of the class`;
    }
    get email() {
      return `${this.#first}@example.org`;
    }
  }
  const {visitor} = await open(t, {dashboard: {describeAccount: () => new User()}});
  const {text} = await visitor('operator').get('account?account=ann');
  t.true(textOf(text).includes('Ann of the class ann Ann@example.org'), textOf(text));
});

test('with findAccounts the operator finds accounts by what the host knows, and by their whole id', async (t) => {
  const faults: unknown[] = [];
  const findAccounts = (text: string) => {
    if (text === 'fault') throw new Error('the users are away');
    return text === 'ann@example.org' ? ['ann', 7, 'gone'] : [];
  };
  const {visitor, shortener} = await open(t, {dashboard: {findAccounts}, ...keeping(faults)});
  for (const account of ['ann', 7, 'bob']) await shortener.accounts.create(account);
  const operator = visitor('operator');
  for (const [search, accounts] of [
    ['ann@example.org', ['ann', '7']],
    ['bob', ['bob']],
    ['nobody', []],
  ] as const) {
    const {text} = await operator.get(`accounts?search=${encodeURIComponent(search)}`);
    const found = ['ann', '7', 'bob'].filter((account) => text.includes(`account?account=${account}"`));
    t.deepEqual(found, [...accounts]);
  }
  const {status, text} = await operator.get('accounts?search=fault');
  t.is(status, 200);
  t.true(textOf(text).includes('The search for accounts failed.'));
  t.is(faults.length, 1);
});

const fail = (): never => {
  throw new Error('the users are away');
};
const wrongDescriptions: Record<string, () => unknown> = {
  throws: fail,
  rejects: async () => fail(),
  'returns a string': () => 'Ann',
  'returns a number as a name': () => ({name: 42}),
  'returns an unknown property': () => ({name: 'Ann', mail: 'ann@example.org'}),
};
for (const [what, describeAccount] of Object.entries(wrongDescriptions)) {
  test(`if describeAccount ${what}, the app gets an error event and the page shows the account alone`, async (t) => {
    const faults: unknown[] = [];
    const dashboard = {describeAccount: describeAccount as () => undefined};
    const {visitor} = await open(t, {dashboard, ...keeping(faults)});
    const page = await visitor('operator').get('accounts');
    t.is(page.status, 200);
    t.true(textOf(page.text).includes('ann'));
    t.true(faults.length > 0);
  });
}

test('the operator reads in the time zone of the site when an account and a link were created, and which zone it is', async (t) => {
  const {shortener, visitor} = await open(t, {shortUrl: {timeZone: 'America/New_York'}});
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/'});
  const operator = visitor('operator');
  for (const page of ['account?account=ann', `operator?short_url=${encodeURIComponent(shortUrl)}`]) {
    t.regex(textOf((await operator.get(page)).text), /Created \(America\/New_York\) May 6, 2031, 8:00\sAM/);
  }
  t.regex((await operator.get('accounts.csv')).text, /^ann,2031-05-06 08:00:00,1,/m);
});

test('the operator is told that there are too many accounts to compare, also in place of the file', async (t) => {
  const disguise = (whole: ShortUrl): ShortUrl => {
    const compareAccounts = () => Promise.reject(new ShortUrlError('too_many_links', 'There are more.'));
    const admin = new Proxy(whole.admin, {
      get: (target, name): unknown => (name === 'compareAccounts' ? compareAccounts : Reflect.get(target, name)),
    });
    return new Proxy(whole, {get: (target, name): unknown => (name === 'admin' ? admin : Reflect.get(target, name))});
  };
  const {visitor} = await open(t, {disguise});
  const operator = visitor('operator');
  const {location} = await operator.get('accounts.csv?days=7');
  const shown = textOf((await operator.get(location)).text);
  t.true(shown.includes('There are too many accounts to compare.'));
  t.false(shown.includes('These are the newest.'));
});

test('the operator compares accounts by visits, conversions and value in a span, on a page, in a file and in code', async (t) => {
  const {shortener, visitor, clock} = await open(t, {shortUrl: {attribution: {}}});
  const {admin, links, accounts, conversions} = shortener;
  for (const [account, orders] of Object.entries({ann: 1, bob: 2, cid: 0})) {
    await accounts.create(account);
    if (account === 'cid') continue;
    const {shortUrl} = await links.create(account, {url: 'https://example.org/', customUrl: `of-${account}`});
    const via = viaOf((await openAsPerson(shortUrl)).headers.getSetCookie());
    for (let id = 0; id < orders; id += 1) {
      await conversions.record({via}, {name: 'order', id: `${account} ${id}`, value: 1000 + id, currency: 'EUR'});
    }
    if (account === 'ann') await openAsPerson(shortUrl);
    if (account === 'bob') await conversions.refund({name: 'order', id: 'bob 0', refund: 1});
  }
  const today = '2031-05-06';
  const byValue = await admin.compareAccounts({from: today, until: today, order: 'value'});
  t.like(byValue, {visits: 3, currency: 'EUR', nextCursor: undefined});
  t.deepEqual(
    byValue.accounts
      .slice(0, 3)
      .map(({account, links: count, visits, conversions: n, values}) => [
        account,
        count,
        visits,
        n,
        values.map(({value, refunded}) => value - refunded),
      ]),
    [
      ['bob', 1, 1, 2, [1001]],
      ['ann', 1, 2, 1, [1000]],
      ['cid', 0, 0, 0, []],
    ],
  );
  t.is((await admin.compareAccounts({order: 'visits', limit: 1})).accounts[0]?.account, 'ann');
  const {nextCursor} = await admin.compareAccounts({order: 'conversions', limit: 1});
  t.is((await admin.compareAccounts({order: 'conversions', limit: 1, cursor: nextCursor})).accounts[0]?.account, 'ann');
  await t.throwsAsync(admin.compareAccounts({tag: 'x'} as never), {code: 'unknown_parameter'});
  await t.throwsAsync(admin.compareAccounts({order: 'value', cursor: nextCursor}), {code: 'malformed_parameter'});

  const operator = visitor('operator');
  t.regex(
    textOf((await operator.get('compare-accounts?days=7')).text),
    /Value bob 1 1 2 200% €10.01 ann 1 2 1 50% €10.00/,
  );
  const csv = (await operator.get('accounts.csv?days=7&order=visits')).text.split('\r\n');
  t.regex(
    csv[0] ?? '',
    /^\ufeff?Account,Created,Links,From,Until,Visits,Conversions,Value EUR,Value EUR before refunds$/,
  );
  t.regex(csv[1] ?? '', /^ann,.*,1,2031-04-30,2031-05-06,2,1,10.00,10.00$/);
  for (const path of ['compare-accounts', 'accounts.csv']) t.is((await visitor('ann').get(path)).status, 404);
  clock.now += 2 * 24 * 60 * 60 * 1000;
  t.is((await admin.compareAccounts({from: '2031-05-08', until: '2031-05-08'})).visits, 0);
});
