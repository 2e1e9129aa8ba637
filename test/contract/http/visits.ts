import test from 'ava';
import {accepted, isTheHosts, redirects} from '../../support/answers.ts';
import type {VisitedLink} from '../../../src/index.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import {arriving, type World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** Visiting a short URL. */
export function visits(world: World): void {
  const making = sharedSite({world});

  test('a visit is redirected with 302, which neither browsers nor proxies may cache', async (t) => {
    const site = await making();
    const link = await site.create();
    const reply = await site.visit(link.short_url);
    redirects(t, reply, destination);
    t.is(reply.headers['referrer-policy'], undefined);
    t.is(reply.headers['set-cookie'], undefined);
  });

  test('redirectStatus sets the status of redirects, which are uncached as well', async (t) => {
    for (const status of [301, 307, 308] as const) {
      const site = await startSite(t, {world, shortUrl: {redirectStatus: status}});
      redirects(t, await site.visit((await site.create()).short_url), destination, status);
    }
  });

  test('HEAD answers the headers of GET without a body and counts no visit', async (t) => {
    const site = await making();
    const link = await site.create({confirm: 'false'});
    const head = await site.visit(link.short_url, {method: 'HEAD'});
    redirects(t, head, destination);
    t.is(head.text, '');
    t.is((await site.info(link.short_url)).total_visits, 0);

    const get = await site.visit(link.short_url);
    for (const name of ['location', 'cache-control', 'content-length', 'content-type', 'vary', 'referrer-policy']) {
      t.is(head.headers[name], get.headers[name], name);
    }
    t.is((await site.info(link.short_url)).total_visits, 1);
  });

  test('every GET is counted, one by one and concurrently, and is stored before it is answered', async (t) => {
    const site = await making();
    const link = await site.create();
    const other = await site.create();
    for (let visit = 1; visit <= 3; visit++) {
      redirects(t, await site.visit(link.short_url), destination);
      t.is((await site.info(link.short_url)).total_visits, visit);
    }
    await Promise.all(Array.from({length: 25}, async () => site.visit(link.short_url)));
    t.is((await site.info(link.short_url)).total_visits, 28);
    t.is((await site.info(other.short_url)).total_visits, 0);
  });

  test('a prefetch of any link gets nothing that a click could use, and the click after it counts', async (t) => {
    const site = await startSite(t, {world, shortUrl: {attribution: {}}});
    const headers = {'Sec-Purpose': 'prefetch;prerender'};
    const {short_url} = await site.create();
    const off = await site.create();
    await site.api('disable', {short_url: off.short_url});
    const expiredUrl = 'https://destination.example/over';
    const ended = await site.create({expiry_date: '2031-05-06', expired_url: expiredUrl});
    const links = [
      short_url,
      `${short_url}.`,
      `${short_url}+`,
      (await site.create({password: 's3cret'})).short_url,
      (await site.create({max_visits: '1'})).short_url,
      (await site.create({preview_title: 'Spring'})).short_url,
      off.short_url,
      ended.short_url,
    ];
    site.clock.set('2031-05-07T12:00:00Z');
    for (const link of links) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const isForm = method === 'POST';
        const reply = await (isForm ? site.submit(link, 's3cret', {headers}) : site.visit(link, {method, headers}));
        if (isForm && reply.text === world.mount.notFound) continue;
        t.is(reply.status, 503, `${method} ${link}`);
        t.is(reply.text, '');
        t.is(reply.headers['cache-control'], 'no-store');
        for (const name of ['location', 'set-cookie', 'retry-after', 'content-type'])
          t.is(reply.headers[name], undefined);
      }
    }
    t.like(await site.info(short_url), {total_visits: 0, last_accessed: null});
    redirects(t, await site.visit(short_url), destination);
    t.like(await site.info(short_url), {total_visits: 1});
  });

  test('a prefetch of a page of the site is the site’s', async (t) => {
    const site = await making();
    const headers = {'Sec-Purpose': 'prefetch'};
    isTheHosts(t, await site.request({path: `${site.base}/nothing`, headers}), 404, world.mount.notFound);
    t.is((await site.request({path: `${site.base}/about`, headers})).status, 200);
  });

  test('countVisit decides which visits are counted, in place of the list of bots', async (t) => {
    const site = await startSite(t, {world, shortUrl: {countVisit: (ctx) => ctx.get('User-Agent').includes('bot')}});
    const {short_url} = await site.create();
    for (const agent of ['Googlebot/2.1', 'Mozilla/5.0 Firefox/140.0']) {
      redirects(t, await site.visit(short_url, {headers: {'User-Agent': agent}}), destination);
      t.is((await site.info(short_url)).total_visits, 1, agent);
    }
  });

  test('countVisit gets the link of each visit that would count, without its statistics', async (t) => {
    const asked: VisitedLink[] = [];
    const site = await startSite(t, {
      world,
      shortUrl: {
        countVisit: (_ctx, link) => {
          asked.push(link);
          return !link.tags.includes('own');
        },
      },
    });
    const mail = await site.create({reference: 'april:17', title: 'April'});
    const own = await site.create({tags: 'own', password: 's3cret'});
    const over = await site.create({custom_url: 'over'});
    accepted(t, await site.api('disable', {short_url: over.short_url}));
    const link = {shortUrl: mail.short_url, reference: 'april:17', title: 'April', status: 'active'} as const;

    // The second visit finds the link in the cache.
    for (let visits = 1; visits <= 2; visits += 1) {
      redirects(t, await site.visit(mail.short_url), destination);
      t.like(asked.pop(), link);
      t.is((await site.info(mail.short_url)).total_visits, visits);
    }
    for (const ask of [{method: 'HEAD'}, {headers: {'Sec-Purpose': 'prefetch'}}]) await site.visit(mail.short_url, ask);
    await site.visit(over.short_url);
    await site.visit(own.short_url);
    t.deepEqual(asked, []);

    redirects(t, await site.submit(own.short_url, 's3cret'), destination, 303);
    t.like(asked[0], {shortUrl: own.short_url, tags: ['own'], hasPassword: true});
    t.false('totalVisits' in (asked[0] ?? {}));
    t.is((await site.info(own.short_url)).total_visits, 0);
  });

  test('an unknown short part, and a path that cannot be one, show the host’s own 404 page', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'spring'});
    const unknown = ['none', 'Spring', 'sprin', 'springs', 'spring/more', '__proto__', 'x'.repeat(64)];
    const others = ['a.b', '%', '%zz', '%FF', '%00', 'a%2Fb', '%C3%A4', '\\', "'", '-/-', '//', '..'];
    for (const part of arriving(world, [...unknown, ...others, 'x'.repeat(65), 'x'.repeat(5000)])) {
      isTheHosts(t, await site.request({path: `${site.base}/${part}`}), 404, world.mount.notFound);
    }
  });

  test('a disabled link answers 410 with a small page that does not name the destination', async (t) => {
    const site = await making();
    const link = await site.create();
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    const reply = await site.visit(link.short_url, {headers: {Accept: 'text/html,*/*;q=0.8'}});
    t.is(reply.status, 410);
    t.regex(reply.headers['content-type'] ?? '', /^text\/html\b/);
    t.regex(reply.headers['cache-control'] ?? '', /no-store/);
    t.is(reply.headers.location, undefined);
    t.regex(reply.text, /<html/i);
    t.notRegex(reply.text, /destination\.example|<script/i);
    t.true(reply.text.length < 10_000);
    t.is((await site.info(link.short_url)).total_visits, 0);
  });
}
