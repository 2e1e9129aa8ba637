import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {Middleware} from 'koa';
import mount from 'koa-mount';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {open, type StageOptions} from '../../support/dashboard.ts';
import {warningsOf} from '../../support/warnings.ts';

const url = 'https://destination.example/page';

async function isRefused(shortener: ReturnType<typeof shortUrl>, customUrl: string): Promise<boolean> {
  try {
    await shortener.links.create('ann', {url, customUrl});
    return false;
  } catch (error) {
    if ((error as {code?: unknown}).code !== 'invalid_custom_url') throw error;
    return true;
  }
}

const places: Record<string, [options: StageOptions, reserved: string[]]> = {
  'at a path': [{}, ['links', 'LINKS']],
  'where links answer first': [{shortUrl: {defer: false}}, ['links']],
  'at a deep path': [{dashboard: {path: '/my/links'}, path: '/my/links'}, ['my']],
  'at the root': [{dashboard: {path: '/'}, path: ''}, ['link', 'operator', 'reference', 'create', 'unblock']],
};
for (const [where, [options, words]] of Object.entries(places)) {
  test(`${where} the dashboard reserves its own path`, async (t) => {
    const {shortener, visitor} = await open(t, options);
    for (const word of words) t.true(await isRefused(shortener, word), word);
    t.false(await isRefused(shortener, 'spring'));
    t.is((await visitor('ann').get()).status, 200);
  });
}

test('several dashboards reserve their paths, also below the path of baseUrl', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com/s', store: 'memory:'});
  await shortener.accounts.create('ann');
  dashboard(shortener, {path: '/s/links', account: () => 'ann'});
  dashboard(shortener, {path: '/mine', account: () => 'ann'});
  for (const word of ['links', 'mine']) t.true(await isRefused(shortener, word), word);
});

test('a dashboard that fills a mount reserves its path after the first request', async (t) => {
  const {shortener, visitor} = await open(t, {
    dashboard: {path: '/'},
    path: '/mine',
    shortUrl: {defer: false},
    assemble: (app, parts) => void app.use(parts.shortener).use(mount('/mine', parts.pages)),
  });
  t.is((await visitor('ann').get()).status, 200);
  t.true(await isRefused(shortener, 'mine'));
});

for (const defer of [true, false]) {
  test.serial(`a dashboard that was added after listen prints one warning, with defer: ${defer}`, async (t) => {
    const {visitor} = await open(t, {
      shortUrl: {defer},
      assemble(app, {shortener, pages}) {
        app.use(shortener);
        const listener = app.callback();
        app.use(pages);
        return (request, response) => void listener(request, response);
      },
    });
    const warnings = await warningsOf(async () => {
      for (const address of ['', '../links']) t.is((await visitor('ann').get(address)).status, 404);
    });
    t.deepEqual(
      warnings.map(({code}) => code),
      ['unreached_dashboard'],
    );
  });
}

const session: Middleware = async function session(ctx, next) {
  Object.assign(ctx, {session: {user: 'ann'}});
  await next();
};
const callbacks: Record<string, (ctx: {session?: {user?: string}}) => string | undefined> = {
  'finds nobody': (ctx) => ctx.session?.user,
  fails: (ctx) => (ctx.session as {user: string}).user,
};
for (const [what, account] of Object.entries(callbacks)) {
  test.serial(`a dashboard before the session prints one warning if its option account ${what}`, async (t) => {
    const {visitor} = await open(t, {
      dashboard: {account: account as never},
      assemble: (app, {shortener, pages}) => void app.use(shortener).use(pages).use(session),
    });
    const warnings = await warningsOf(async () => {
      for (let times = 0; times < 2; times += 1) t.not((await visitor().get()).status, 200);
    });
    t.deepEqual(
      warnings.map(({code}) => code),
      ['dashboard_before_session'],
    );
    t.regex(String(warnings[0]?.message), /`session` comes behind the dashboard/);
  });
}

test.serial('a visitor who is not logged in prints no warning', async (t) => {
  const {visitor} = await open(t, {
    dashboard: {account: ((ctx: {session?: {user?: string}}) => ctx.session?.user) as never},
    assemble: (app, {shortener, pages}) =>
      void app
        .use(shortener)
        .use(async function session(ctx, next) {
          Object.assign(ctx, {session: {}});
          await next();
        })
        .use(pages),
  });
  t.deepEqual(await warningsOf(() => visitor().get()), []);
});

test('the owner sees that a page of the site hides a link, in the list and on its page', async (t) => {
  const {origin, shortener, visitor} = await open(t, {
    assemble: (app, {shortener, pages}) =>
      void app
        .use(shortener)
        .use(pages)
        .use((ctx) => {
          if (ctx.path === '/spring') ctx.body = 'Spring at our site';
        }),
  });
  const {shortUrl: spring} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const ann = visitor('ann');
  const pages = ['', `link?short_url=${encodeURIComponent(spring)}`];
  for (const page of pages) t.notRegex((await ann.get(page)).text, /Hidden by a page/);
  t.is(await (await fetch(`${origin}/spring`)).text(), 'Spring at our site');
  for (const page of pages) t.regex((await ann.get(page)).text, /Hidden by a page of the site/);
});
