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
  // For tests that create links and do not look at others.
  const making = sharedSite({world});
  // For tests that create only this link.
  const refusing = sharedSite({world});
  const kept = {custom_url: 'kept', password: 's3cret', expiry_date: '2031-06-07', ...labels};

  test('update answers the full record and the time, in that order, and changes the given fields', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    await site.visit(link.short_url);
    site.clock.set('2031-05-07T08:09:10Z');
    const changes = {url: other, password: 's3cret', expiry_date: '2031-06-07', ...labels};
    const data = accepted(t, await site.api('update', {short_url: link.short_url, ...changes}));
    t.deepEqual(Object.entries(data), [
      ['url_id', link.url_id],
      ['short_url', link.short_url],
      ['short_url_part', 'spring'],
      ['original_url', other],
      ['date_created', '2031-05-06 12:00:00'],
      ['last_accessed', '2031-05-06 12:00:00'],
      ['total_visits', 1],
      ['has_password', true],
      ['expiry_date', '2031-06-07 23:59:59'],
      ['status', 'active'],
      ['title', labels.title],
      ['tags', ['mail', 'zoë']],
      ['max_visits', 7],
      ['start_date', null],
      ['expired_url', null],
      ['forward_query', false],
      ['rules', []],
      ['preview_title', null],
      ['preview_description', null],
      ['preview_image', null],
      ['reference', null],
      ['date_time', '2031-05-07 08:09:10'],
    ]);
    t.is((await site.info(link.short_url)).original_url, other);
    t.is((await site.visit(link.short_url)).status, 200, 'the form asks for the password');
    redirects(t, await site.submit(link.short_url, 's3cret'), new URL(other).href, 303);
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

  const faults: Record<string, [rest: string, failure: Failure]> = {
    'no change': ['', 'missing_parameter'],
    'a long URL of another scheme': [`/url/${urlSafe('ftp://x.example/')}`, 'invalid_url'],
    'a long URL that is not encoded': ['/url/https://x.example/', 'malformed_base64'],
    'its own short URL as the long URL': [
      `/url/${urlSafe(`https://example.com${world.mount.base}/kept`)}`,
      'forbidden_url',
    ],
    'a URL of the API': [
      `/url/${urlSafe(`https://example.com${world.mount.base}/api/v1/shorturl/info`)}`,
      'forbidden_url',
    ],
    'a password that is too long': [`/password/${'x'.repeat(129)}`, 'invalid_password'],
    'an expiry date that is past': ['/expiry_date/2031-05-05', 'invalid_expiry_date'],
    'an invalid expiry date': ['/expiry_date/2031-02-30', 'invalid_expiry_date'],
    'a title that is too long': [`/title/${'x'.repeat(201)}`, 'malformed_parameter'],
    'an empty title': ['/title//tags/a', 'malformed_parameter'],
    'an empty tag': ['/tags/a,,b', 'malformed_parameter'],
    'a limit of nothing': ['/max_visits/0', 'malformed_parameter'],
    'a limit that is not a number': ['/max_visits/ten', 'malformed_parameter'],
    'clear of the long URL': ['/clear/url', 'malformed_parameter'],
    'clear of an unknown name': ['/clear/colour', 'malformed_parameter'],
    'clear with an empty name at its end': ['/clear/title,', 'malformed_parameter'],
    'clear with a space': ['/clear/title,%20tags', 'malformed_parameter'],
    'clear in another case': ['/clear/Title', 'malformed_parameter'],
    'clear of the same twice': ['/clear/title,title', 'malformed_parameter'],
    'clear of an inherited name': ['/clear/__proto__', 'malformed_parameter'],
    'a title that is set and cleared': ['/title/x/clear/title', 'malformed_parameter'],
    'tags that are cleared and set': ['/clear/tags,title/tags/a', 'malformed_parameter'],
    'clear given twice': ['/clear/title/clear/tags', 'duplicate_parameter'],
    'a custom_url': ['/custom_url/spring', 'unknown_parameter'],
    'a base_domain': ['/base_domain/sho.rt', 'unknown_parameter'],
    'a valid change and an invalid one': ['/title/x/max_visits/0', 'malformed_parameter'],
  };
  for (const [what, [rest, failure]] of Object.entries(faults)) {
    test(`update with ${what} is a ${failure} and changes nothing`, async (t) => {
      const site = await refusing();
      const short_url = `${site.baseUrl}/kept`;
      await site.api('create', {...kept, url});
      const before = await site.shortener.links.info('user-42', short_url);
      for (const suffix of ['.json', '.xml']) {
        const path = `${segments('update', {short_url})}${rest}${suffix}`;
        const message = refused(t, await site.call(path), failure);
        t.false(message.includes('colour'));
      }
      t.deepEqual(await site.shortener.links.info('user-42', short_url), before);
    });
  }
}
