import test from 'ava';
import {accepted, refused} from '../../support/answers.ts';
import type {Data} from '../../support/request.ts';
import {sharedSite, type Site, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

function partsOf({urls}: Data): string[] {
  return urls.map(({short_url}) => short_url.slice(short_url.lastIndexOf('/') + 1));
}

/** The operation list_urls. */
export function find(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

  test('list_urls has full records, newest first, in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'first', title: 'Spring', tags: 'mail,posters', max_visits: '5'});
    await site.create({custom_url: 'second', password: 's3cret'});
    await site.visit(`${site.baseUrl}/first`);
    const data = accepted(t, await site.api('list_urls'));
    t.deepEqual(partsOf(data), ['second', 'first']);
    t.like(data.urls[1], {title: 'Spring', tags: ['mail', 'posters'], max_visits: 5, total_visits: 1});
    t.like(data.urls[0], {title: null, tags: [], max_visits: null, has_password: true, last_accessed: null});
    const {text} = await site.api('list_urls', {}, {suffix: '.xml'});
    t.regex(text, /<urls><url><url_id>2<\/url_id>.*<\/url><url><url_id>1<\/url_id>.*<\/url><\/urls><date_time>/);
    t.regex(text, /<title>Spring<\/title><tags><tag>mail<\/tag><tag>posters<\/tag><\/tags><max_visits>5<\/max_visits>/);
  });

  test('list_urls of an empty account is an empty list', async (t) => {
    const site = await startSite(t, {world});
    t.deepEqual(accepted(t, await site.api('list_urls')).urls, []);
    t.regex((await site.api('list_urls', {}, {suffix: '.xml'})).text, /<data><urls(\/>|><\/urls>)<date_time>/);
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
      [{order: 'newest'}, ['year', 'winter', 'autumn', 'summer', 'Spring']],
      [{order: 'oldest'}, ['Spring', 'summer', 'autumn', 'winter', 'year']],
      [{status: 'active'}, ['summer', 'Spring']],
      [{status: 'disabled'}, ['year']],
      [{status: 'expired'}, ['winter', 'autumn']],
      [{tag: 'mail'}, ['summer', 'Spring']],
      [{tag: 'Posters'}, ['winter', 'Spring']],
      [{tag: 'mai'}, []],
      [{search: 'spring'}, ['autumn', 'summer', 'Spring']],
      [{search: 'ÜBERSCHRIFT 50% *'}, ['Spring']],
      [{search: 'b.c'}, ['summer']],
      [{search: 'https://shop.example/'}, ['summer']],
      [{search: 'mail'}, []],
      [{search: 'spring', status: 'active', order: 'oldest'}, ['Spring', 'summer']],
      [{search: 'spring', tag: 'mail', status: 'expired'}, []],
    ];
    for (const [conditions, parts] of cases) {
      const data = accepted(t, await site.api('list_urls', conditions));
      t.deepEqual(partsOf(data), parts, JSON.stringify(conditions));
      t.false('next_cursor' in data);
    }
  });

  test('list_urls has pages in either order, and every page but the last has next_cursor', async (t) => {
    const site = await startSite(t, {world});
    for (let index = 1; index <= 7; index++) await site.create({custom_url: `link-${index}`, tags: `t${index % 2}`});
    for (const order of ['newest', 'oldest']) {
      for (const conditions of [{}, {tag: 't1'}, {status: 'active', search: 'link'}]) {
        const all = partsOf(accepted(t, await site.api('list_urls', {order, ...conditions})));
        for (const limit of ['1', '2', '3', '7']) {
          const found: string[] = [];
          let cursor: Record<string, string> = {};
          do {
            const data = accepted(t, await site.api('list_urls', {order, ...conditions, limit, ...cursor}));
            t.true(data.urls.length <= Number(limit));
            found.push(...partsOf(data));
            if (!('next_cursor' in data)) break;
            cursor = {cursor: data.next_cursor};
          } while (found.length < 20);
          t.deepEqual(found, all, `${order} ${JSON.stringify(conditions)} ${limit}`);
        }
      }
    }
  });

  test('a page of list_urls has 100 links by default', async (t) => {
    const site = await startSite(t, {world});
    const create = () => site.shortener.links.create('user-42', {url: 'https://destination.example/page'});
    await Promise.all(Array.from({length: 101}, create));
    const first = accepted(t, await site.api('list_urls'));
    t.is(first.urls.length, 100);
    const second = accepted(t, await site.api('list_urls', {cursor: first.next_cursor}));
    t.is(second.urls.length, 1);
    t.false('next_cursor' in second);
    t.is(accepted(t, await site.api('list_urls', {limit: '1000'})).urls.length, 101);
  });

  const wrong: Record<string, string> = {
    'an unknown status': 'status/removed',
    'a status in another case': 'status/Active',
    'two statuses': 'status/active,disabled',
    'an unknown order': 'order/random',
    'an empty tag': 'tag//order/oldest',
    'an empty search': 'search/',
    'limit 0': 'limit/0',
    'limit 1001': 'limit/1001',
    'a limit in another notation': 'limit/1e2',
    'a cursor that was never handed out': 'cursor/nonsense',
    'a cursor of the other order': `order/oldest/cursor/${Buffer.from('before 2').toString('base64url')}`,
  };
  for (const [what, rest] of Object.entries(wrong)) {
    test(`list_urls with ${what} is a malformed_parameter, in JSON and in XML`, async (t) => {
      const site = await refusing();
      for (const suffix of ['.json', '.xml'])
        refused(t, await site.call(`list_urls/${rest}${suffix}`), 'malformed_parameter');
    });
  }

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
