import test, {type ExecutionContext} from 'ava';
import {type CreateLink, ShortUrlError} from '../../../src/index.ts';
import {collect} from '../../support/collect.ts';
import {redirects, refused, statuses, type Failure} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** The programmatic interface does what the HTTP API does. */
export function programmatic(world: World): void {
  test('links.create, info, disable and enable give the record that the API gives', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const given = {customUrl: 'spring', expiryDate: '2031-06-07', baseDomain: 'sho.rt'};
    const link = await links.create('user-42', {url, ...given});
    const {shortUrl} = link;
    const record = {
      urlId: link.urlId,
      shortUrl: `https://sho.rt${site.base}/spring`,
      shortUrlPart: 'spring',
      originalUrl: url,
      dateCreated: '2031-05-06 12:00:00',
      lastAccessed: null,
      totalVisits: 0,
      hasPassword: false,
      expiryDate: '2031-06-07 23:59:59',
      status: 'active',
      title: null,
      tags: [],
      maxVisits: null,
      startDate: null,
      expiredUrl: null,
      forwardQuery: false,
      rules: [],
      previewTitle: null,
      previewDescription: null,
      previewImage: null,
      reference: null,
      confirm: world.asks === true,
      utm: null,
      broken: null,
    };
    t.deepEqual<object, object>({...link}, record);
    redirects(t, await site.visit(shortUrl), url);
    const visited = {...record, totalVisits: 1, lastAccessed: '2031-05-06 12:00:00'};
    t.deepEqual<object, object>({...(await links.info('user-42', shortUrl))}, visited);
    for (const [operation, status] of [
      ['disable', 'disabled'],
      ['enable', 'active'],
    ] as const) {
      t.is((await links[operation]('user-42', shortUrl)).status, status);
      t.like(await site.info(shortUrl), {url_id: link.urlId, original_url: url, status});
    }
  });

  const wrong: ReadonlyArray<[wish: CreateLink, failure: Failure]> = [
    [{url: 'javascript:alert(1)'}, 'invalid_url'],
    // Too long for a Location header.
    [{url: `https://destination.example/${'\u4e2d'.repeat(4000)}`}, 'invalid_url'],
    [{url, expiryDate: '2031-05-05'}, 'invalid_expiry_date'],
    [{url, baseDomain: 'unknown.example'}, 'unknown_base_domain'],
    [{url, maxVisits: Number.NaN}, 'malformed_parameter'],
  ];
  test('links.create refuses a wrong field with the code and status of the API', async (t) => {
    const site = await startSite(t, {world});
    for (const [wish, failure] of wrong) await rejects(t, site.shortener.links.create('user-42', wish), failure);
    t.deepEqual(await site.list(), []);
  });

  test('links.stats has the visits of the last 400 days by day (UTC), and the total of all days', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const {shortUrl} = await links.create('user-42', {url});
    for (const at of ['2031-05-06T23:59:59.999Z', '2031-05-07T00:00:00Z', '2031-05-07T00:00:01Z']) {
      site.clock.set(at);
      redirects(t, await site.visit(shortUrl), url);
    }
    const days = [
      {date: '2031-05-06', visits: 1, conversions: 0, values: []},
      {date: '2031-05-07', visits: 2, conversions: 0, values: []},
    ];
    const details = {referrer: [{value: 'direct', visits: 3}]};
    const all = {totalVisits: 3, lastAccessed: '2031-05-07 00:00:01', details, conversions: []};
    for (const [now, left] of [
      ['2031-05-07T00:00:01Z', days],
      // 6 May is 399 days ago.
      ['2032-06-08T12:00:00Z', days],
      ['2032-06-09T00:00:00Z', days.slice(1)],
    ] as const) {
      site.clock.set(now);
      t.deepEqual(await links.stats('user-42', shortUrl), {...all, days: [...left]});
    }
  });

  test('an unknown account is refused by every method', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const {shortUrl} = await links.create('user-42', {url});
    for (const account of ['nobody', '__proto__', 'user-4']) {
      await rejects(t, links.create(account, {url}), 'invalid_api_key');
      await rejects(t, links.update(account, shortUrl, {title: 'x'}), 'invalid_api_key');
      for (const operation of ['disable', 'enable', 'info', 'stats', 'remove'] as const) {
        await rejects(t, links[operation](account, shortUrl), 'invalid_api_key');
      }
      await rejects(t, links.page(account), 'invalid_api_key');
      await rejects(t, collect(links.list(account)), 'invalid_api_key');
      await rejects(t, collect(links.listActive(account)), 'invalid_api_key');
    }
    await site.shortener.accounts.remove('user-42');
    await rejects(t, links.create('user-42', {url}), 'invalid_api_key');
    await rejects(t, links.info('user-42', shortUrl), 'invalid_api_key');
  });

  test('the API can use what the program created, and the other way round', async (t) => {
    const site = await startSite(t, {world});
    const byProgram = await site.shortener.links.create('user-42', {url});
    const byHttp = await site.create();
    t.is((await site.info(byProgram.shortUrl)).url_id, byProgram.urlId);
    t.is((await site.shortener.links.info('user-42', byHttp.short_url)).urlId, byHttp.url_id);
    refused(t, await site.api('create', {url: byProgram.shortUrl}), 'forbidden_url');
  });
}

async function rejects(t: ExecutionContext, promise: Promise<unknown>, failure: Failure): Promise<void> {
  const error = await t.throwsAsync(promise, {instanceOf: ShortUrlError, code: failure});
  t.is((error as ShortUrlError | undefined)?.status, statuses[failure]);
}
