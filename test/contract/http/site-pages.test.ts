import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {Middleware} from 'koa';
import {accepted, isTheHosts, redirects, refused} from '../../support/answers.ts';
import {type Site, startSite} from '../../support/site.ts';
import {warningsOf} from '../../support/warnings.ts';
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

const html = {Accept: 'text/html,application/xhtml+xml'};
const words = Array.from({length: 120}, (_, index) => `word${index}`);

test('a page that a visitor has seen is refused as a short part, in any case, and the refusal names it', async (t) => {
  const site = await startSite(t);
  accepted(t, await create(site, 'contact'));
  isTheHosts(t, await site.request({path: '/about'}), 200, 'About this site');
  for (const word of ['about', 'About']) {
    t.regex(refused(t, await create(site, word), 'invalid_custom_url'), /already has a page at \/[Aa]bout/);
  }
  // The page was seen on one domain only.
  accepted(t, await create(site, 'about', {base_domain: 'sho.rt'}));
  await t.throwsAsync(site.shortener.links.create('user-42', {url: destination, customUrl: 'about'}), {
    code: 'invalid_custom_url',
  });
});

test('where links answer first, no page reserves its name', async (t) => {
  const site = await startSite(t, {world: linksFirst});
  isTheHosts(t, await site.request({path: '/about', headers: html}), 200, 'About this site');
  accepted(t, await create(site, 'about'));
});

test('redirects, refusals, paths without a page, faults and forms reserve nothing', async (t) => {
  const statuses: Record<string, number> = {moved: 301, found: 302, login: 401, denied: 403, broken: 500, cached: 304};
  const site = await startSite(t, {
    downstream(ctx) {
      const status = statuses[ctx.path.slice(1)];
      if (status !== undefined) ctx.status = status;
      if (status === 301 || status === 302) ctx.set('Location', '/elsewhere');
      if (ctx.method === 'POST' && ctx.path === '/subscribe') ctx.status = 204;
    },
  });
  await site.request({path: '/subscribe', method: 'POST'});
  for (const word of ['none', ...Object.keys(statuses)]) await site.request({path: `/${word}`});
  for (const word of ['none', 'subscribe', ...Object.keys(statuses)]) accepted(t, await create(site, word));
});

/** Sites that answer every path, each in another way. */
const walls: Record<string, Middleware> = {
  'a single-page app': everyPath,
  'a single-page app that answers by Accept'(ctx) {
    if (ctx.get('Accept').startsWith('text/html')) ctx.body = 'The app';
  },
  'a single-page app for people with a cookie'(ctx) {
    if (ctx.get('Cookie') !== '') ctx.body = 'The app';
  },
  'a single-page app with files'(ctx) {
    if (!ctx.path.includes('.')) ctx.body = 'The app';
  },
  'a login that remembers the path'(ctx) {
    ctx.redirect(`/login?next=${ctx.path}`);
  },
  'a redirect to other spellings'(ctx) {
    ctx.redirect(`${ctx.path}/index`);
  },
};
for (const [what, downstream] of Object.entries(walls)) {
  for (const [when, world] of [
    ['pages', undefined],
    ['links', linksFirst],
  ] as const) {
    test(`where ${when} answer first, a stranger takes no word away on a site with ${what}`, async (t) => {
      const site = await startSite(t, {downstream, ...(world && {world})});
      for (const word of words.slice(0, 30)) {
        await site.request({path: `/${word}`, headers: {...html, Cookie: 'session=1'}});
        await site.request({path: `/${word}x`, headers: {Accept: 'application/json'}});
        for (const end of ['y', 'yy']) {
          await site.request({path: `/${word}${end}`, headers: {Accept: 'text/html;q=0'}});
        }
        await site.request({path: `/${word}z`, headers: html});
        await site.request({path: `/${word}.z`});
      }
      for (const word of words.slice(0, 30)) accepted(t, await create(site, word));
    });
  }
}

test.serial('a site that answers every path is told once that its links cannot work, and how they can', async (t) => {
  for (const [downstream, count] of [
    [everyPath, 1],
    [undefined, 0],
  ] as const) {
    const site = await startSite(t, {...(downstream && {downstream})});
    const told = await warningsOf(async () => {
      for (const word of words) await site.request({path: `/${word}`, headers: html});
    });
    const told404 = told.filter(({name, code}) => name === 'ShortUrlWarning' && code === 'no_404');
    t.is(told404.length, count);
    for (const {message} of told404) t.regex(message, /defer: false/);
  }
});

test('a page of the site can be shortened although a link of that name exists, if the page answers', async (t) => {
  const site = await startSite(t);
  const link = await site.create({custom_url: 'about'});
  refused(t, await site.api('create', {url: `${site.baseUrl}/about`}), 'forbidden_url');
  isTheHosts(t, await site.visit(link.short_url), 200, 'About this site');
  const short = await site.create({url: `${site.baseUrl}/about`});
  redirects(t, await site.visit(short.short_url), `${site.baseUrl}/about`);
  accepted(t, await site.api('update', {short_url: short.short_url, url: `${site.baseUrl}/about?x=1`}));
});

test('a link behind a page of the site is hidden until it answers', async (t) => {
  let isPage = true;
  const site = await startSite(t, {
    downstream(ctx) {
      if (isPage && ctx.path === '/spring') ctx.body = 'Spring at our site';
    },
  });
  const {short_url} = await site.create({custom_url: 'spring'});
  await site.create({custom_url: 'Spring'});
  const {links} = site.shortener;
  t.is((await links.info('user-42', short_url)).isHidden, undefined);
  isTheHosts(t, await site.visit(short_url), 200, 'Spring at our site');
  t.true((await links.info('user-42', short_url)).isHidden);
  const page = await links.page('user-42');
  t.deepEqual(
    page.links.map((link) => link.isHidden),
    [undefined, true],
  );
  t.notRegex(Object.keys(await site.info(short_url)).join(), /hidden/i);
  isPage = false;
  redirects(t, await site.visit(short_url), destination);
  t.is((await links.info('user-42', short_url)).isHidden, undefined);
});
