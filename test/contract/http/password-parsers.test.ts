import '../../support/quick-scrypt.ts';
import {createRequire} from 'node:module';
import {bodyParser} from '@koa/bodyparser';
import test, {type ExecutionContext} from 'ava';
import Koa, {type Middleware} from 'koa';
import CSRF from 'koa-csrf';
import session from 'koa-session';
import {shortUrl} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {listen} from '../../support/listen.ts';
import {exchange, type Reply, withPassword} from '../../support/request.ts';

// Some have no types, and those of koa-body contradict those of @koa/bodyparser.
const require = createRequire(import.meta.url);
const olderBodyParser = require('koa-bodyparser') as () => Middleware;
const {koaBody} = require('koa-body') as {koaBody: (options?: object) => Middleware};
const thinkPayload = require('think-payload') as () => Middleware;

const url = 'https://destination.example/page';

/** A parser that keeps something else than the fields of a form. */
const strangeParser: Middleware = async (ctx, next) => {
  const chunks = await ctx.req.toArray();
  Object.assign(ctx.request, {body: {data: Object.fromEntries(new URLSearchParams(chunks.join('')))}});
  await next();
};

const parsers: Record<string, Middleware> = {
  '@koa/bodyparser': bodyParser(),
  'koa-bodyparser': olderBodyParser(),
  'koa-body': koaBody(),
  'koa-body with uploads': koaBody({multipart: true}),
  'the parser of ThinkJS': thinkPayload(),
};

/** A site with a link that has a password, and the middleware before or behind others of the host. */
async function start(
  t: ExecutionContext,
  {before = [], behind = []}: Partial<Record<'before' | 'behind', Middleware[]>>,
) {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:', passwordAttempts: 1});
  t.teardown(() => shortener.close());
  await shortener.accounts.create(42);
  await shortener.links.create(42, {url, customUrl: 'secret', password: 's3cret'});
  const app = new Koa();
  app.keys = ['a key'];
  app.use(session(app));
  for (const each of [...before, shortener, ...behind]) app.use(each);
  const {port, agent} = await listen(t, app);
  const ask = (path: string, more: object = {}): Promise<Reply> => exchange(port, agent, {...more, path});
  return {shortener, ask};
}

for (const [name, parser] of Object.entries(parsers)) {
  test(`a password form opens its link behind ${name}, at both of its addresses`, async (t) => {
    const {ask} = await start(t, {before: [parser]});
    const [, action = ''] = /action="([^"]+)"/.exec((await ask('/secret')).text) ?? [];
    for (const path of [action, '/secret']) redirects(t, await ask(path, withPassword('s3cret')), url, 303);
  });
}

test('a password form opens its link in front of koa-csrf and a parser, without an exemption', async (t) => {
  const {ask} = await start(t, {behind: [bodyParser(), new CSRF()]});
  const [, action = ''] = /action="([^"]+)"/.exec((await ask('/secret')).text) ?? [];
  redirects(t, await ask(action, withPassword('s3cret')), url, 303);
  t.is((await ask('/another', withPassword('s3cret'))).status, 403);
});

test('a form that the parser of the site has made unreadable is no attempt, and reported', async (t) => {
  const {shortener, ask} = await start(t, {before: [strangeParser]});
  const reported: string[] = [];
  shortener.events.on('error', ({message}) => reported.push(message));
  for (let turn = 0; turn < 3; turn++) t.is((await ask('/secret', withPassword('s3cret'))).status, 400);
  t.is(reported.length, 3);
  t.regex(String(reported[0]), /parser/);
  t.notRegex(String(reported[0]), /s3cret/);
});

test("the site's own page gets the address of the form", async (t) => {
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    store: 'memory:',
    pages: {password: ({action}) => `<form method="post" action="${action}"><input name="password"></form>`},
  });
  t.teardown(() => shortener.close());
  await shortener.accounts.create(42);
  await shortener.links.create(42, {url, customUrl: 'secret', password: 's3cret'});
  const {port, agent} = await listen(t, new Koa().use(shortener));
  const {text} = await exchange(port, agent, {path: '/secret'});
  const [, action = ''] = /action="([^"]+)"/.exec(text) ?? [];
  redirects(t, await exchange(port, agent, {path: action, ...withPassword('s3cret')}), url, 303);
});
