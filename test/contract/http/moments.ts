import test from 'ava';
import {accepted, redirects, refused} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';
const berlin = {timeZone: 'Europe/Berlin'};

/** Starts and ends by the minute, and days of the site's time zone. */
export function moments(world: World): void {
  const shared = sharedSite({world});

  test('a link works until the last second of its expiry date, and is expired in the next', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({expiry_date: '2031-05-08'});

    site.clock.set('2031-05-08T23:59:59.999Z');
    redirects(t, await site.visit(short_url), url);
    t.is((await site.info(short_url)).status, 'active');
    t.deepEqual(await site.list(), [short_url]);

    site.clock.set('2031-05-09T00:00:00Z');
    t.is((await site.visit(short_url)).status, 410);
    const expired = {status: 'expired', expiry_date: '2031-05-08 23:59:59', total_visits: 1};
    t.like(await site.info(short_url), expired);
    t.deepEqual(await site.list(), []);
  });

  test('an expiry date with a time is the last second of the link, in the time zone of the site', async (t) => {
    const site = await startSite(t, {world, shortUrl: berlin});
    const {short_url} = await site.create({expiry_date: '2031-05-08 18:00'});
    t.is((await site.info(short_url)).expiry_date, '2031-05-08 16:00:00');
    site.clock.set('2031-05-08T16:00:00.999Z');
    redirects(t, await site.visit(short_url), url);
    site.clock.set('2031-05-08T16:00:01Z');
    t.is((await site.visit(short_url)).status, 410);
  });

  test('an offset decides over the time zone, and a path may have the colons as they are or encoded', async (t) => {
    const site = await startSite(t, {world, shortUrl: berlin});
    const encoded = Buffer.from(url).toString('base64url');
    for (const moment of ['2031-05-08T18:00:00+05:30', '2031-05-08T18%3A00%3A00%2B05%3A30', '2031-05-08%2012:30Z']) {
      const {short_url} = accepted(t, await site.call(`create/expiry_date/${moment}/url/${encoded}.json`));
      t.is((await site.info(short_url)).expiry_date, '2031-05-08 12:30:00', moment);
    }
  });

  test('code may pass dates as Date', async (t) => {
    const {links} = (await shared()).shortener;
    const dates = {startDate: new Date('2031-06-01T10:00:00.500Z'), expiryDate: new Date('2031-06-02T10:00:00Z')};
    const link = await links.create('user-42', {url, ...dates});
    t.like(link, {startDate: '2031-06-01 10:00:00', expiryDate: '2031-06-02 10:00:00'});
    const changed = await links.update('user-42', link.shortUrl, {expiryDate: new Date('2031-06-03T00:00:00Z')});
    t.is(changed.expiryDate, '2031-06-03 00:00:00');
  });

  test('a link that would end before it begins is refused in create, update and their lists', async (t) => {
    const site = await shared();
    const wrong = {url, start_date: '2031-06-03', expiry_date: '2031-06-02'};
    refused(t, await site.api('create', wrong), 'invalid_expiry_date');
    refused(t, await site.post('create', {...wrong, expiry_date: '2031-06-02T23:59:59Z'}), 'invalid_expiry_date');
    const {short_url} = await site.create({start_date: '2031-06-01', expiry_date: '2031-06-30'});
    for (const change of [{start_date: '2031-07-01'}, {expiry_date: '2031-05-31'}]) {
      refused(t, await site.post('update', {short_url, ...change}), 'invalid_expiry_date');
    }
    for (const [operation, body] of [
      ['create_many', {links: [wrong]}],
      ['update_many', {changes: [{short_url, expiry_date: '2031-05-31'}]}],
    ] as const) {
      const {results} = accepted(t, await site.post(operation, body));
      t.is(results[0]?.error, 'invalid_expiry_date');
    }
    accepted(t, await site.api('update', {short_url, start_date: '2031-07-01', expiry_date: '2031-07-02'}));
    accepted(t, await site.api('update', {short_url, start_date: '2031-07-02'}));
  });

  test('visits count on the days of the time zone', async (t) => {
    const site = await startSite(t, {world, shortUrl: berlin});
    const {short_url} = await site.create();
    site.clock.set('2031-07-01T21:59:59Z');
    await site.visit(short_url);
    site.clock.set('2031-07-01T22:00:00Z');
    await site.visit(short_url);
    const days = [
      {date: '2031-07-01', visits: 1, conversions: 0, values: []},
      {date: '2031-07-02', visits: 1, conversions: 0, values: []},
    ];
    t.deepEqual((await site.shortener.links.stats('user-42', short_url)).days, days);
    t.deepEqual((await site.shortener.accounts.stats('user-42')).days, days);
    const {links} = await site.shortener.links.page('user-42', {days: 1});
    t.deepEqual(links[0]?.days, [{date: '2031-07-02', visits: 1}]);
  });

  test('the days of rules and of the quota are those of the time zone', async (t) => {
    const site = await startSite(t, {world, shortUrl: {...berlin, createQuota: 1}});
    const rules = JSON.stringify([{from: '2031-07-02', until: '2031-07-02', url: 'https://day.example/'}]);
    site.clock.set('2031-07-01T21:59:59Z');
    const {short_url} = await site.create({rules});
    refused(t, await site.api('create', {url}), 'too_many_requests');
    redirects(t, await site.visit(short_url), url);
    site.clock.set('2031-07-01T22:00:00Z');
    redirects(t, await site.visit(short_url), 'https://day.example/');
    await site.create();
  });
}
