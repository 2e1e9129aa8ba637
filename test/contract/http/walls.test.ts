import '../../support/quick-scrypt.ts';
import {bodyParser} from '@koa/bodyparser';
import test, {type ExecutionContext} from 'ava';
import Koa, {type Middleware} from 'koa';
import CSRF from 'koa-csrf';
import jwt from 'koa-jwt';
import session from 'koa-session';
import {shortUrl} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {listen} from '../../support/listen.ts';
import {exchange, type Ask, type Reply} from '../../support/request.ts';

const url = 'https://destination.example/page';
type Shortener = ReturnType<typeof shortUrl>;

/** Lets a wall stand only before what is not the shortener's, as docs/getting-started.md shows. */
const around =
  (wall: Middleware) =>
  (shortener: Shortener): Middleware =>
  async (ctx, next) => {
    if (await shortener.answers(ctx)) await next();
    else await wall(ctx, next);
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
      const isOpen = ctx.path === '/login' || (ctx.session as {user?: string} | null)?.user !== undefined;
      if (isOpen || (await shortener.answers(ctx))) await next();
      else ctx.redirect('/login');
    },
  },
};

async function walled(t: ExecutionContext, make: (shortener: Shortener) => Middleware, isFirst = true) {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', reserved: ['private']});
  t.teardown(() => shortener.close());
  const {apiKey} = await shortener.accounts.create(42);
  const app = new Koa();
  app.keys = ['a key'];
  if (isFirst) app.use(shortener);
  app.use(session(app)).use(bodyParser()).use(make(shortener));
  app.use(async (ctx, next) => {
    if (ctx.path === '/private') ctx.body = 'Private';
    else await next();
  });
  if (!isFirst) app.use(shortener);
  const {port, agent} = await listen(t, app);
  const ask = (path: string, asked: Omit<Ask, 'path'> = {}): Promise<Reply> =>
    exchange(port, agent, {host: 'example.com', ...asked, path});
  return {shortener, apiKey, ask};
}

const form = {
  method: 'POST',
  body: 'password=s3cret',
  headers: {'Content-Type': 'application/x-www-form-urlencoded'},
};

for (const [name, {status, method, make}] of Object.entries(walls)) {
  for (const isFirst of [true, false]) {
    test(`links, password forms and the API work behind ${name}, with the shortener ${isFirst ? 'before' : 'behind'} it`, async (t) => {
      const {shortener, apiKey, ask} = await walled(t, make, isFirst);
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
    });
  }
}

test('a request is the shortener’s if it is a call of the API, or of a link that exists, whatever its state', async (t) => {
  const asked: Array<[string, boolean]> = [];
  const {shortener, ask} = await walled(t, (of) => async (ctx) => {
    asked.push([`${ctx.method} ${ctx.path}`, await of.answers(ctx)]);
    ctx.status = 403;
  });
  const {links} = shortener;
  const create = async (customUrl: string, more = {}) => (await links.create(42, {url, customUrl, ...more})).shortUrl;
  await create('spring');
  await links.disable(42, await create('disabled'));
  await links.remove(42, await create('removed'));
  await create('later', {startDate: '2999-01-01'});
  const own = ['/spring', '/spring/', '/spring%E2%80%9D', '/spring+', '/disabled', '/removed', '/disabled.'];
  const others = ['/', '/none', '/none.', '/later', '/later.', '/private', '/api/v1/shorturl', '/spring/more'];
  for (const path of [...own, ...others]) await ask(path);
  for (const how of ['HEAD', 'POST', 'PUT', 'OPTIONS']) await ask('/spring', {method: how});
  await ask('/spring', {host: 'other.example'});
  t.deepEqual(asked, [
    ...own.map((path) => [`GET ${path}`, true]),
    ...others.map((path) => [`GET ${path}`, false]),
    ['HEAD /spring', true],
    ['POST /spring', true],
    ['PUT /spring', false],
    ['OPTIONS /spring', false],
    ['GET /spring', false],
  ]);
  t.is((await links.info(42, 'https://example.com/spring')).totalVisits, 0);
});
