import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import type Koa from 'koa';
import type {Middleware} from 'koa';
import mount from 'koa-mount';
import session from 'koa-session';
import {open, type StageOptions} from '../../support/dashboard.ts';
import {between, linkPath} from '../../support/dashboard-pages.ts';
import {warningsOf} from '../../support/warnings.ts';

const url = 'https://destination.example/page';

const places: Record<string, [options: StageOptions, reserved: string[]]> = {
  'at a path': [{}, ['links', 'LINKS']],
  'where links answer first': [{shortUrl: {defer: false}}, ['links']],
  'at a deep path': [{dashboard: {path: '/my/links'}, path: '/my/links'}, ['my']],
};
for (const [where, [options, words]] of Object.entries(places)) {
  test(`${where} the dashboard reserves its own path`, async (t) => {
    const {shortener, visitor} = await open(t, options);
    for (const customUrl of words) {
      const made = shortener.links.create('ann', {url, customUrl});
      await t.throwsAsync(made, {code: 'invalid_custom_url'}, customUrl);
    }
    await t.notThrowsAsync(shortener.links.create('ann', {url, customUrl: 'spring'}));
    t.is((await visitor('ann').get()).status, 200);
  });
}

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

test.serial('a dashboard whose path has the prefix of its mount prints one warning', async (t) => {
  const {visitor} = await open(t, {
    path: '/admin/links',
    dashboard: {path: '/admin/links'},
    assemble(app, {shortener, pages}) {
      app.use(shortener).use(mount('/admin', pages));
      return undefined;
    },
  });
  const warnings = await warningsOf(async () => {
    for (const address of ['', 'api']) t.is((await visitor('ann').get(address)).status, 404);
  });
  t.true(warnings.map(({code}) => code).includes('dashboard_path'));
  t.is(warnings.filter(({code}) => code === 'dashboard_path').length, 1);
});

type WithSession = {session?: {user?: string}};
const named: Middleware = async function session(ctx, next) {
  Object.assign(ctx, {session: {user: 'ann'}});
  await next();
};
const unnamed: Middleware = async (ctx, next) => {
  await named(ctx, next);
};
/** Keeps sessions outside of the cookie, so that only its middleware can load them. */
const stored = (app: Koa): Middleware => {
  app.keys = ['a key'];
  const sessions = new Map<string, object>();
  const store = {
    get: async (key: string) => sessions.get(key),
    set: async (key: string, value: object) => void sessions.set(key, value),
    destroy: async (key: string) => void sessions.delete(key),
  };
  return session({store}, app);
};
const finding = (ctx: WithSession): string | undefined => ctx.session?.user;
const failing = (ctx: WithSession): string | undefined => (ctx.session as {user: string}).user;

interface Order {
  readonly account?: (ctx: WithSession) => string | undefined;
  readonly before?: (app: Koa) => Middleware;
  readonly behind?: (app: Koa) => Middleware;
  /** The requests in order, with `POST` or only their paths. */
  readonly requests: readonly string[];
}

async function warnedCodes(t: ExecutionContext, {account = finding, before, behind, requests}: Order) {
  const {origin} = await open(t, {
    dashboard: {account: account as never},
    assemble(app, {shortener, pages}) {
      app.use(shortener);
      if (before) app.use(before(app));
      app.use(pages);
      if (behind) app.use(behind(app));
      app.use((ctx) => {
        if (ctx.method === 'POST') Object.assign(ctx, {session: {user: 'ann'}});
        ctx.body = 'A page';
      });
    },
  });
  const warnings = await warningsOf(async () => {
    for (const request of [...requests, ...requests]) {
      const [path = '', method = 'GET'] = request.split(' ').reverse();
      await fetch(origin + path, {method});
    }
  });
  return warnings.map(({code}) => code);
}

const wrong: Record<string, Order> = {
  'finds nobody in a session of a later middleware of that name': {behind: () => named, requests: ['/links/']},
  'fails without the session': {account: failing, behind: () => unnamed, requests: ['/links/']},
  'finds nobody in a session of koa-session that is loaded behind it': {behind: stored, requests: ['/links/']},
};
for (const [what, order] of Object.entries(wrong)) {
  test.serial(`a dashboard before the session prints one warning if its option account ${what}`, async (t) => {
    t.deepEqual(await warnedCodes(t, order), ['dashboard_before_session']);
  });
}

const right: Record<string, Order> = {
  'whose session begins before': {before: () => unnamed, requests: ['/links/', '/login']},
  'whose session of koa-session begins before': {before: stored, requests: ['/links/', '/login']},
  'who has no session': {requests: ['/links/', '/login']},
  'who gets a session with the login': {requests: ['/links/', 'POST /login', '/links/']},
  'whom no session names': {account: () => undefined, behind: () => named, requests: ['/links/', '/login']},
};
for (const [who, order] of Object.entries(right)) {
  test.serial(`a visitor ${who} and who is not logged in prints no warning`, async (t) => {
    const account = (ctx: WithSession): undefined => {
      (order.account ?? finding)(ctx);
    };
    t.deepEqual(await warnedCodes(t, {...order, account}), []);
  });
}

test('the owner sees that a page of the site hides a link, in the list and on its page', async (t) => {
  const host: Middleware = (ctx) => {
    if (ctx.path === '/spring') ctx.body = 'Spring at our site';
  };
  const {shortener, visitor} = await open(t, between(undefined, host));
  const {shortUrl: spring} = await shortener.links.create('ann', {url, customUrl: 'spring'});
  const ann = visitor('ann');
  const pages = ['', linkPath(spring)];
  for (const page of pages) t.notRegex((await ann.get(page)).text, /Hidden by a page/);
  t.is(await (await fetch(spring)).text(), 'Spring at our site');
  for (const page of pages) t.regex((await ann.get(page)).text, /Hidden by a page of the site/);
});

test('a login may be a function, which gets the path to return to', async (t) => {
  const {home, origin, visitor} = await open(t, {
    dashboard: {login: async (ctx, next) => `${ctx.get('X-Login')}?state=${encodeURIComponent(next)}`},
  });
  const ask = async (login: string, method: string) => {
    const answer = await fetch(`${home}create`, {method, headers: {'X-Login': login}, redirect: 'manual'});
    return [answer.status, answer.headers.get('location')?.replace(origin, '')];
  };
  t.deepEqual(await ask('/auth', 'POST'), [303, `/auth?state=${encodeURIComponent('/links/')}`]);
  // The policy of the page lets no form lead to another origin.
  t.deepEqual(await ask('https://id.example/auth', 'POST'), [401, undefined]);
  const page = await fetch(`${home}?q=a`, {headers: {'X-Login': 'https://id.example/auth'}, redirect: 'manual'});
  t.is(page.headers.get('location'), `https://id.example/auth?state=${encodeURIComponent('/links/?q=a')}`);
  t.is((await visitor('ann').get('')).status, 200);
  t.deepEqual(await ask('javascript:alert(1)', 'POST'), [500, undefined]);
});
