import test, {type ExecutionContext} from 'ava';
import {type CreateLink, ShortUrlError} from '../../../src/index.ts';
import {collect} from '../../support/collect.ts';
import {redirects, refused, statuses, type Failure} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const url = 'https://destination.example/page';

/** The programmatic interface does what the HTTP API does. */
export function programmatic(world: World): void {
  // For tests that create nothing.
  const refusing = sharedSite({world});

  test('links.create, info, disable and enable give the record that the API gives', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const link = await links.create('user-42', {
      url,
      customUrl: 'spring',
      expiryDate: '2031-06-07',
      baseDomain: 'sho.rt',
    });
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
    };
    t.deepEqual({...link}, record as typeof link);
    const http = await site.info(link.shortUrl);
    t.is(http.url_id, link.urlId);
    t.is(http.original_url, url);

    redirects(t, await site.visit(link.shortUrl), url);
    const visited = {...record, totalVisits: 1, lastAccessed: '2031-05-06 12:00:00'};
    t.deepEqual({...(await links.info('user-42', link.shortUrl))}, visited as typeof link);
    t.is((await links.disable('user-42', link.shortUrl)).status, 'disabled');
    t.is((await site.info(link.shortUrl)).status, 'disabled');
    t.is((await links.enable('user-42', link.shortUrl)).status, 'active');
    t.is((await site.visit(link.shortUrl)).status, 302);
  });

  const wrong: Record<string, [wish: CreateLink, failure: Failure]> = {
    'no URL': [{url: 'page'}, 'invalid_url'],
    'a javascript: URL': [{url: 'javascript:alert(1)'}, 'invalid_url'],
    'a URL that is too long': [{url: `https://x.example/${'a'.repeat(8192)}`}, 'invalid_url'],
    'an API path': [{url: `https://example.com${world.mount.base}/api/v1/k/shorturl/info`}, 'forbidden_url'],
    'a bad custom URL': [{url, customUrl: 'a+b'}, 'invalid_custom_url'],
    'an empty custom URL': [{url, customUrl: ''}, 'malformed_parameter'],
    'a password that is too long': [{url, password: 'a'.repeat(129)}, 'invalid_password'],
    'a past date': [{url, expiryDate: '2031-05-05'}, 'invalid_expiry_date'],
    'no date': [{url, expiryDate: '2031-02-30'}, 'invalid_expiry_date'],
    'a domain with a scheme': [{url, baseDomain: 'https://sho.rt'}, 'invalid_base_domain'],
    'a title that is too long': [{url, title: 'x'.repeat(201)}, 'malformed_parameter'],
    'an empty tag': [{url, tags: ['a', '']}, 'malformed_parameter'],
    'no limit at all': [{url, maxVisits: Number.NaN}, 'malformed_parameter'],
    'a limit of nothing': [{url, maxVisits: 0}, 'malformed_parameter'],
    'an unknown domain': [{url, baseDomain: 'unknown.example'}, 'unknown_base_domain'],
  };
  for (const [what, [wish, failure]] of Object.entries(wrong)) {
    test(`links.create refuses ${what} with the code and status of the API`, async (t) => {
      const site = await refusing();
      await rejects(t, site.shortener.links.create('user-42', wish), failure);
      t.deepEqual(await site.list(), []);
    });
  }

  test('links.stats has the visits of the last 400 days by day (UTC), and the total of all days', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const {shortUrl} = await links.create('user-42', {url});
    t.deepEqual(await links.stats('user-42', shortUrl), {
      totalVisits: 0,
      lastAccessed: null,
      days: [],
      details: {},
      conversions: [],
    });
    const visit = async (at: string): Promise<void> => {
      site.clock.set(at);
      t.is((await site.visit(shortUrl)).status, 302);
    };
    for (const at of ['2031-05-06T23:59:59.999Z', '2031-05-07T00:00:00Z', '2031-05-07T00:00:01Z']) await visit(at);
    t.is((await site.visit(shortUrl, {method: 'HEAD'})).status, 302);
    const days = [
      {date: '2031-05-06', visits: 1, conversions: 0},
      {date: '2031-05-07', visits: 2, conversions: 0},
    ];
    const lastAccessed = '2031-05-07 00:00:01';
    const details = {referrer: [{value: 'direct', visits: 3}]};
    t.deepEqual(await links.stats('user-42', shortUrl), {totalVisits: 3, lastAccessed, days, details, conversions: []});
    t.is((await site.info(shortUrl)).total_visits, 3);
    site.clock.set('2032-06-08T12:00:00Z');
    t.deepEqual((await links.stats('user-42', shortUrl)).days, days, '6 May is 399 days ago');
    site.clock.set('2032-06-09T00:00:00Z');
    t.deepEqual(await links.stats('user-42', shortUrl), {
      ...{totalVisits: 3, lastAccessed, details, conversions: []},
      days: days.slice(1),
    });
  });

  test('links.update, remove, page and list do what the API does', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const {shortUrl, urlId} = await links.create('user-42', {url, title: 'Spring', tags: ['mail'], maxVisits: 5});
    const other = await site.create();
    const changes = {
      url: `${url}/new`,
      password: null,
      title: null,
      tags: ['a', 'b'],
      maxVisits: 9,
      expiryDate: '2031-06-07',
    };
    const updated = await links.update('user-42', shortUrl, changes);
    t.like(updated, {originalUrl: `${url}/new`, title: null, tags: ['a', 'b'], maxVisits: 9, hasPassword: false});
    t.deepEqual(await links.info('user-42', shortUrl), updated);
    redirects(t, await site.visit(shortUrl), `${url}/new`);

    const {links: found, nextCursor} = await links.page('user-42', {limit: 1});
    t.deepEqual([found.map((link) => link.shortUrl), typeof nextCursor], [[other.short_url], 'string']);
    const next = await links.page('user-42', {limit: 1, cursor: nextCursor});
    t.deepEqual([next.links.map((link) => link.shortUrl), next.nextCursor], [[shortUrl], undefined]);
    t.deepEqual(await collect(links.list('user-42', {tag: 'b'})), [await links.info('user-42', shortUrl)]);
    t.is((await collect(links.list('user-42', {search: 'NEW', status: 'active'}))).length, 1);

    t.deepEqual(await links.remove('user-42', shortUrl), {urlId, shortUrl, status: 'removed'});
    await rejects(t, links.info('user-42', shortUrl), 'unknown_short_url');
    t.is((await site.visit(shortUrl)).status, 410);
    t.deepEqual(await site.list(), [other.short_url]);
  });

  test('an unknown account is refused by every method', async (t) => {
    const site = await startSite(t, {world});
    const {links} = site.shortener;
    const {shortUrl} = await links.create('user-42', {url});
    for (const account of ['nobody', '__proto__', 'user-4']) {
      await rejects(t, links.create(account, {url}), 'invalid_api_key');
      await rejects(t, links.disable(account, shortUrl), 'invalid_api_key');
      await rejects(t, links.enable(account, shortUrl), 'invalid_api_key');
      await rejects(t, links.info(account, shortUrl), 'invalid_api_key');
      await rejects(t, links.stats(account, shortUrl), 'invalid_api_key');
      await rejects(t, links.update(account, shortUrl, {title: 'x'}), 'invalid_api_key');
      await rejects(t, links.remove(account, shortUrl), 'invalid_api_key');
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
