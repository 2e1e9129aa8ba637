import '../../support/quick-scrypt.ts';
import {createServer, type IncomingMessage, request as send} from 'node:http';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import Router from '@koa/router';
import {bodyParser} from '@koa/bodyparser';
import test, {type ExecutionContext} from 'ava';
import fc from 'fast-check';
import Koa, {type Middleware, type Next} from 'koa';
import CSRF from 'koa-csrf';
import jwt from 'koa-jwt';
import session from 'koa-session';
import {shortUrl} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {temporaryFolder} from '../../support/folder.ts';
import {listen} from '../../support/listen.ts';
import {exchange, type Ask, type Reply} from '../../support/request.ts';
import type {Options} from '../../support/site.ts';
import {asWebSite} from '../../support/web.ts';

const url = 'https://destination.example/page';
type Shortener = ReturnType<typeof shortUrl>;

/** Lets a wall stand only before what is not the shortener's, as docs/getting-started.md shows. */
const around =
  (wall: Middleware) =>
  (shortener: Shortener): Middleware =>
  async (ctx, next) => {
    if (await shortener.answers(ctx)) return;
    await wall(ctx, next);
  };

interface Wall {
  /** How it answers a request without a token or a session. */
  readonly status: number;
  readonly method: 'GET' | 'POST';
  readonly make: (shortener: Shortener) => Middleware;
}

const walls: Record<string, Wall> = {
  'koa-csrf': {status: 403, method: 'POST', make: around(new CSRF())},
  'koa-jwt': {status: 401, method: 'GET', make: around(jwt({secret: 'a secret'}))},
  'a login for every page': {
    status: 302,
    method: 'GET',
    make: (shortener) => async (ctx, next) => {
      if (await shortener.answers(ctx)) return;
      if (ctx.path === '/login' || (ctx.session as {user?: string} | null)?.user !== undefined) await next();
      else ctx.redirect('/login');
    },
  },
};

interface Walled {
  readonly isFirst?: boolean;
  /** Whether the whole site is one of requests and responses. */
  readonly inWebSite?: boolean;
  readonly options?: Partial<Options>;
  /** What the wall protects, besides `/private`. */
  readonly site?: readonly Middleware[];
}

async function walled(t: ExecutionContext, make: (shortener: Shortener) => Middleware, setting: Walled = {}) {
  const {isFirst = true, inWebSite = false, options, site = []} = setting;
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', reserved: ['private'], ...options});
  t.teardown(() => shortener.close());
  const {apiKey} = await shortener.accounts.create(42);
  const app = new Koa();
  app.keys = ['a key'];
  if (isFirst) app.use(shortener);
  app.use(session(app)).use(bodyParser()).use(make(shortener));
  for (const middleware of site) app.use(middleware);
  app.use(async (ctx, next) => {
    if (ctx.path === '/private') ctx.body = 'Private';
    else await next();
  });
  if (!isFirst) app.use(shortener);
  const {port, agent} = await listen(t, inWebSite ? inWeb(app) : app);
  const ask = (path: string, asked: Omit<Ask, 'path'> = {}): Promise<Reply> =>
    exchange(port, agent, {host: 'example.com', ...asked, path});
  return {shortener, apiKey, ask};
}

/** The middleware of an app, with its keys and its sessions, in a site of requests and responses. */
function inWeb(app: Koa): Pick<Koa, 'callback'> {
  app.on('error', () => undefined);
  const whole: Middleware = async (ctx, next) => {
    ctx.app = app;
    Object.defineProperties(ctx, Object.getOwnPropertyDescriptors(app.context));
    const parts = app.middleware as Middleware[];
    await parts.reduceRight<Next>((rest, part) => async () => (await part(ctx, rest)) as unknown, next)();
  };
  return {callback: () => asWebSite(whole, {missing: 'Not Found'}) as ReturnType<Koa['callback']>};
}

const form = {
  method: 'POST',
  body: 'password=s3cret',
  headers: {'Content-Type': 'application/x-www-form-urlencoded'},
};

const places: Record<string, Walled> = {
  'before it': {},
  'behind it': {isFirst: false},
  'behind it in a site of requests and responses': {isFirst: false, inWebSite: true},
};

for (const [name, {status, method, make}] of Object.entries(walls)) {
  for (const [place, setting] of Object.entries(places)) {
    test(`links, password forms and the API work behind ${name}, with the shortener ${place}`, async (t) => {
      const {shortener, apiKey, ask} = await walled(t, make, setting);
      await shortener.links.create(42, {url, customUrl: 'spring'});
      await shortener.links.create(42, {url, customUrl: 'secret', password: 's3cret'});

      t.is((await ask('/private', {method})).status, status);
      t.is((await ask('/none', {method})).status, status);
      redirects(t, await ask('/spring'), url);
      redirects(t, await ask('/spring.'), url);
      t.is((await ask('/spring+')).status, 200);
      t.regex((await ask('/secret')).text, /<form/);
      redirects(t, await ask('/secret', form), url, 303);
      const headers = {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'};
      const create = {method: 'POST', headers, body: JSON.stringify({url, custom_url: 'by-api'})};
      t.is((await ask('/api/v1/shorturl/create', create)).status, 200);
      redirects(t, await ask('/by-api'), url);
      t.is((await shortener.links.info(42, 'https://example.com/spring')).totalVisits, 2);
    });
  }
}

/** A site of files, a server behind a proxy and a router, each of which reads a path in its own way. */
async function privateSite(t: ExecutionContext, router: Router): Promise<Middleware[]> {
  const folder = await temporaryFolder(t);
  mkdirSync(join(folder, 'pages'));
  for (const file of ['index.html', 'report.pdf', 'pages/spring']) writeFileSync(join(folder, file), 'Private');
  const server = createServer((request, response) => {
    // It decodes a path before it resolves it, as many servers do.
    const {pathname} = new URL(decoded(request.url ?? '/').replaceAll('\\', '/'), 'http://backend');
    const isPage = ['/', '/report.pdf', '/pages/spring', '/spring'].includes(pathname.replace(/(.)\/$/, '$1'));
    response.writeHead(isPage ? 200 : 404).end('Private');
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const files: Middleware = async (ctx, next) => {
    const file = join(folder, decoded(ctx.path));
    const page = statSync(file, {throwIfNoEntry: false})?.isDirectory() === true ? join(file, 'index.html') : file;
    if (file.startsWith(folder) && statSync(page, {throwIfNoEntry: false})) ctx.body = readFileSync(page, 'utf8');
    else await next();
  };
  const proxied: Middleware = async (ctx) => {
    const outgoing = send({port, host: '127.0.0.1', method: ctx.method, path: ctx.url}).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    ctx.status = answer.statusCode ?? 500;
    ctx.body = answer;
  };
  return [router.routes() as unknown as Middleware, files, proxied];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function privateRouter(): Router {
  const router = new Router();
  const page: Middleware = (ctx) => {
    ctx.body = 'Private';
  };
  router.get('/user-:id', page).post('/transfer-:amount', page).get('/caf%C3%A9', page).get('/lang/:page', page);
  router.get(/^\/\d+$/g, page).get('/files{.:format}', page);
  return router;
}

const pieces = [
  ...[
    '/',
    '//',
    '/.',
    '/..',
    '/%2e%2e',
    '/.%2E',
    '%2f',
    '%5C',
    '\\',
    '..',
    '%252e',
    '.',
    '+',
    ';',
    '?',
    '#',
    '%',
    '%00',
    '%E9',
  ],
  ...['spring', 'pages', 'report.pdf', 'user-5', 'transfer-5', 'caf%C3%A9', '2024', 'files', 'lang', 'private'],
  ...['/api/v1/x/shorturl/', '/api/v1/shorturl/info', 'http://', 'http://a%70', 'example.com', 'index.html', 'x'],
];

for (const [name, {make}] of Object.entries(walls)) {
  test(`behind ${name}, nobody gets anything of the site without a login, whatever the path`, async (t) => {
    const router = privateRouter();
    const site = await privateSite(t, router);
    const options = {
      reserved: ['private', 'files', 'report', 'pages', router],
      shortParts: {unicode: true, segments: 2},
    };
    const {shortener, ask} = await walled(t, make, {options, site, isFirst: false});
    await shortener.links.create(42, {url, customUrl: 'spring'});
    await shortener.links.create(42, {url, customUrl: 'spring/x'});
    const target = fc.array(fc.constantFrom(...pieces), {minLength: 1, maxLength: 7}).map((parts) => parts.join(''));
    const refusesGet = walls[name]?.method === 'GET';
    const asked = fc.record({path: target, method: fc.constantFrom(...(refusesGet ? ['GET', 'POST'] : ['POST']))});
    await fc.assert(
      fc.asyncProperty(asked, async ({path, method}) => {
        const reply = await ask(path.startsWith('http') ? path : `/${path}`, {method});
        return !reply.text.includes('Private');
      }),
      {numRuns: 500},
    );
    redirects(t, await ask('/spring'), url);
  });
}

test('a path that leads elsewhere for a file server, a proxy or a router is never the shortener’s', async (t) => {
  const router = privateRouter();
  const site = await privateSite(t, router);
  const {ask, shortener} = await walled(
    t,
    around(async (ctx) => void (ctx.status = 403)),
    {
      options: {reserved: router, shortParts: {unicode: true, segments: 3}, baseDomains: ['sho.rt']},
      site,
      isFirst: false,
    },
  );
  await shortener.links.create(42, {url, customUrl: 'x'});
  for (const path of [
    ...[
      '../../../../private/report.pdf',
      '..%2f..%2fprivate',
      '%2e%2e/%2E%2e/private',
      'create/.%2e/..',
      'info/..\\..',
    ].map((end) => `/api/v1/x/shorturl/${end}`),
    ...[
      '/x/..',
      '/x/../',
      '/x/%2e%2e',
      '/x%2f..%2f',
      '/x/.',
      '/x/%2E/',
      '/x//',
      '//x',
      '/x%2F',
      '/x%5c',
      '/x\\',
      '/./x',
    ],
    ...['http://a%70rivate%2freport.pdf/x/..', 'http://example.com/x', 'http://example.com/api/v1/x/shorturl/info'],
    ...['/x#', '/x#/..', '/user-5', '/User-5.', '/2024', '/2024/', '/caf%C3%A9', '/files.json', '/%75ser-5', '/lang/x'],
  ]) {
    t.is((await ask(path)).status, 403, path);
  }
  redirects(t, await ask('/x'), url);
});

test('a short part at which a router answers is not given away, unless the route is for every name', async (t) => {
  const router = privateRouter();
  router.get('/:page', (ctx) => void (ctx.body = 'A page'));
  const {shortener, ask} = await walled(
    t,
    around(async (ctx) => void (ctx.status = 403)),
    {
      options: {reserved: router, shortParts: {unicode: true}},
    },
  );
  for (const customUrl of ['user-5', 'transfer-5', 'café', '2024', 'lang', 'files']) {
    await t.throwsAsync(shortener.links.create(42, {url, customUrl}), {code: 'invalid_custom_url'}, customUrl);
  }
  const {shortUrlPart} = await shortener.links.create(42, {url, customUrl: 'spring'});
  // But it may be a page, so a wall does not let it through.
  t.is((await ask(`/${shortUrlPart}`)).status, 403);
});

test('a request is answered if it is a call of the API, or of a link that exists, whatever its state', async (t) => {
  const asked: Array<[string, boolean]> = [];
  const {shortener, ask} = await walled(t, (of) => async (ctx) => {
    const isAnswered = await of.answers(ctx);
    asked.push([`${ctx.method} ${ctx.path}`, isAnswered]);
    if (!isAnswered) ctx.status = 403;
  });
  const {links} = shortener;
  const create = async (customUrl: string, more = {}) => (await links.create(42, {url, customUrl, ...more})).shortUrl;
  await create('spring');
  await links.disable(42, await create('disabled'));
  await links.remove(42, await create('removed'));
  await create('later', {startDate: '2999-01-01'});
  const own = ['/spring', '/spring/', '/spring%E2%80%9D', '/spring+', '/disabled', '/removed', '/disabled.'];
  const others = ['/', '/none', '/none.', '/later', '/later.', '/private', '/api/v1/shorturl', '/spring/more'];
  const statuses = [];
  for (const path of own) statuses.push((await ask(path)).status);
  t.deepEqual(statuses, [302, 302, 302, 200, 410, 410, 410]);
  t.is((await links.info(42, 'https://example.com/spring')).totalVisits, 3);
  for (const path of others) t.is((await ask(path)).status, 403, path);
  for (const how of ['HEAD', 'PUT', 'OPTIONS']) await ask('/spring', {method: how});
  const {status, headers} = await ask('/spring', {method: 'POST'});
  t.deepEqual([status, headers.location], [303, 'https://example.com/spring']);
  await ask('/spring', {host: 'other.example'});
  t.deepEqual(asked, [
    ...own.map((path) => [`GET ${path}`, true]),
    ...others.map((path) => [`GET ${path}`, false]),
    ['HEAD /spring', true],
    ['PUT /spring', false],
    ['OPTIONS /spring', false],
    ['POST /spring', true],
    ['GET /spring', false],
  ]);
  t.is((await links.info(42, 'https://example.com/spring')).totalVisits, 3);
});
