import test from 'ava';
import {accepted, redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

const destination = 'https://destination.example/page';

/** Details of visits, the totals of an account, and the operation stats. */
export function details(world: World): void {
  test('by default the host name of the Referer is counted, or direct', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create();
    for (const Referer of ['https://news.example/a?b', 'http://news.example/', 'no URL', '']) {
      redirects(t, await site.visit(short_url, {headers: {Referer}}), destination);
    }
    redirects(t, await site.visit(short_url), destination);
    t.deepEqual((await site.shortener.links.stats('user-42', short_url)).details, {
      referrer: [
        {value: 'direct', visits: 3},
        {value: 'news.example', visits: 2},
      ],
    });
  });

  test('by default the device is counted, and the country that a CDN names, by which rules work too', async (t) => {
    const ios = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile Safari/604.1';
    const android = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36';
    const desktop = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36';
    for (const proxy of [true, false]) {
      const site = await startSite(t, {world, proxy});
      const rules = [{country: 'NZ', url: 'https://nz.example/'}];
      const link = await site.create({rules: JSON.stringify(rules)});
      const ofNewZealand = proxy ? 'https://nz.example/' : destination;
      for (const [headers, location] of [
        [{'User-Agent': ios, 'CF-IPCountry': 'NZ'}, ofNewZealand],
        [{'User-Agent': ios, 'X-Vercel-IP-Country': 'nz'}, ofNewZealand],
        [{'User-Agent': android, 'CloudFront-Viewer-Country': 'DE'}, destination],
        [{'User-Agent': desktop, 'CF-IPCountry': 'XX'}, destination],
        [{'CF-IPCountry': 'nowhere'}, destination],
      ] as ReadonlyArray<[Record<string, string>, string]>) {
        t.is((await site.visit(link.short_url, {headers})).headers.location, location);
      }
      const {details: told} = await site.shortener.links.stats('user-42', link.short_url);
      t.deepEqual(told, {
        ...(proxy && {
          country: [
            {value: 'NZ', visits: 2},
            {value: 'DE', visits: 1},
          ],
        }),
        device: [
          {value: 'ios', visits: 2},
          {value: 'android', visits: 1},
          {value: 'desktop', visits: 1},
        ],
        referrer: [{value: 'direct', visits: 5}],
      });
    }
  });

  test('visitDetails sets the details, also with a promise, and JSON and XML have the same', async (t) => {
    for (const isLate of [false, true]) {
      const site = await startSite(t, {
        world,
        shortUrl: {
          visitDetails: (ctx) => {
            const details = {country: ctx.get('CF-IPCountry'), source_2: String(ctx.query['from'] ?? '')};
            return isLate ? Promise.resolve(details) : details;
          },
        },
      });
      const {short_url} = await site.create();
      for (const [query, country] of [
        ['?from=%3Ca%3E+%26+%22%C3%A9%22', 'NZ'],
        ['', 'NZ'],
        [`?from=${'x'.repeat(100)}`, ''],
      ] as const) {
        redirects(t, await site.visit(short_url + query, {headers: {'CF-IPCountry': country}}), destination);
      }
      const json = await site.api('stats', {short_url});
      t.deepEqual(accepted(t, json).details, {
        country: [{value: 'NZ', visits: 2}],
        source_2: [
          {value: '<a> & "é"', visits: 1},
          {value: 'x'.repeat(64), visits: 1},
        ],
      });
      t.deepEqual((await site.api('stats', {short_url}, {suffix: '.xml'})).xml(), asXmlReads(json.json()));
    }
  });

  test('visitDetails is not called for a request that is not a visit', async (t) => {
    let asked = 0;
    const site = await startSite(t, {
      world,
      shortUrl: {
        visitDetails: () => {
          asked += 1;
          return {name: 'value'};
        },
      },
    });
    const {short_url} = await site.create();
    const guarded = await site.create({password: 's3cret'});
    await site.visit(short_url, {method: 'HEAD'});
    await site.visit(short_url, {headers: {'Sec-Purpose': 'prefetch'}});
    await site.visit(short_url, {headers: {'User-Agent': 'Googlebot/2.1'}});
    await site.visit(guarded.short_url);
    await site.submit(guarded.short_url, 'wrong');
    await site.visit(`${site.baseUrl}/none`);
    await site.api('disable', {short_url});
    await site.visit(short_url);
    t.is(asked, 0);
    t.deepEqual((await site.shortener.accounts.stats('user-42')).details, {});
  });

  test('accounts.stats sums up all links of the account, including removed ones', async (t) => {
    const site = await startSite(t, {world});
    const {accounts, links} = site.shortener;
    const none = {links: 0, brokenLinks: 0, totalVisits: 0, lastAccessed: null, days: [], details: {}, conversions: []};
    t.deepEqual(await accounts.stats('user-42'), none);
    const one = await links.create('user-42', {url: destination});
    const other = await links.create('user-42', {url: destination, maxVisits: 5});
    t.deepEqual(await accounts.stats('user-42'), {...none, links: 2});
    await site.visit(one.shortUrl);
    site.clock.set('2031-05-07T10:00:00Z');
    for (const {shortUrl} of [one, other]) await site.visit(shortUrl);
    await links.remove('user-42', other.shortUrl);
    t.deepEqual(await accounts.stats('user-42'), {
      links: 1,
      brokenLinks: 0,
      totalVisits: 3,
      lastAccessed: '2031-05-07 10:00:00',
      days: [
        {date: '2031-05-06', visits: 1, conversions: 0, values: []},
        {date: '2031-05-07', visits: 2, conversions: 0, values: []},
      ],
      details: {referrer: [{value: 'direct', visits: 3}]},
      conversions: [],
    });
    await accounts.create('user-43');
    t.deepEqual(await accounts.stats('user-43'), none);
    await t.throwsAsync(accounts.stats('nobody'), {code: 'invalid_api_key'});
  });

  test('stats answers the full record, the days, the details and the time', async (t) => {
    const site = await startSite(t, {world});
    const {short_url} = await site.create({title: 'Spring', tags: 'mail'});
    t.like(accepted(t, await site.api('stats', {short_url})), {days: [], details: {}});

    const from = (referrer: string) => ({headers: {Referer: referrer}});
    await site.visit(short_url, from('https://news.example/a/b?c'));
    await site.visit(short_url);
    site.clock.set('2031-05-07T08:09:10Z');
    await site.visit(short_url, from('https://news.example/'));
    const data = accepted(t, await site.api('stats', {short_url}));
    t.like(data, {
      ...(await site.info(short_url)),
      title: 'Spring',
      tags: ['mail'],
      days: [
        {date: '2031-05-06', visits: 2, conversions: 0, values: []},
        {date: '2031-05-07', visits: 1, conversions: 0, values: []},
      ],
      details: {
        referrer: [
          {value: 'news.example', visits: 2},
          {value: 'direct', visits: 1},
        ],
      },
      conversions: [],
    });
  });
}
