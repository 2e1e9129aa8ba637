import '../../support/quick-scrypt.ts';
import {mock} from 'node:test';
import test from 'ava';
import {open, rowOf, textOf} from '../../support/dashboard.ts';

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
  t.true(textOf(blocked.text).includes('The account is blocked.'));
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
  t.true(textOf(unblocked.text).includes('The account is no longer blocked.'));
  t.false(await isMarked());
  t.is((await fetch(`${origin}/spring`, {redirect: 'manual'})).status, 302);
  t.is((await visitor('ann').get('')).status, 200);
  const removed = await operator.submit('remove-account', {account: 'ann'});
  t.true(textOf(removed.text).includes('The account was removed.'));
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
  for (const text of ['All links, the newest accounts first', '/spring', 'Total visits'])
    t.true(start.includes(text), text);
});

test('the operator finds links by a part of the long URL or of the title, also one that could be no URL', async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  await shortener.links.create('ann', {url, customUrl: 'spring', title: 'The <b> sale: half'});
  for (const part of ['destination.example/p', 'half', 'SALE: half', '<b> sale', 'https://destination', ': ']) {
    const found = textOf((await operator.get(`operator?short_url=${encodeURIComponent(part)}`)).text);
    t.true(found.includes('/spring'), part);
  }
});

test("all pages of a search, of an account's links and of the first links can be reached, and left again", async (t) => {
  const {visitor, shortener} = await open(t);
  const operator = visitor('operator');
  for (let number = 0; number < 105; number++) await shortener.links.create('ann', {url, customUrl: `sale-${number}`});
  const pagesFrom = async (start: string, rel: string): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let address = start; address !== '';) {
      const {text} = await operator.get(address);
      pages.push(Array.from(text.matchAll(/\/(sale-\d+)<\/a\s*>/g), ([, name = '']) => name));
      const next = new RegExp(`rel="${rel}" href="([^"]*)"`).exec(text)?.[1] ?? '';
      address = next.replaceAll('&amp;', '&');
      if (address === '' && rel === 'next') last = text;
    }
    return pages;
  };
  let last = '';
  for (const [start, length] of [
    ['operator?short_url=SALE-', 20],
    ['operator', 20],
    ['account?account=ann', 50],
  ] as const) {
    const pages = await pagesFrom(start, 'next');
    t.is(pages.length, Math.ceil(105 / length), start);
    t.deepEqual(
      pages.flat(),
      Array.from({length: 105}, (_, index) => `sale-${104 - index}`),
      start,
    );
    const back = /rel="prev" href="([^"]*)"/.exec(last)?.[1] ?? '';
    t.deepEqual(await pagesFrom(back.replaceAll('&amp;', '&'), 'prev'), pages.slice(0, -1).toReversed(), start);
    const join = start.includes('?') ? '&' : '?';
    t.is((await operator.get(`${start}${join}cursor=nonsense`)).status, 200);
  }
});

test("the reason of a link's block is shown to its owner, in the list and on the link's page", async (t) => {
  const {visitor, shortener} = await open(t);
  const {shortUrl} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  await visitor('operator').submit('block', {short_url: shortUrl, reason: 'Phishing'});
  const ann = visitor('ann');
  t.true(textOf(rowOf((await ann.get('')).text, shortUrl)).includes('Blocked Reason: Phishing'));
  const {text} = await ann.get(`link?short_url=${encodeURIComponent(shortUrl)}`);
  t.true(textOf(text).includes('Blocked Reason: Phishing'));
});

test('an account may be a number', async (t) => {
  const {visitor, shortener} = await open(t, {dashboard: {account: () => 42}});
  t.is((await visitor('42').get('')).status, 200);
  t.not(await shortener.accounts.apiKey('42'), undefined);
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

const wrongDescriptions: Record<string, () => unknown> = {
  throws: () => {
    throw new Error('the users are away');
  },
  rejects: () => Promise.reject(new Error('the users are away')),
  'returns a string': () => 'Ann',
  'returns a number as a name': () => ({name: 42}),
};
for (const [what, describeAccount] of Object.entries(wrongDescriptions)) {
  test(`if describeAccount ${what}, the app gets an error event and the page shows the account alone`, async (t) => {
    const faults: unknown[] = [];
    const {visitor, shortener} = await open(t, {
      dashboard: {describeAccount: describeAccount as () => undefined},
      assemble(app, {shortener: links, pages}) {
        app.on('error', (error: unknown) => faults.push(error));
        app.use(links).use(pages);
        return undefined;
      },
    });
    await shortener.accounts.create('ann');
    const page = await visitor('operator').get('accounts');
    t.is(page.status, 200);
    t.true(textOf(page.text).includes('ann'));
    t.true(faults.length > 0);
  });
}

test.serial('if describeAccount takes longer than five seconds, the page shows the account alone', async (t) => {
  let called: () => void = () => undefined;
  const isCalled = new Promise<void>((resolve) => (called = resolve));
  const describeAccount = () => {
    called();
    return new Promise<undefined>(() => undefined);
  };
  const {visitor} = await open(t, {dashboard: {describeAccount}});
  mock.timers.enable({apis: ['setTimeout']});
  t.teardown(() => {
    mock.timers.reset();
  });
  const page = visitor('operator').get('account?account=ann');
  await isCalled;
  mock.timers.tick(5000);
  mock.timers.reset();
  const {status, text} = await page;
  t.is(status, 200);
  t.true(text.includes('<h1><bdi>ann</bdi></h1>'));
});

test('describeAccount is called for at most fifty accounts of a page, all at the same time', async (t) => {
  const waiting: Array<() => void> = [];
  const describeAccount = (account: string) =>
    new Promise<{name: string}>((resolve) => {
      waiting.push(() => {
        resolve({name: `Name of ${account}`});
      });
      if (waiting.length === 50) for (const answer of waiting) answer();
    });
  const {visitor, shortener} = await open(t, {dashboard: {describeAccount}});
  for (let number = 0; number < 60; number++) await shortener.accounts.create(`user-${number}`);
  const {text} = await visitor('operator').get('accounts');
  t.is(waiting.length, 50);
  t.is(text.split('Name of ').length - 1, 50);
});

test('two hundred characters of a name and an email address are shown, none of them cut in two', async (t) => {
  const long = `a${'😀'.repeat(300)}`;
  const {visitor} = await open(t, {dashboard: {describeAccount: () => ({name: long, email: long})}});
  const shown = `<bdi>a${'😀'.repeat(199)}</bdi>`;
  for (const page of ['accounts', 'account?account=ann']) {
    t.is((await visitor('operator').get(page)).text.split(shown).length - 1, page === 'accounts' ? 4 : 2, page);
  }
});

test("other users get the host's 404 for an account's page and its actions", async (t) => {
  const {visitor} = await open(t);
  const ann = visitor('ann');
  t.is((await ann.get('account?account=ann')).status, 404);
  for (const action of ['block-account', 'unblock-account', 'remove-account']) {
    t.is((await ann.post(action, {account: 'ann'})).status, 404);
  }
});
