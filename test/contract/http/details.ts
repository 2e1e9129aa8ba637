import test from 'ava';
import {redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** Details of visits, and the totals of an account. */
export function details(world: World): void {
  test('by default the host name of the Referer is counted, or direct', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    for (const Referer of ['https://news.example/a?b', 'http://news.example/', 'https://a.example', 'no URL', '']) {
      redirects(t, await site.visit(link.short_url, {headers: {Referer}}), destination);
    }
    redirects(t, await site.visit(link.short_url), destination);
    const stats = await site.shortener.links.stats('user-42', link.short_url);
    t.is(stats.totalVisits, 6);
    t.deepEqual(stats.details, {
      referrer: [
        {value: 'direct', visits: 3},
        {value: 'news.example', visits: 2},
        {value: 'a.example', visits: 1},
      ],
    });
  });

  test('by default the device is counted, and the country that a CDN names, by which rules work too', async (t) => {
    const agents = {
      ios: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
      android: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36',
      desktop: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36',
    };
    for (const proxy of [true, false]) {
      const site = await startSite(t, {world, proxy});
      const rules = [{country: 'NZ', url: 'https://nz.example/'}];
      const link = await site.create({rules: JSON.stringify(rules)});
      const visit = async (headers: Record<string, string>): Promise<unknown> =>
        (await site.visit(link.short_url, {headers})).headers.location;
      const nz = proxy ? 'https://nz.example/' : destination;
      t.is(await visit({'User-Agent': agents.ios, 'CF-IPCountry': 'NZ'}), nz);
      t.is(await visit({'User-Agent': agents.ios, 'X-Vercel-IP-Country': 'nz', Referer: 'https://news.example/'}), nz);
      t.is(await visit({'User-Agent': agents.android, 'CloudFront-Viewer-Country': 'DE'}), destination);
      t.is(await visit({'User-Agent': agents.desktop, 'CF-IPCountry': 'XX'}), destination);
      t.is(await visit({'CF-IPCountry': 'nowhere'}), destination);
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
        referrer: [
          {value: 'direct', visits: 4},
          {value: 'news.example', visits: 1},
        ],
      });
    }
  });

  test('visitDetails sets the details, also with a promise', async (t) => {
    for (const isLate of [false, true]) {
      const site = await startSite(t, {
        world,
        shortUrl: {
          visitDetails: (ctx) => {
            const details = {country: ctx.get('CF-IPCountry'), source: String(ctx.query['utm_source'] ?? '')};
            return isLate ? Promise.resolve(details) : details;
          },
        },
      });
      const link = await site.create();
      const visit = async (query: string, country: string): Promise<void> => {
        const reply = await site.visit(`${link.short_url}${query}`, {headers: {'CF-IPCountry': country}});
        redirects(t, reply, destination);
      };
      await visit('?utm_source=mail', 'NZ');
      await visit('', 'NZ');
      await visit(`?utm_source=${'x'.repeat(100)}`, '');
      const {details: told} = await site.shortener.links.stats('user-42', link.short_url);
      t.deepEqual(told, {
        country: [{value: 'NZ', visits: 2}],
        source: [
          {value: 'mail', visits: 1},
          {value: 'x'.repeat(64), visits: 1},
        ],
      });
    }
  });

  test('the first hundred values of a detail are counted separately, and the others as other', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create();
    const visit = async (index: number): Promise<void> => {
      redirects(t, await site.visit(link.short_url, {headers: {Referer: `https://${index}.example/`}}), destination);
    };
    for (let index = 0; index < 103; index += 1) await visit(index);
    await Promise.all([visit(0), visit(101), visit(102)]);
    const {details: told} = await site.shortener.links.stats('user-42', link.short_url);
    t.is(told['referrer']?.length, 101);
    t.deepEqual(told['referrer']?.slice(0, 3), [
      {value: 'other', visits: 5},
      {value: '0.example', visits: 2},
      {value: '1.example', visits: 1},
    ]);
  });

  test('visitDetails is not called for a request that is not a visit', async (t) => {
    let asked = 0;
    const site = await startSite(t, {
      world,
      shortUrl: {
        countVisit: (ctx) => ctx.get('User-Agent') !== 'bot',
        visitDetails: () => {
          asked += 1;
          return {name: 'value'};
        },
      },
    });
    const link = await site.create();
    const guarded = await site.create({password: 's3cret'});
    await site.visit(link.short_url, {method: 'HEAD'});
    await site.visit(link.short_url, {headers: {'Sec-Purpose': 'prefetch'}});
    await site.visit(link.short_url, {headers: {'User-Agent': 'bot'}});
    await site.visit(guarded.short_url);
    await site.submit(guarded.short_url, 'wrong');
    await site.visit(`${site.baseUrl}/none`);
    await site.api('disable', {short_url: link.short_url});
    await site.visit(link.short_url);
    t.is(asked, 0);
    t.deepEqual((await site.shortener.links.stats('user-42', link.short_url)).details, {});
    t.deepEqual((await site.shortener.links.stats('user-42', guarded.short_url)).details, {});
  });

  test('accounts.stats sums up all links of the account, including removed ones', async (t) => {
    const site = await startSite(t, {world});
    const {accounts, links} = site.shortener;
    const none = {links: 0, totalVisits: 0, lastAccessed: null, days: [], details: {}, conversions: []};
    t.deepEqual(await accounts.stats('user-42'), none);
    const one = await links.create('user-42', {url: destination});
    const other = await links.create('user-42', {url: destination, maxVisits: 5});
    t.deepEqual(await accounts.stats('user-42'), {...none, links: 2});
    await site.visit(one.shortUrl, {headers: {Referer: 'https://news.example/'}});
    site.clock.set('2031-05-07T10:00:00Z');
    await site.visit(other.shortUrl, {headers: {Referer: 'https://news.example/'}});
    await site.visit(other.shortUrl);
    const stats = {
      links: 2,
      totalVisits: 3,
      lastAccessed: '2031-05-07 10:00:00',
      days: [
        {date: '2031-05-06', visits: 1, conversions: 0},
        {date: '2031-05-07', visits: 2, conversions: 0},
      ],
      details: {
        referrer: [
          {value: 'news.example', visits: 2},
          {value: 'direct', visits: 1},
        ],
      },
      conversions: [],
    };
    t.deepEqual(await accounts.stats('user-42'), stats);
    await links.remove('user-42', other.shortUrl);
    t.deepEqual(await accounts.stats('user-42'), {...stats, links: 1});
    await accounts.create('user-43');
    t.deepEqual(await accounts.stats('user-43'), none);
    await t.throwsAsync(accounts.stats('nobody'), {code: 'invalid_api_key'});
  });
}
