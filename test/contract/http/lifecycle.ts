import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

/** disable, enable, and the ways to name a link. */
export function lifecycle(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});

  for (const [operation, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    test(`${operation} answers the id, the status, the short URL and the time, in that order`, async (t) => {
      const site = await startSite(t, {world});
      const link = await site.create({custom_url: 'spring'});
      site.clock.set('2031-05-07T08:09:10Z');
      const data = accepted(t, await site.api(operation, {short_url: link.short_url}));
      t.deepEqual(Object.entries(data), [
        ['url_id', link.url_id],
        ['status', status],
        ['short_url', link.short_url],
        ['date_time', '2031-05-07 08:09:10'],
      ]);
    });

    test(`${operation} is idempotent`, async (t) => {
      const site = await making();
      const link = await site.create();
      for (let call = 0; call < 3; call++) {
        t.is(accepted(t, await site.api(operation, {short_url: link.short_url})).status, status);
      }
      t.is((await site.info(link.short_url)).status, status);
    });
  }

  test('a disabled link stops at once, and works again at once when it is enabled', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    redirects(t, await site.visit(link.short_url), 'https://destination.example/page');

    accepted(t, await site.api('disable', {short_url: link.short_url}));
    t.is((await site.visit(link.short_url)).status, 410);
    t.is((await site.info(link.short_url)).status, 'disabled');
    t.deepEqual(await site.list(), []);

    accepted(t, await site.api('enable', {short_url: link.short_url}));
    redirects(t, await site.visit(link.short_url), 'https://destination.example/page');
    t.is((await site.info(link.short_url)).status, 'active');
    t.deepEqual(await site.list(), [link.short_url]);
  });

  const operations = ['disable', 'enable', 'info', 'stats'];
  for (const operation of operations) {
    test(`${operation} accepts http and https, and the domain in any case and with a port`, async (t) => {
      const site = await making();
      const link = await site.create();
      for (const spelling of [
        link.short_url.replace('https:', 'http:'),
        link.short_url.replace('https:', 'HTTPS:'),
        link.short_url.replace('example.com', 'Example.COM'),
        link.short_url.replace('example.com', 'example.com:443'),
        link.short_url.replace('https://example.com', 'http://example.com:8080'),
      ]) {
        const data = accepted(t, await site.api(operation, {short_url: spelling}));
        t.is(data.url_id, link.url_id);
        t.is(data.short_url, link.short_url);
      }
    });

    test(`${operation} answers unknown_short_url to anything but a short URL of the account`, async (t) => {
      const site = await startSite(t, {world});
      const {apiKey: key} = await site.shortener.accounts.create('user-43');
      const theirs = await site.create({}, {key});
      await site.create({custom_url: 'Spring'});
      const unknown = [
        theirs.short_url,
        `${site.baseUrl}/none`,
        `${site.baseUrl}/spring`,
        `${site.baseUrl}/Spring/more`,
        `${site.baseUrl}/__proto__`,
        `https://sho.rt${site.base}/Spring`,
        'https://foreign.example/Spring',
        `https://sub.example.com${site.base}/Spring`,
        'https://destination.example/page',
        ...['spring', '/spring', ' ', 'https://', '\0', 'javascript:alert(1)', 'x'.repeat(5000)],
      ];
      for (const shortUrl of unknown) {
        refused(t, await site.api(operation, {short_url: shortUrl}), 'unknown_short_url');
        refused(t, await site.api(operation, {short_url: shortUrl}, {suffix: '.xml'}), 'unknown_short_url');
      }
      t.is((await site.info(theirs.short_url, {key})).status, 'active');
    });

    test(`${operation} gives the same answer for another account's link as for none`, async (t) => {
      const site = await startSite(t, {world});
      const {apiKey: key} = await site.shortener.accounts.create('user-43');
      const theirs = await site.create({custom_url: 'theirs'}, {key});
      const forTheirs = await site.api(operation, {short_url: theirs.short_url});
      const forNone = await site.api(operation, {short_url: `${site.baseUrl}/nobody`});
      t.is(forTheirs.text.replaceAll('theirs', 'nobody'), forNone.text);
    });
  }

  test('links on every domain of the site can be disabled, enabled and read', async (t) => {
    const site = await startSite(t, {world});
    for (const domain of ['example.com', 'sho.rt', 'go.example.org']) {
      const link = await site.create({base_domain: domain, custom_url: 'spring'});
      t.is(accepted(t, await site.api('disable', {short_url: link.short_url})).url_id, link.url_id);
      t.is(accepted(t, await site.api('enable', {short_url: link.short_url})).url_id, link.url_id);
      t.is(accepted(t, await site.api('info', {short_url: link.short_url})).short_url, link.short_url);
    }
  });

  test('info answers every field of the record and the time, in that order', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring'});
    site.clock.set('2031-05-07T08:09:10Z');
    t.deepEqual(Object.entries(accepted(t, await site.api('info', {short_url: link.short_url}))), [
      ['url_id', link.url_id],
      ['short_url', `${site.baseUrl}/spring`],
      ['short_url_part', 'spring'],
      ['original_url', 'https://destination.example/page'],
      ['date_created', '2031-05-06 12:00:00'],
      ['last_accessed', null],
      ['total_visits', 0],
      ['has_password', false],
      ['expiry_date', null],
      ['status', 'active'],
      ['date_time', '2031-05-07 08:09:10'],
    ]);
  });
}
