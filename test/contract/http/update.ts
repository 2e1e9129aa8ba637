import test from 'ava';
import {accepted, type Failure, redirects, refused} from '../../support/answers.ts';
import {urlSafe} from '../../support/base64.ts';
import {segments, sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const other = 'https://destination.example/other?a=1&b=<c>';
const labels = {title: 'Spring & <summer>', tags: 'mail,zoë', max_visits: '7'};

/** The operation update. */
export function update(world: World): void {
  const making = sharedSite({world});
  const kept = {custom_url: 'kept', password: 's3cret', expiry_date: '2031-06-07', ...labels};

  test('update answers the full record and the time, and changes the given fields', async (t) => {
    const site = await startSite(t, {world});
    const {url_id, short_url} = await site.create({custom_url: 'spring'});
    await site.visit(short_url);
    site.clock.set('2031-05-07T08:09:10Z');
    const changes = {url: other, password: 's3cret', expiry_date: '2031-06-07', ...labels};
    t.like(accepted(t, await site.api('update', {short_url, ...changes})), {
      url_id,
      original_url: other,
      last_accessed: '2031-05-06 12:00:00',
      total_visits: 1,
      has_password: true,
      expiry_date: '2031-06-07 23:59:59',
      status: 'active',
      title: labels.title,
      tags: ['mail', 'zoë'],
      max_visits: 7,
      date_time: '2031-05-07 08:09:10',
    });
    t.is((await site.info(short_url)).original_url, other);
    t.is((await site.visit(short_url)).status, 200, 'the form asks for the password');
    redirects(t, await site.submit(short_url, 's3cret'), new URL(other).href, 303);
  });

  test('update keeps the other fields, and clear empties the fields that it names', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create(kept);
    const titled = accepted(t, await site.api('update', {short_url, title: 'Summer'}));
    t.like(titled, {original_url: url, has_password: true, expiry_date: '2031-06-07 23:59:59', title: 'Summer'});
    t.like(titled, {tags: ['mail', 'zoë'], max_visits: 7});

    const cleared = accepted(t, await site.api('update', {short_url, tags: 'a', clear: 'password,max_visits,title'}));
    t.like(cleared, {
      has_password: false,
      expiry_date: '2031-06-07 23:59:59',
      title: null,
      tags: ['a'],
      max_visits: null,
    });
    redirects(t, await site.visit(short_url), url);

    const bare = accepted(t, await site.api('update', {clear: 'expiry_date,tags', short_url}));
    t.like(bare, {expiry_date: null, tags: [], status: 'active', total_visits: 1});
  });

  test('a new long URL takes effect with the answer, and a disabled link stays disabled', async (t) => {
    const site = await making();
    const {short_url} = await site.create();
    redirects(t, await site.visit(short_url), url);
    for (const destination of [other, url, 'https://destination.example/third']) {
      accepted(t, await site.api('update', {short_url, url: destination}));
      redirects(t, await site.visit(short_url), new URL(destination).href);
    }
    accepted(t, await site.api('disable', {short_url}));
    t.is(accepted(t, await site.api('update', {short_url, url})).status, 'disabled');
    t.is((await site.visit(short_url)).status, 410);
  });

  test('a later expiry date, or clearing it, reactivates an expired link', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({expiry_date: '2031-05-06'});
    site.clock.set('2031-05-07T00:00:00Z');
    t.is((await site.visit(short_url)).status, 410);
    t.is(accepted(t, await site.api('update', {short_url, title: 'Over'})).status, 'expired');
    refused(t, await site.api('enable', {short_url}), 'link_expired');
    t.is(accepted(t, await site.api('update', {short_url, expiry_date: '2031-05-07'})).status, 'active');
    redirects(t, await site.visit(short_url), url);
    site.clock.set('2031-05-08T00:00:00Z');
    t.is((await site.visit(short_url)).status, 410);
    t.is(accepted(t, await site.api('update', {short_url, clear: 'expiry_date'})).status, 'active');
    redirects(t, await site.visit(short_url), url);
  });

  const siteUrl = `https://example.com${world.mount.base}`;
  const faults: Record<string, Failure> = {
    '': 'missing_parameter',
    '/url/https://x.example/': 'malformed_base64',
    [`/url/${urlSafe('ftp://x.example/')}`]: 'invalid_url',
    [`/url/${urlSafe(`${siteUrl}/kept`)}`]: 'forbidden_url',
    [`/url/${urlSafe(`${siteUrl}/api/v1/shorturl/info`)}`]: 'forbidden_url',
    [`/password/${'x'.repeat(129)}`]: 'invalid_password',
    '/expiry_date/2031-05-05': 'invalid_expiry_date',
    '/title//tags/a': 'malformed_parameter',
    '/tags/a,,b': 'malformed_parameter',
    '/max_visits/ten': 'malformed_parameter',
    '/title/x/max_visits/0': 'malformed_parameter',
    '/clear/url': 'malformed_parameter',
    '/clear/colour': 'malformed_parameter',
    '/clear/title,': 'malformed_parameter',
    '/clear/title,%20tags': 'malformed_parameter',
    '/clear/__proto__': 'malformed_parameter',
    '/title/x/clear/title': 'malformed_parameter',
    '/clear/tags,title/tags/a': 'malformed_parameter',
    '/clear/title/clear/tags': 'duplicate_parameter',
    '/custom_url/spring': 'unknown_parameter',
    '/base_domain/sho.rt': 'unknown_parameter',
  };
  test('an update with a wrong value is refused and changes nothing', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create(kept);
    const before = await site.shortener.links.info('user-42', short_url);
    for (const [rest, failure] of Object.entries(faults)) {
      const path = `${segments('update', {short_url})}${rest}.json`;
      t.false(refused(t, await site.call(path), failure).includes('colour'));
    }
    t.deepEqual(await site.shortener.links.info('user-42', short_url), before);
  });
}
