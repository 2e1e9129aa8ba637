import test from 'ava';
import {accepted} from '../../support/answers.ts';
import type {Data} from '../../support/request.ts';
import {startSite, type Site} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** list_active_urls. */
export function list(world: World): void {
  test('list_active_urls answers objects with a short_url each, oldest first, and the time', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'zebra'});
    await site.create({custom_url: 'aardvark', base_domain: 'sho.rt'});
    await site.create({custom_url: 'mouse'});
    site.clock.set('2031-05-07T08:09:10Z');
    t.deepEqual(Object.entries(accepted(t, await site.api('list_active_urls'))), [
      [
        'urls',
        [
          {short_url: `${site.baseUrl}/zebra`},
          {short_url: `https://sho.rt${site.base}/aardvark`},
          {short_url: `${site.baseUrl}/mouse`},
        ],
      ],
      ['date_time', '2031-05-07 08:09:10'],
    ]);
  });

  test('an account without links has an empty list', async (t) => {
    const site = await startSite(t, {world});
    const data = accepted(t, await site.api('list_active_urls'));
    t.deepEqual(data, {urls: [], date_time: '2031-05-06 12:00:00'} as unknown as Data);
  });

  test('the list has only active links of the account', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const first = await site.create();
    const disabled = await site.create();
    await site.create({expiry_date: '2031-05-06'});
    const theirs = await site.create({}, {key});
    const last = await site.create({expiry_date: '2031-05-07'});
    await site.api('disable', {short_url: disabled.short_url});
    site.clock.set('2031-05-07T00:00:00Z');
    t.deepEqual(await site.list(), [first.short_url, last.short_url]);
    t.deepEqual(await site.list({key}), [theirs.short_url]);
  });

  test('a link that is enabled again has its old place in the list', async (t) => {
    const site = await startSite(t, {world});
    const [first, second] = [await site.create(), await site.create()];
    await site.api('disable', {short_url: first.short_url});
    t.deepEqual(await site.list(), [second.short_url]);
    await site.api('enable', {short_url: first.short_url});
    t.deepEqual(await site.list(), [first.short_url, second.short_url]);
  });

  test('limit and cursor page through the list, and every page but the last has next_cursor', async (t) => {
    const site = await startSite(t, {world});
    const links = [];
    for (let index = 0; index < 7; index++) links.push((await site.create()).short_url);
    const pages = await walk(site, '3');
    t.deepEqual(
      pages.map((page) => page.urls.map((url) => url.short_url)),
      [links.slice(0, 3), links.slice(3, 6), links.slice(6)],
    );
    t.deepEqual(
      pages.map((page) => 'next_cursor' in page),
      [true, true, false],
    );
  });

  test('pages have every active link once, however many other links are in between', async (t) => {
    const site = await startSite(t, {world});
    const active: string[] = [];
    for (let index = 0; index < 12; index++) {
      const link = await site.create();
      if (index % 4 === 1) active.push(link.short_url);
      else await site.api('disable', {short_url: link.short_url});
    }
    for (const limit of ['1', '2', '3', '5']) {
      const pages = await walk(site, limit);
      t.deepEqual(
        pages.flatMap((page) => page.urls.map((url) => url.short_url)),
        active,
      );
    }
  });

  test("a cursor shows another account nothing from its owner's list", async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    for (let index = 0; index < 3; index++) await site.create();
    const theirs = [await site.create({}, {key}), await site.create({}, {key})];
    const {next_cursor: cursor} = accepted(t, await site.api('list_active_urls', {limit: '1'}));
    const {urls} = accepted(t, await site.api('list_active_urls', {limit: '5', cursor}, {key}));
    t.deepEqual(urls, [{short_url: theirs[1]?.short_url}] as typeof urls);
  });

  test('without parameters the list has all of 1,200 links, in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    const made: string[] = [];
    for (let batch = 0; batch < 12; batch++) {
      const links = await Promise.all(
        Array.from({length: 100}, async () =>
          site.shortener.links.create('user-42', {url: 'https://destination.example/page'}),
        ),
      );
      made.push(...links.map((link) => link.shortUrl));
    }

    const listed = await site.list();
    t.is(listed.length, 1200);
    t.deepEqual(listed.toSorted(), made.toSorted());

    const xml = (await site.api('list_active_urls', {}, {suffix: '.xml'})).xml() as {
      data: {urls: Array<{short_url: string}>};
    };
    t.deepEqual(
      xml.data.urls.map((url) => url.short_url),
      listed,
    );

    const pages = await walk(site, '500');
    t.deepEqual(
      pages.map((page) => page.urls.length),
      [500, 500, 200],
    );
    t.deepEqual(
      pages.flatMap((page) => page.urls.map((url) => url.short_url)),
      listed,
    );
  });
}

/** Reads every page of the list, as a client does. */
async function walk(site: Site, limit: string): Promise<Data[]> {
  const pages: Data[] = [];
  let cursor: string | undefined;
  do {
    const reply = await site.api('list_active_urls', {limit, ...(cursor === undefined ? {} : {cursor})});
    if (reply.status !== 200) throw new Error(`A page answered ${reply.status}: ${reply.text}`);
    const {data} = reply.json();
    pages.push(data);
    cursor = 'next_cursor' in data ? data.next_cursor : undefined;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}
