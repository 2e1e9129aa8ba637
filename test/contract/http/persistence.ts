import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** What outlasts the process, on durable stores. */
export function persistence(world: World): void {
  test('keys, links, visits and states outlast a restart', async (t) => {
    const before = await startSite(t, {world});
    const labels = {title: 'Spring', tags: 'mail,posters', max_visits: '3'};
    const active = await before.create({custom_url: 'active', expiry_date: '2031-06-07', ...labels});
    const locked = await before.create({password: 's3cret'});
    const removed = await before.create({custom_url: 'removed'});
    await before.api('remove', {short_url: removed.short_url});
    await before.api('update', {short_url: active.short_url, url: destination, tags: 'mail'});
    const disabled = await before.create({custom_url: 'disabled', base_domain: 'sho.rt'});
    await before.api('disable', {short_url: disabled.short_url});
    await before.visit(active.short_url);
    await before.visit(active.short_url);
    const told = await before.info(active.short_url);
    await before.shortener.close();

    const after = await startSite(t, {world, shortUrl: before.options});
    t.is(await after.shortener.accounts.apiKey('user-42'), before.key);
    t.is(after.key, before.key);
    t.deepEqual(await after.info(active.short_url), told);
    t.is((await after.info(disabled.short_url)).status, 'disabled');
    t.deepEqual(await after.list(), [active.short_url, locked.short_url]);
    redirects(t, await after.visit(active.short_url), destination);
    t.is((await after.submit(locked.short_url, 'wrong')).status, 401);
    redirects(t, await after.submit(locked.short_url, 's3cret'), destination, 303);
    t.is((await after.info(active.short_url)).total_visits, 3);
    const kept = {title: 'Spring', tags: ['mail'], max_visits: 3};
    t.like(accepted(t, await after.api('stats', {short_url: active.short_url})), kept);
    t.is((await after.visit(active.short_url)).status, 410, 'its visits are used up');
    t.is((await after.visit(disabled.short_url)).status, 410);
    t.is((await after.visit(removed.short_url)).status, 410);
    refused(t, await after.api('create', {custom_url: 'active', url: destination}), 'custom_url_taken');
    t.true((await after.create()).url_id > disabled.url_id);
  });
}
