import test from 'ava';
import {accepted, isTheHosts, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** The operation remove. */
export function remove(world: World): void {
  test('remove answers the id, the short URL, `removed` and the time, in that order, in JSON and in XML', async (t) => {
    const site = await startSite(t, {world});
    const [link, second] = [await site.create(), await site.create()];
    site.clock.set('2031-05-07T08:09:10Z');
    const data = accepted(t, await site.api('remove', {short_url: link.short_url}));
    t.deepEqual(Object.entries(data), [
      ['url_id', link.url_id],
      ['short_url', link.short_url],
      ['status', 'removed'],
      ['date_time', '2031-05-07 08:09:10'],
    ]);
    const {text} = await site.api('remove', {short_url: second.short_url}, {suffix: '.xml'});
    t.regex(
      text,
      /<data><url_id>\d+<\/url_id><short_url>[^<]+<\/short_url><status>removed<\/status><date_time>[^<]+<\/date_time>/,
    );
  });

  test('a removed link is unknown to every operation, is in no list and answers 410 for good', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({custom_url: 'spring', title: 'Spring', expiry_date: '2031-05-06'});
    const stays = await site.create();
    redirects(t, await site.visit(short_url), url);
    accepted(t, await site.api('remove', {short_url}));
    for (const operation of ['disable', 'enable', 'info', 'stats', 'remove']) {
      refused(t, await site.api(operation, {short_url}), 'unknown_short_url');
    }
    refused(t, await site.api('update', {short_url, title: 'x'}), 'unknown_short_url');
    t.deepEqual(await site.list(), [stays.short_url]);
    const {urls} = accepted(t, await site.api('list_urls'));
    t.deepEqual(
      urls.map((each) => each.short_url),
      [stays.short_url],
    );
    for (const day of ['2031-05-06T12:00:00Z', '2039-01-01T00:00:00Z']) {
      site.clock.set(day);
      t.is((await site.visit(short_url)).status, 410);
      t.is((await site.visit(short_url, {method: 'HEAD'})).status, 410);
    }
  });

  test('only its account can create a removed link again, with no visits', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const link = await site.create({custom_url: 'spring', password: 's3cret', title: 'Spring', max_visits: '5'});
    await site.submit(link.short_url, 's3cret');
    accepted(t, await site.api('remove', {short_url: link.short_url}));
    refused(t, await site.api('create', {custom_url: 'spring', url}, {key}), 'custom_url_taken');
    const again = await site.create({custom_url: 'spring', url: 'https://destination.example/new'});
    t.is(again.short_url, link.short_url);
    t.true(again.url_id > link.url_id);
    t.like(await site.info(again.short_url), {total_visits: 0, last_accessed: null, has_password: false});
    redirects(t, await site.visit(again.short_url), 'https://destination.example/new');
    t.is((await site.info(again.short_url)).total_visits, 1);
    t.deepEqual(await site.list(), [again.short_url]);
  });

  test('links of other accounts, and unknown short URLs, cannot be removed', async (t) => {
    const site = await startSite(t, {world});
    const {apiKey: key} = await site.shortener.accounts.create('user-43');
    const theirs = await site.create({custom_url: 'theirs'}, {key});
    for (const suffix of ['.json', '.xml']) {
      for (const short_url of [theirs.short_url, `${site.baseUrl}/nobody`, 'https://foreign.example/x', 'x']) {
        refused(t, await site.api('remove', {short_url}, {suffix}), 'unknown_short_url');
        refused(t, await site.api('update', {short_url, title: 'x'}, {suffix}), 'unknown_short_url');
        refused(t, await site.api('stats', {short_url}, {suffix}), 'unknown_short_url');
      }
    }
    t.is((await site.info(theirs.short_url, {key})).status, 'active');
    redirects(t, await site.visit(theirs.short_url), url);
    isTheHosts(t, await site.visit(`${site.baseUrl}/nobody`), 404, world.mount.notFound);
  });
}
