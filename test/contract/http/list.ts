import test from 'ava';
import {accepted, refused} from '../../support/answers.ts';
import {collect} from '../../support/collect.ts';
import {listPages, partsOf} from '../../support/list-pages.ts';
import {sharedSite, type Site, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** list_active_urls and list_urls. */
export function list(world: World): void {
  test('list_active_urls answers objects with a short_url each, oldest first, and the time', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'zebra'});
    await site.create({custom_url: 'aardvark', base_domain: 'sho.rt'});
    site.clock.set('2031-05-07T08:09:10Z');
    const data: unknown = accepted(t, await site.api('list_active_urls'));
    const urls = [{short_url: `${site.baseUrl}/zebra`}, {short_url: `https://sho.rt${site.base}/aardvark`}];
    t.deepEqual(data, {urls, date_time: '2031-05-07 08:09:10'});
  });

  test('the list has only active links of the account, and one that is enabled again in its old place', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const first = await site.create();
    const {short_url} = await site.create();
    await site.create({expiry_date: '2031-05-06'});
    const theirs = await site.create({}, {key});
    const last = await site.create({expiry_date: '2031-05-07'});
    await site.api('disable', {short_url});
    site.clock.set('2031-05-07T00:00:00Z');
    t.deepEqual(await site.list(), [first.short_url, last.short_url]);
    t.deepEqual(await site.list({key}), [theirs.short_url]);
    await site.api('enable', {short_url});
    t.deepEqual(await site.list(), [first.short_url, short_url, last.short_url]);
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
      const found: string[] = [];
      for await (const {urls} of listPages(site, 'list_active_urls', {limit})) {
        found.push(...urls.map(({short_url}) => short_url));
      }
      t.deepEqual(found, active);
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
    const inputs = Array.from({length: 1200}, () => ({url: 'https://destination.example/page'}));
    for await (const {link} of site.shortener.links.createMany('user-42', inputs)) made.push(link?.shortUrl ?? '');
    const listed = await site.list();
    t.deepEqual(listed.toSorted(), made.toSorted());
    const urls = listed.map((short_url) => ({short_url}));
    const xml = await site.api('list_active_urls', {}, {suffix: '.xml'});
    t.deepEqual(xml.envelope.data['urls'], urls);
    const pages: unknown[] = [];
    for await (const page of listPages(site, 'list_active_urls', {limit: '500'})) pages.push(page.urls);
    t.deepEqual(pages, [urls.slice(0, 500), urls.slice(500, 1000), urls.slice(1000)]);
  });

  const refusing = sharedSite({world});

  test('list_urls has full records, newest first', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'first', title: 'Spring', tags: 'mail,posters', max_visits: '5'});
    await site.create({custom_url: 'second', password: 's3cret'});
    await site.visit(`${site.baseUrl}/first`);
    const data = accepted(t, await site.api('list_urls'));
    t.deepEqual(partsOf(data), ['second', 'first']);
    t.like(data.urls[1], {title: 'Spring', tags: ['mail', 'posters'], max_visits: 5, total_visits: 1});
    t.like(data.urls[0], {title: null, tags: [], max_visits: null, has_password: true, last_accessed: null});
  });

  /** Five links that differ in every condition, and one of another account. */
  async function populate(site: Site): Promise<void> {
    await site.create({custom_url: 'Spring', title: 'Überschrift 50% *', tags: 'mail,Posters'});
    await site.create({custom_url: 'summer', url: 'https://shop.example/SPRING/?a=b.c', tags: 'mail'});
    await site.create({custom_url: 'autumn', expiry_date: '2031-05-06', title: 'Spring sale'});
    await site.create({custom_url: 'winter', tags: 'posters', max_visits: '1'});
    await site.create({custom_url: 'year'});
    await site.api('disable', {short_url: `${site.baseUrl}/year`});
    await site.visit(`${site.baseUrl}/winter`);
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    await site.create({custom_url: 'theirs', title: 'Spring', tags: 'mail'}, {key});
    site.clock.set('2031-05-07T12:00:00Z');
  }

  test('list_urls finds the links that meet all conditions', async (t) => {
    const site = await startSite(t, {world});
    await populate(site);
    const cases: ReadonlyArray<[conditions: Record<string, string>, parts: string[]]> = [
      [{}, ['year', 'winter', 'autumn', 'summer', 'Spring']],
      [{order: 'oldest'}, ['Spring', 'summer', 'autumn', 'winter', 'year']],
      [{status: 'active'}, ['summer', 'Spring']],
      [{status: 'disabled'}, ['year']],
      [{status: 'expired'}, ['winter', 'autumn']],
      [{tag: 'mail'}, ['summer', 'Spring']],
      [{tag: 'Posters'}, ['winter', 'Spring']],
      [{search: 'spring'}, ['autumn', 'summer', 'Spring']],
      [{search: 'ÜBERSCHRIFT 50% *'}, ['Spring']],
      [{search: 'https://shop.example/'}, ['summer']],
      [{search: 'sale spring'}, ['autumn']],
      [{search: 'a=b shop SPRING'}, ['summer']],
      [{search: 'post spr'}, ['Spring']],
      [{search: `${site.baseUrl}/summer`}, ['summer']],
      [{search: ` ${site.baseUrl.replace(/^https?:\/\//, '')}/summer `}, ['summer']],
      [{search: `${site.baseUrl}/summer?utm_source=mail`, order: 'visits'}, ['summer']],
      [{search: `${site.baseUrl}/summer`, status: 'expired'}, []],
      [{search: `${site.baseUrl}/SUMMER`}, []],
      [{search: `${site.baseUrl}/theirs`}, []],
      [{search: 'spring', status: 'active', order: 'oldest'}, ['Spring', 'summer']],
      [{search: 'spring', tag: 'mail', status: 'expired'}, []],
    ];
    for (const [conditions, parts] of cases) {
      const data = accepted(t, await site.api('list_urls', conditions));
      t.deepEqual(partsOf(data), parts, JSON.stringify(conditions));
      t.false('next_cursor' in data);
      const inCode = await collect(site.shortener.links.list('user-42', {order: 'newest', ...conditions}));
      const partsInCode = inCode.map(({shortUrlPart}) => shortUrlPart);
      t.deepEqual(partsInCode, parts, JSON.stringify(conditions));
    }
  });

  test('list_urls has pages in either order, of any size and with any conditions', async (t) => {
    const site = await startSite(t, {world});
    for (let index = 1; index <= 7; index++) await site.create({custom_url: `link-${index}`, tags: `t${index % 2}`});
    for (const order of ['newest', 'oldest']) {
      for (const conditions of [{}, {tag: 't1'}, {status: 'active', search: 'link'}]) {
        const all = partsOf(accepted(t, await site.api('list_urls', {order, ...conditions})));
        for (const limit of ['1', '2', '3', '7']) {
          const found: string[] = [];
          for await (const page of listPages(site, 'list_urls', {order, ...conditions, limit})) {
            t.true(page.urls.length <= Number(limit));
            found.push(...partsOf(page));
          }
          t.deepEqual(found, all, `${order} ${JSON.stringify(conditions)} ${limit}`);
        }
      }
    }
  });

  test('the error of a search that ends in a dot and letters explains how to escape the dot', async (t) => {
    const site = await refusing();
    for (const rest of ['list_urls/search/example.com', 'create/url/aGk/title/v1.2', 'list_urls/tag/v1.2']) {
      t.regex(refused(t, await site.call(rest), 'unsupported_format'), /Write a dot in the last value as %2E/);
    }
    accepted(t, await site.call('list_urls/search/example%2Ecom'));
    accepted(t, await site.call('list_urls/search/example.com.json'));
    accepted(t, await site.call('list_urls/search/example.com/limit/5'));
  });
}
