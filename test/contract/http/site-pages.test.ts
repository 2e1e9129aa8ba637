import '../../support/quick-scrypt.ts';
import test from 'ava';
import Router from '@koa/router';
import type {Middleware} from 'koa';
import {accepted, isTheHosts, redirects, refused} from '../../support/answers.ts';
import {type Site, startSite} from '../../support/site.ts';
import {memory, mounts, type World} from '../../support/worlds.ts';

const linksFirst: World = {mount: mounts['with defer: false'], backend: memory};
const destination = 'https://destination.example/page';

/** Answers every path, as the server of a single-page app does. */
const everyPath: Middleware = (ctx) => {
  ctx.body = 'The app';
};

async function create(site: Site, custom_url: string, rest: Record<string, string> = {}) {
  return site.api('create', {url: destination, custom_url, ...rest});
}

for (const [when, world] of [
  ['pages', undefined],
  ['links', linksFirst],
] as const) {
  const options = world === undefined ? {} : {world};

  test(`where ${when} answer first, a page that a visitor has seen is refused as a short part, in any case`, async (t) => {
    const site = await startSite(t, options);
    accepted(t, await create(site, 'contact'));
    isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
    for (const word of ['about', 'About']) refused(t, await create(site, word), 'invalid_custom_url');
    // The page was seen on one domain only.
    accepted(t, await create(site, 'about', {base_domain: 'sho.rt'}));
    await t.throwsAsync(site.shortener.links.create('user-42', {url: destination, customUrl: 'about'}), {
      code: 'invalid_custom_url',
    });
  });

  for (const status of [301, 302, 401, 403]) {
    test(`where ${when} answer first, a path that the site has answered with ${status} is refused as well`, async (t) => {
      const site = await startSite(t, {
        ...options,
        async downstream(ctx, next) {
          await next();
          if (ctx.path !== '/private') return;
          ctx.status = status;
          if (status < 400) ctx.set('Location', '/login?next=/private');
        },
      });
      t.is((await site.request({path: '/private'})).status, status);
      refused(t, await create(site, 'private'), 'invalid_custom_url');
    });
  }

  test(`where ${when} answer first, a page that has not changed since, and one with choices, are pages`, async (t) => {
    const site = await startSite(t, {
      ...options,
      downstream(ctx) {
        if (ctx.path === '/cached') ctx.status = 304;
        if (ctx.path === '/choices') ctx.status = 300;
      },
    });
    t.is((await site.request({path: '/cached'})).status, 304);
    t.is((await site.request({path: '/choices'})).status, 300);
    for (const word of ['cached', 'choices']) refused(t, await create(site, word), 'invalid_custom_url');
  });

  test(`where ${when} answer first, paths without a page, faults and forms reserve nothing`, async (t) => {
    const site = await startSite(t, {
      ...options,
      downstream(ctx) {
        if (ctx.path === '/broken') ctx.status = 500;
        if (ctx.method === 'POST' && ctx.path === '/subscribe') ctx.status = 204;
      },
    });
    for (const path of ['/none', '/broken']) await site.request({path});
    await site.request({path: '/subscribe', method: 'POST'});
    for (const word of ['none', 'broken', 'subscribe']) accepted(t, await create(site, word));
  });

  test(`where ${when} answer first, a stranger cannot reserve words on a site that answers every path`, async (t) => {
    const site = await startSite(t, {...options, downstream: everyPath});
    for (let count = 0; count < 1200; count += 1) {
      isTheHosts(t, await site.request({path: `/word${count}`}), 200, 'The app');
    }
    for (const word of ['word0', 'word700', 'word1199']) accepted(t, await create(site, word));
  });

  test(`where ${when} answer first, a stranger cannot reserve words behind a login wall`, async (t) => {
    let isWall = false;
    const site = await startSite(t, {
      ...options,
      async downstream(ctx, next) {
        if (isWall && ctx.path !== '/about') ctx.redirect(`/login?next=${ctx.path}`);
        else await next();
      },
    });
    isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
    for (let count = 0; count < 100; count += 1) await site.request({path: `/none${count}`});
    isWall = true;
    for (let count = 0; count < 100; count += 1) t.is((await site.request({path: `/word${count}`})).status, 302);
    for (const word of ['word0', 'word99']) accepted(t, await create(site, word));
    refused(t, await create(site, 'about'), 'invalid_custom_url');
  });

  test(`where ${when} answer first, a site with many pages keeps them once as many paths had none`, async (t) => {
    const site = await startSite(t, {
      ...options,
      downstream(ctx) {
        if (ctx.path.startsWith('/page')) ctx.body = 'A page';
      },
    });
    for (let count = 0; count < 60; count += 1) await site.request({path: `/page${count}`});
    for (let count = 0; count < 60; count += 1) await site.request({path: `/none${count}`});
    for (const word of ['page0', 'page59']) refused(t, await create(site, word), 'invalid_custom_url');
    accepted(t, await create(site, 'none0'));
  });
}

test('a page of the site can be shortened although a link of that name exists, if the page answers', async (t) => {
  const site = await startSite(t);
  const link = await site.create({custom_url: 'about'});
  refused(t, await site.api('create', {url: `${site.baseUrl}/about`}), 'forbidden_url');
  isTheHosts(t, await site.visit(link.short_url), 200, 'About this site');
  const short = await site.create({url: `${site.baseUrl}/about`});
  redirects(t, await site.visit(short.short_url), `${site.baseUrl}/about`);
  accepted(t, await site.api('update', {short_url: short.short_url, url: `${site.baseUrl}/about?x=1`}));
});

test('where links answer first, a link of the name of a page stays forbidden as a destination', async (t) => {
  const site = await startSite(t, {world: linksFirst});
  const link = await site.create({custom_url: 'about'});
  redirects(t, await site.visit(link.short_url), destination);
  refused(t, await site.api('create', {url: `${site.baseUrl}/about`}), 'forbidden_url');
});

test('a page can be shortened after the link of its name was removed', async (t) => {
  const site = await startSite(t);
  const link = await site.create({custom_url: 'about'});
  accepted(t, await site.api('remove', {short_url: link.short_url}));
  isTheHosts(t, await site.visit(link.short_url), 200, 'About this site');
  accepted(t, await site.api('create', {url: link.short_url}));
});

test('a link behind a page of the site is hidden until it answers', async (t) => {
  let isPage = true;
  const site = await startSite(t, {
    downstream(ctx) {
      if (isPage && ctx.path === '/spring') ctx.body = 'Spring at our site';
    },
  });
  const {short_url} = await site.create({custom_url: 'spring'});
  const other = await site.create({custom_url: 'Spring'});
  const {links} = site.shortener;
  t.is((await links.info('user-42', short_url)).isHidden, undefined);
  isTheHosts(t, await site.visit(short_url), 200, 'Spring at our site');
  t.true((await links.info('user-42', short_url)).isHidden);
  const page = await links.page('user-42');
  t.deepEqual(
    page.links.map((link) => [link.shortUrl, link.isHidden]),
    [
      [other.short_url, undefined],
      [short_url, true],
    ],
  );
  t.deepEqual(
    Object.keys(await site.info(short_url)).filter((name) => /hidden/i.test(name)),
    [],
  );
  isPage = false;
  redirects(t, await site.visit(short_url), destination);
  t.is((await links.info('user-42', short_url)).isHidden, undefined);
});

test('strings and routers are reserved together, with routes and prefixes that are set later, also below a path', async (t) => {
  const shop = new Router();
  const help = new Router();
  const site = await startSite(t, {
    shortUrl: {reserved: ['sitemap', shop, help], baseDomains: ['https://example.org/x']},
  });
  accepted(t, await create(site, 'early'));
  shop.get('/cart', () => undefined);
  refused(t, await create(site, 'cart'), 'invalid_custom_url');
  shop.prefix('/shop');
  help.get('/x/faq', () => undefined);
  for (const word of ['sitemap', 'shop', 'faq']) refused(t, await create(site, word), 'invalid_custom_url');
  accepted(t, await create(site, 'cart'));
});
