import test from 'ava';
import {FirstRows, type Place} from '../../../../src/links/rank/ranked.ts';
import {collect, pagesOf} from '../../../support/collect.ts';
import {collectGarbage} from '../../../support/heap.ts';
import {type Site, startSite} from '../../../support/site.ts';

const url = 'https://destination.example/page';

/** Links with so many visits each, a second apart. */
async function visited(site: Site, visits: Readonly<Record<string, number>>, account = 'user-42'): Promise<void> {
  for (const [customUrl, count] of Object.entries(visits)) {
    const {shortUrl} = await site.shortener.links.create(account, {url, customUrl, tags: [customUrl.slice(0, 1)]});
    for (let visit = 0; visit < count; visit += 1) await site.visit(shortUrl);
    site.clock.now += 1000;
  }
}

test('links are listed by their visits or by their last visit, the most first', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  await visited(site, {a1: 2, b2: 0, a3: 5, b4: 2, a5: 1});
  const parts = async (order: 'visits' | 'last_visit', more = {}) =>
    (await links.page('user-42', {order, ...more})).links.map(({shortUrlPart}) => shortUrlPart);
  t.deepEqual(await parts('visits'), ['a3', 'b4', 'a1', 'a5', 'b2']);
  t.deepEqual(await parts('last_visit'), ['a5', 'b4', 'a3', 'a1', 'b2']);
  t.deepEqual(await parts('visits', {tag: 'a'}), ['a3', 'a1', 'a5']);
  t.deepEqual(await parts('visits', {search: 'b'}), ['b4', 'b2']);
  const listed = await collect(links.list('user-42', {order: 'visits', tag: 'b'}));
  t.deepEqual(
    listed.map(({shortUrlPart, totalVisits}) => [shortUrlPart, totalVisits]),
    [
      ['b4', 2],
      ['b2', 0],
    ],
  );
});

test('links are listed by their expiry date, the earliest first, and those without one last', async (t) => {
  const site = await startSite(t);
  const {links, admin} = site.shortener;
  const dates = {june: '2031-06-01', none: undefined, may: '2031-05-07', never: undefined, too: '2031-06-01'};
  for (const [customUrl, expiryDate] of Object.entries(dates)) {
    await links.create('user-42', {url, customUrl, expiryDate});
  }
  const order = 'expiry_date';
  const expected = ['may', 'too', 'june', 'never', 'none'];
  for (const limit of [1, 2, 5]) {
    for (const read of [
      async (cursor?: string) => {
        const page = await links.page('user-42', {order, limit, cursor});
        return {parts: page.links.map(({shortUrlPart}) => shortUrlPart), nextCursor: page.nextCursor};
      },
      async (cursor?: string) => {
        const page = await admin.pageLinks({order, limit, cursor});
        return {parts: page.links.map(({link}) => link.shortUrlPart), nextCursor: page.nextCursor};
      },
    ]) {
      const pages = await pagesOf(read);
      t.deepEqual(
        pages.flatMap(({parts}) => parts),
        expected,
      );
    }
  }
  const listed = await collect(links.list('user-42', {order}));
  t.deepEqual(
    listed.map(({shortUrlPart}) => shortUrlPart),
    expected,
  );
  const active = await links.page('user-42', {order, expiresWithin: 7});
  t.deepEqual(
    active.links.map(({shortUrlPart}) => shortUrlPart),
    ['may'],
  );
});

test('pages of any size have each link once, also after links were removed', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  await visited(site, {a: 1, b: 3, c: 1, d: 1, e: 0});
  for (const limit of [1, 2, 4]) {
    const pages = await pagesOf((cursor) => links.page('user-42', {order: 'visits', limit, cursor}));
    t.true(pages.slice(0, -1).every((page) => page.links.length === limit));
    const found = pages.flatMap((page) => page.links.map(({shortUrlPart}) => shortUrlPart));
    t.deepEqual(found, ['b', 'd', 'c', 'a', 'e']);
  }
  const {nextCursor} = await links.page('user-42', {order: 'visits', limit: 2});
  await links.remove('user-42', 'https://example.com/d');
  await links.remove('user-42', 'https://example.com/c');
  const rest = await links.page('user-42', {order: 'visits', cursor: nextCursor});
  const left = rest.links.map(({shortUrlPart}) => shortUrlPart);
  t.deepEqual(left, ['a', 'e']);
});

test('pages have each link once while links are made and visited', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  await visited(site, {a: 1, b: 3, c: 1, d: 1, e: 2});
  let made = 0;
  const pages = await pagesOf(async (cursor) => {
    const page = await links.page('user-42', {order: 'visits', limit: 2, cursor});
    await visited(site, {[`new${made++}`]: 2, [`more${made++}`]: 0});
    site.clock.now += 61_000;
    return page;
  });
  const found = pages.flatMap((page) => page.links.map(({shortUrlPart}) => shortUrlPart));
  t.is(new Set(found).size, found.length);
  t.deepEqual(
    found.filter((part) => part.length === 1),
    ['b', 'e', 'd', 'c', 'a'],
  );
});

test('the order is remembered for a minute, and the numbers are those of now', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  await visited(site, {a: 1, b: 0});
  const page = async () =>
    (await links.page('user-42', {order: 'visits'})).links.map(({shortUrlPart, totalVisits}) => [
      shortUrlPart,
      totalVisits,
    ]);
  await page();
  for (let visit = 0; visit < 3; visit += 1) await site.visit('https://example.com/b');
  t.deepEqual(await page(), [
    ['a', 1],
    ['b', 3],
  ]);
  site.clock.now += 60_001;
  t.deepEqual(await page(), [
    ['b', 3],
    ['a', 1],
  ]);
});

test('orders and totals are not remembered for longer when the clock is set back', async (t) => {
  const site = await startSite(t);
  const {links, admin} = site.shortener;
  await visited(site, {a: 1, b: 0});
  const seen = async (): Promise<unknown[]> => [
    (await links.page('user-42', {order: 'visits'})).links[0]?.shortUrlPart,
    (await admin.stats()).totalVisits,
  ];
  t.deepEqual(await seen(), ['a', 1]);
  for (let visit = 0; visit < 3; visit += 1) await site.visit('https://example.com/b');
  t.deepEqual(await seen(), ['a', 1]);
  site.clock.now -= 3_600_000;
  t.deepEqual(await seen(), ['b', 4]);
});

test('the operator lists the links of all accounts, or of one, by their visits', async (t) => {
  const site = await startSite(t);
  const {accounts, admin} = site.shortener;
  await accounts.create('user-43');
  await visited(site, {a: 1, b: 3});
  await visited(site, {c: 2, d: 0}, 'user-43');
  const parts = async (query: object): Promise<string[]> =>
    (await admin.pageLinks({order: 'visits', ...query})).links.map(
      ({account, link}) => `${account} ${link.shortUrlPart}`,
    );
  t.deepEqual(await parts({}), ['user-42 b', 'user-43 c', 'user-42 a', 'user-43 d']);
  t.deepEqual(await parts({account: 'user-43'}), ['user-43 c', 'user-43 d']);
  t.deepEqual(await parts({search: 'd'}), ['user-42 b', 'user-43 c', 'user-42 a', 'user-43 d']);
  t.deepEqual(await parts({account: 'nobody'}), []);
  const {links, nextCursor} = await admin.pageLinks({order: 'visits', limit: 3});
  t.is(links.length, 3);
  t.deepEqual(await parts({cursor: nextCursor}), ['user-43 d']);
});

test('more than 10,000 links of an account are refused with too_many_links, and those of a site are in order', async (t) => {
  const {accounts, links, admin} = (await startSite(t)).shortener;
  await accounts.create('user-43');
  for (const [account, length] of [
    ['user-42', 10_001],
    ['user-43', 1999],
  ] as const) {
    const many = Array.from({length}, (_, index) => ({url, expiryDate: `20${32 + (index % 60)}-01-01`}));
    for await (const {error} of links.createMany(account, many)) if (error) throw error;
  }
  for (const order of ['visits', 'last_visit', 'conversions', 'expiry_date'] as const) {
    await t.throwsAsync(links.page('user-42', {order}), {code: 'too_many_links'});
    await t.throwsAsync(admin.pageLinks({order, account: 'user-42'}), {code: 'too_many_links'});
    t.is((await admin.pageLinks({order})).links.length, 100);
  }
  const order = 'expiry_date';
  const pages = await pagesOf((cursor) => admin.pageLinks({order, limit: 1000, cursor}));
  t.deepEqual(
    pages.map((page) => page.links.length),
    pages.map(() => 1000),
  );
  const found = pages.flatMap((page) => page.links.map(({link}) => link));
  t.is(new Set(found.map(({urlId}) => urlId)).size, 12_000);
  const inOrder = found.toSorted(
    (one, other) => (one.expiryDate ?? '').localeCompare(other.expiryDate ?? '') || other.urlId - one.urlId,
  );
  t.deepEqual(
    found.map(({urlId}) => urlId),
    inOrder.map(({urlId}) => urlId),
  );
  for (const query of [{}, {from: '2031-05-06'}, {status: 'active'}] as const) {
    await t.throwsAsync(links.compare('user-42', query), {code: 'too_many_links'});
    await t.throwsAsync(links.compareTags('user-42', query), {code: 'too_many_links'});
  }
  t.is((await links.compare('user-42', {tag: 'none'})).links, 0);
});

test('a cursor of another order is refused', async (t) => {
  const site = await startSite(t);
  const {links} = site.shortener;
  await visited(site, {a: 1, b: 0});
  const {nextCursor: cursor} = await links.page('user-42', {order: 'visits', limit: 1});
  for (const order of ['last_visit', 'newest'] as const) {
    await t.throwsAsync(links.page('user-42', {order, cursor}), {code: 'malformed_parameter'});
  }
});

test('the first rows of a million are kept in bounded memory, in their order', (t) => {
  const placeOf = (row: number): Place => ({values: [row % 1000], id: row});
  const rows = new FirstRows(2000, placeOf, {values: [990], id: 999_990});
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let start = 0; start < 1_000_000; start += 1000) {
    rows.add(Array.from({length: 1000}, (_, index) => start + index));
    if (start % 100_000 === 0) {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
  }
  const expected = Array.from({length: 2000}, (_, index) =>
    index < 999 ? 998_990 - 1000 * index : 999_989 - 1000 * (index - 999),
  ).map((row) => (row < 0 ? row + 999_999 : row));
  t.deepEqual(rows.all(), expected);
  t.true(most < 2_000_000, `${most} bytes`);
});
