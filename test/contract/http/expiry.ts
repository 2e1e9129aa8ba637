import test from 'ava';
import {redirects, refused} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** The expiry date of a link. */
export function expiry(world: World): void {
  test('a link works until the last second of its expiry date, and is expired in the next', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({expiry_date: '2031-05-08'});

    site.clock.set('2031-05-08T23:59:59.999Z');
    redirects(t, await site.visit(link.short_url), destination);
    t.is((await site.info(link.short_url)).status, 'active');
    t.deepEqual(await site.list(), [link.short_url]);

    site.clock.set('2031-05-09T00:00:00Z');
    t.is((await site.visit(link.short_url)).status, 410);
    const info = await site.info(link.short_url);
    t.is(info.status, 'expired');
    t.is(info.expiry_date, '2031-05-08 23:59:59');
    t.is(info.total_visits, 1);
    t.deepEqual(await site.list(), []);
  });

  test('an expired link cannot be enabled', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({expiry_date: '2031-05-06'});
    site.clock.set('2031-05-07T00:00:00Z');
    refused(t, await site.api('enable', {short_url: link.short_url}), 'link_expired');
    refused(t, await site.api('enable', {short_url: link.short_url}, {suffix: '.xml'}), 'link_expired');
    t.is((await site.info(link.short_url)).status, 'expired');
  });
}
