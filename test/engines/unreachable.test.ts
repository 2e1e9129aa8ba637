import type {ExecutionContext} from 'ava';
import {shortUrl, type ShortUrlError} from '../../src/index.ts';
import {eachOf} from '../support/engines/each.ts';
import {type Engine, engines, freshOn} from '../support/engines/engines.ts';
import {eventually} from '../support/store/eventually.ts';
import {TcpProxy} from '../support/store/tcp-proxy.ts';
import {isTheHosts, redirects, refused} from '../support/answers.ts';
import {type Site, startSite} from '../support/site.ts';

const destination = 'https://destination.example/page';
/** Milliseconds; far more than a healthy server needs. */
const storeTimeout = 1000;
/** Milliseconds that a busy machine may add. */
const slack = 1000;

/** A site behind a proxy to its store, with one link visited lately and one that was not. */
async function behindProxy(t: ExecutionContext, engine: Engine) {
  const options = await freshOn(engine, t);
  const proxy = await TcpProxy.start(t, Number(new URL(options.store).port));
  const through = {...options, store: proxy.through(options.store), storeTimeout};
  const site = await startSite(t, {shortUrl: through});
  const errors: ShortUrlError[] = [];
  site.shortener.events.on('error', (error) => errors.push(error));
  const seen = await site.create({custom_url: 'seen'});
  const unseen = await site.create({custom_url: 'unseen'});
  redirects(t, await site.visit(seen.short_url), destination);
  return {site, proxy, errors, through, options, seen, unseen};
}

/** Checks that every API call is refused in time, and that no truncated answer counts as one. */
async function isUnavailable(
  t: ExecutionContext,
  site: Site,
  shortUrls: {seen: string; unseen: string},
): Promise<void> {
  for (const [operation, parameters] of [
    ['create', {url: destination}],
    ['create', {url: destination, custom_url: 'during'}],
    ['disable', {short_url: shortUrls.seen}],
    ['enable', {short_url: shortUrls.unseen}],
    ['info', {short_url: shortUrls.seen}],
    ['info', {short_url: `${site.baseUrl}/none`}],
    ['list_active_urls', {}],
  ] as const) {
    const start = performance.now();
    const reply = await site.api(operation, parameters);
    refused(t, reply, 'store_unavailable');
    t.regex(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    t.true(performance.now() - start < storeTimeout + slack, operation);
  }
  for (const path of ['unseen', 'none']) {
    const reply = await site.visit(`${site.baseUrl}/${path}`);
    t.is(reply.status, 503, path);
    t.regex(reply.headers['retry-after'] ?? '', /^[1-9]\d*$/);
  }
  const rejection = await t.throwsAsync(site.shortener.ready(), {code: 'store_unavailable'});
  t.true(rejection.cause instanceof Error);
}

async function hostPagesDoNotWait(t: ExecutionContext, site: Site): Promise<void> {
  const start = performance.now();
  isTheHosts(t, await site.request({path: '/'}), 200, 'Home');
  isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
  isTheHosts(t, await site.request({path: '/no/such/page'}), 404, 'No such page on this site.');
  t.true(performance.now() - start < storeTimeout);
}

/** Checks that the service is back, no refused call has happened, and each visit is counted once. */
async function isWhole(t: ExecutionContext, site: Site, seen: string, visits: number): Promise<void> {
  await eventually(() => site.shortener.ready());
  t.deepEqual(await site.list(), [seen, `${site.baseUrl}/unseen`]);
  await eventually(async () => {
    const {total_visits} = await site.info(seen);
    if (total_visits < visits) throw new Error(`${total_visits} of ${visits} visits`);
  });
  t.is((await site.info(seen)).total_visits, visits);
  t.is((await site.info(seen)).status, 'active');
  t.is((await site.create({custom_url: 'during'})).short_url, `${site.baseUrl}/during`);
  redirects(t, await site.visit(seen), destination);
}

const ways: Record<string, (proxy: TcpProxy) => void | Promise<void>> = {
  'is down': (proxy) => proxy.cut(),
  'does not answer': (proxy) => {
    proxy.silence();
  },
};

const declare = await eachOf(engines.filter(({name}) => ['redis', 'postgres', 'mysql'].includes(name)));
declare((check) => {
  for (const [state, begin] of Object.entries(ways)) {
    check(
      `while the engine ${state}, calls answer 503 in time, and all data is there when it is back`,
      async (t, engine) => {
        const {site, proxy, errors, seen, unseen} = await behindProxy(t, engine);
        await begin(proxy);
        await isUnavailable(t, site, {seen: seen.short_url, unseen: unseen.short_url});
        await hostPagesDoNotWait(t, site);
        for (let visit = 0; visit < 3; visit += 1) redirects(t, await site.visit(seen.short_url), destination);
        t.true(errors.length > 0 && errors.every(({code}) => code === 'store_unavailable'));
        await proxy.mend();
        await isWhole(t, site, seen.short_url, 1 + 3);
      },
    );
  }

  check('visits under way when the connection is cut are redirected, and counted once', async (t, engine) => {
    const {site, proxy, seen} = await behindProxy(t, engine);
    const visits = Promise.all(Array.from({length: 40}, () => site.visit(seen.short_url)));
    await eventually(async () => {
      if (proxy.connections === 0) throw new Error('not connected');
    });
    void proxy.endConnections();
    const replies = await visits;
    for (const reply of replies) t.true(reply.status === 302 || reply.status === 503);
    await eventually(() => site.shortener.ready());
    const redirected = replies.filter(({status}) => status === 302).length;
    await eventually(async () => {
      const {total_visits} = await site.info(seen.short_url);
      if (total_visits < 1 + redirected) throw new Error(`${total_visits} of ${1 + redirected} visits`);
    });
    t.is((await site.info(seen.short_url)).total_visits, 1 + redirected);
  });

  check('a site that starts while the engine is down works when the engine comes', async (t, engine) => {
    const {proxy, through, seen} = await behindProxy(t, engine);
    await proxy.cut();
    const shortener = shortUrl({baseUrl: 'https://example.com', ...through});
    t.teardown(() => shortener.close());
    const errors: ShortUrlError[] = [];
    shortener.events.on('error', (error) => errors.push(error));
    await t.throwsAsync(shortener.ready(), {code: 'store_unavailable'});
    await t.throwsAsync(shortener.links.info('user-42', seen.short_url), {code: 'store_unavailable'});
    t.true(errors.length > 0);
    await proxy.mend();
    await eventually(() => shortener.ready());
    t.is((await shortener.links.info('user-42', seen.short_url)).totalVisits, 1);
  });
});
