import '../../support/quick-scrypt.ts';
import Router from '@koa/router';
import test, {type ExecutionContext} from 'ava';
import type {Context, Middleware} from 'koa';
import type {RenderPage} from '../../../src/index.ts';
import {redirects, visitorPages} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import {memory, type Mount, mounts} from '../../support/worlds.ts';

test('a password form reaches its link although the host has a GET page for every name', async (t) => {
  const router = new Router();
  router.get('/:page', (ctx: Context) => ctx.throw(404));
  const site = await startSite(t, {
    downstream: async (ctx, next) => {
      await router.routes()(ctx as never, async () => router.allowedMethods()(ctx as never, next) as Promise<void>);
    },
  });
  const link = await site.create({password: 's3cret'});
  t.is((await site.visit(link.short_url)).status, 200);
  redirects(t, await site.submit(link.short_url, 's3cret'), link.original_url, 303);
  // Without a link the host's own answer stays.
  t.is((await site.submit('https://example.com/nothing', 's3cret')).status, 405);
});

test('a stream of the host is cancelled when a link answers instead', async (t) => {
  let isCancelled = false;
  const site = await startSite(t, {
    downstream: (ctx) => {
      ctx.body = new ReadableStream({
        cancel: () => {
          isCancelled = true;
        },
      });
      ctx.status = 404;
      ctx.set('CDN-Cache-Control', 'max-age=600');
    },
  });
  const link = await site.create();
  const reply = await site.visit(link.short_url);
  redirects(t, reply, link.original_url);
  t.true(isCancelled);
  t.is(reply.headers['cdn-cache-control'], undefined);
});

test('no answer keeps headers with which the host lets caches store its own pages', async (t) => {
  const names = ['cdn-cache-control', 'x-vendor-cache-control', 'surrogate-control', 'x-accel-expires', 'expires'];
  const mount = behind(async (ctx, next) => {
    for (const name of names) ctx.set(name, 'max-age=600');
    ctx.set('X-Frame-Options', 'DENY');
    await next();
  });
  const site = await startSite(t, {world: {mount, backend: memory}});
  const link = await site.create();
  const gone = await site.create();
  await site.api('disable', {short_url: gone.short_url});
  const list = await site.api('list_active_urls', {}, {suffix: '.xml'});
  // Without chunks a list that breaks off would look complete.
  t.is(list.headers['transfer-encoding'], 'chunked');
  for (const {headers} of [
    await site.api('info', {short_url: link.short_url}),
    list,
    await site.api('list_active_urls', {}, {key: 'wrong'}),
    await site.visit(link.short_url),
    await site.visit(gone.short_url),
  ]) {
    t.deepEqual(
      names.filter((name) => headers[name] !== undefined),
      [],
    );
    t.regex(String(headers['cache-control']), /no-store/);
    t.is(headers['x-frame-options'], 'DENY');
  }
  const page = await site.request({path: '/about'});
  for (const name of names) t.is(page.headers[name], 'max-age=600');
});

test('redirects are not indexed by search engines, unless the host decides otherwise', async (t) => {
  for (const [given, expected] of [
    [undefined, 'noindex'],
    ['all', 'all'],
  ]) {
    const mount = behind(async (ctx, next) => {
      if (given !== undefined) ctx.set('X-Robots-Tag', given);
      await next();
    });
    const site = await startSite(t, {world: {mount, backend: memory}});
    const {short_url} = await site.create();
    const locked = await site.create({password: 's3cret'});
    const ended = await site.create({expiry_date: '2031-05-06', expired_url: 'https://destination.example/over'});
    site.clock.set('2031-05-07T12:00:00Z');
    for (const {status, headers} of [
      await site.visit(short_url),
      await site.visit(short_url, {method: 'HEAD'}),
      await site.submit(locked.short_url, 's3cret'),
      await site.visit(ended.short_url),
    ]) {
      t.true(status === 302 || status === 303);
      t.is(headers['x-robots-tag'], expected);
    }
  }
});

/** The usual site with a middleware before the shortener. */
function behind(first: Middleware): Mount {
  const usual = mounts['at the root on Koa 3'];
  return {
    ...usual,
    assemble(app, shortener, downstream) {
      usual.assemble(app.use(first), shortener, downstream);
    },
  };
}

/** The policies of the three pages of a site that has its own ones, after a middleware has set `sitePolicy`. */
async function policiesOfOwnPages(t: ExecutionContext, own: RenderPage<object>, sitePolicy?: string | string[]) {
  const mount = behind(async (ctx, next) => {
    if (sitePolicy !== undefined) ctx.set('Content-Security-Policy', sitePolicy);
    await next();
  });
  const pages = {password: own, gone: own, unavailable: own};
  const site = await startSite(t, {world: {mount, backend: memory}, shortUrl: {passwordAttempts: 1, pages}});
  const replies = await visitorPages(t, site);
  for (const {headers} of replies) t.is(headers['x-frame-options'], 'DENY');
  return new Set(replies.map(({headers}) => headers['content-security-policy']));
}

const html = (): string => '<!doctype html><link rel="stylesheet" href="/site.css"><h1>Low Tide</h1>';

test("the policy of the site's own pages restricts frames, the base and forms, and not what they load", async (t) => {
  const expected = "form-action 'self' http: https:; base-uri 'self'; frame-ancestors 'none'";
  t.deepEqual(await policiesOfOwnPages(t, html), new Set([expected]));
});

test("own pages keep the policy of the site, except that a form's redirect may lead to any site", async (t) => {
  const kept = "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'";
  // Every policy must allow what a page does, so the page cannot be framed.
  const none = "frame-ancestors 'none'";
  const open = "form-action 'self' http: https:";
  const cases: Array<[given: string | string[], expected: string]> = [
    [kept, kept],
    ["default-src 'self';form-action 'self';style-src https:", `default-src 'self';${open};style-src https:`],
    [
      ["default-src 'self'; Form-Action 'none'", "form-action 'self', img-src *"],
      `default-src 'self'; ${open}, ${open}, img-src *`,
    ],
  ];
  for (const [given, expected] of cases) {
    t.deepEqual(await policiesOfOwnPages(t, html, given), new Set([`${expected}, ${none}`]));
  }
});

test('a page of the host that returns no HTML is replaced by the built-in one, and reported', async (t) => {
  const gone: RenderPage<object> = (_, ctx) => {
    ctx.set('Content-Security-Policy', 'default-src *');
    return undefined as unknown as string;
  };
  const site = await startSite(t, {shortUrl: {pages: {gone}}});
  const errors: string[] = [];
  site.shortener.events.on('error', ({code}) => errors.push(code));
  const {short_url} = await site.create();
  await site.api('disable', {short_url});
  const {status, text, headers} = await site.visit(short_url);
  t.is(status, 410);
  t.regex(text, /no longer works/);
  t.is(headers.vary, 'Accept, Accept-Language');
  t.regex(String(headers['content-security-policy']), /^default-src 'none';/);
  t.deepEqual(errors, ['internal_error']);
});
