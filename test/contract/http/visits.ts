import test from 'ava';
import {accepted, isTheHosts, redirects} from '../../support/answers.ts';
import {sharedSite, startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';

/** Visiting a short URL. */
export function visits(world: World): void {
  // For tests that create links and do not look at others.
  const making = sharedSite({world});
  // For tests that create nothing.
  const refusing = sharedSite({world});

  test('a visit is redirected with 302, which neither browsers nor proxies may cache', async (t) => {
    const site = await making();
    const link = await site.create();
    const reply = await site.visit(link.short_url);
    redirects(t, reply, destination);
    t.is(reply.headers['referrer-policy'], undefined);
    t.is(reply.headers['set-cookie'], undefined);
  });

  for (const status of [301, 302, 307, 308] as const) {
    test(`redirectStatus ${status} redirects with ${status}, uncached as well`, async (t) => {
      const site = await startSite(t, {world, shortUrl: {redirectStatus: status}});
      const link = await site.create();
      redirects(t, await site.visit(link.short_url), destination, status);
      t.is((await site.info(link.short_url)).total_visits, 1);
    });
  }

  test('HEAD answers the headers of GET without a body and counts no visit', async (t) => {
    const site = await making();
    const link = await site.create();
    const head = await site.visit(link.short_url, {method: 'HEAD'});
    redirects(t, head, destination);
    t.is(head.text, '');
    t.is((await site.info(link.short_url)).total_visits, 0);

    const get = await site.visit(link.short_url);
    for (const name of ['location', 'cache-control', 'content-type', 'vary', 'referrer-policy']) {
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

  const prefetches: Array<Record<string, string>> = [
    {'Sec-Purpose': 'prefetch'},
    {'Sec-Purpose': 'prefetch;prerender'},
    {Purpose: 'prefetch'},
    {'X-Purpose': 'preview'},
    {'X-Moz': 'prefetch'},
  ];
  for (const headers of prefetches) {
    test(`a prefetch (${JSON.stringify(headers)}) is not counted`, async (t) => {
      const site = await making();
      const link = await site.create();
      const reply = await site.visit(link.short_url, {headers: headers});
      t.true(reply.status < 500);
      const info = await site.info(link.short_url);
      t.is(info.total_visits, 0);
      t.is(info.last_accessed, null);
    });
  }

  test('countVisit decides which visits are counted', async (t) => {
    const site = await startSite(t, {world, shortUrl: {countVisit: (ctx) => !ctx.get('User-Agent').includes('bot')}});
    const link = await site.create();
    redirects(t, await site.visit(link.short_url, {headers: {'User-Agent': 'somebot/1.0'}}), destination);
    t.is((await site.info(link.short_url)).total_visits, 0);
    redirects(t, await site.visit(link.short_url, {headers: {'User-Agent': 'browser'}}), destination);
    t.is((await site.info(link.short_url)).total_visits, 1);
  });

  test('a fault in countVisit does not stop the redirect, and is reported', async (t) => {
    const fault = new Error('the rule is broken');
    const site = await startSite(t, {
      world,
      shortUrl: {
        countVisit() {
          throw fault;
        },
      },
    });
    const causes: unknown[] = [];
    site.shortener.events.on('error', (error) => causes.push(error.cause));
    const link = await site.create();
    redirects(t, await site.visit(link.short_url), destination);
    t.deepEqual(causes, [fault]);
  });

  test('an unknown short part shows the host’s own 404 page', async (t) => {
    const site = await startSite(t, {world});
    await site.create({custom_url: 'spring'});
    for (const part of ['none', 'Spring', 'sprin', 'springs', 'spring/more', '__proto__', 'x'.repeat(64)]) {
      isTheHosts(t, await site.visit(`${site.baseUrl}/${part}`), 404, world.mount.notFound);
    }
  });

  for (const part of [
    'x'.repeat(65),
    'x'.repeat(5000),
    'a.b',
    '%',
    '%zz',
    '%FF',
    '%00',
    'a%2Fb',
    '%C3%A4',
    '\\',
    "'",
    '-/-',
    '//',
    '..',
  ]) {
    test(`a path that cannot be a short part (${part.length > 20 ? `${part.length} characters` : part}) shows the host’s own 404 page`, async (t) => {
      const site = await refusing();
      const path = Buffer.from(`${site.base}/${part}`).toString('latin1');
      isTheHosts(t, await site.request({path}), 404, world.mount.notFound);
    });
  }

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

  test('a client that prefers JSON gets the 410 in JSON', async (t) => {
    const site = await making();
    const link = await site.create();
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    const reply = await site.visit(link.short_url, {headers: {Accept: 'application/json'}});
    t.is(reply.status, 410);
    t.regex(reply.headers['content-type'] ?? '', /^application\/json\b/);
    t.is(typeof reply.json(), 'object');
    t.notRegex(reply.text, /destination\.example/);
  });

  test('pages.gone replaces the page of links that no longer work', async (t) => {
    const site = await startSite(t, {
      world,
      shortUrl: {pages: {gone: () => '<!doctype html><p>Gone with the wind</p>'}},
    });
    const link = await site.create();
    accepted(t, await site.api('disable', {short_url: link.short_url}));
    const reply = await site.visit(link.short_url);
    t.is(reply.status, 410);
    t.is(reply.text, '<!doctype html><p>Gone with the wind</p>');
  });
}
