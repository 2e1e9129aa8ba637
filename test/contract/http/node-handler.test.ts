import '../../support/quick-scrypt.ts';
import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import test, {type ExecutionContext} from 'ava';
import express from 'express';
import Fastify from 'fastify';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {toNodeHandler} from '../../../src/node.ts';
import {warningsOf} from '../../support/warnings.ts';
import {browserAgent} from '../../support/visitor.ts';

async function served(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  t.teardown(() => void server.close());
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A shortener that answers on the address of the server, and a link. */
async function shortenerWithLink(t: ExecutionContext) {
  const shortener = shortUrl({baseUrl: 'http://127.0.0.1', store: 'memory:'});
  t.teardown(() => shortener.close());
  const {apiKey} = await shortener.accounts.create(42);
  const link = await shortener.links.create(42, {
    url: 'https://destination.example/',
    customUrl: 'spring',
    password: 'x',
  });
  return {shortener, apiKey, link};
}

const visit = async (url: string, init: Omit<RequestInit, 'headers'> & {headers?: Record<string, string>} = {}) =>
  fetch(url, {redirect: 'manual', ...init, headers: {'User-Agent': browserAgent, ...init.headers}});

/** Express tells an error handler by its four parameters. */
const oops: express.ErrorRequestHandler = (_error, _request, response, next) => {
  if (response.headersSent) next();
  else response.status(500).send('Oops');
};

/** Checks that a site keeps a page and its 404, and that its link opens with the password. */
async function keepsAndGains(t: ExecutionContext, site: string): Promise<void> {
  t.is(await (await visit(`${site}/about`)).text(), 'About');
  const missing = await visit(`${site}/nothing`);
  t.deepEqual([missing.status, await missing.text()], [404, 'No such page']);
  t.is((await visit(`${site}/spring`)).status, 200);
  const opened = await visit(`${site}/spring`, {method: 'POST', body: new URLSearchParams({password: 'x'})});
  t.deepEqual([opened.status, opened.headers.get('location')], [303, 'https://destination.example/']);
}

test('an Express app keeps its pages, its 404 and its errors, and gains links, API and dashboard', async (t) => {
  const {shortener, apiKey} = await shortenerWithLink(t);
  const app = express();
  app.use(express.urlencoded());
  app.get('/about', (_request, response) => void response.send('About'));
  app.get('/broken', () => {
    throw new Error('the site is broken');
  });
  app.use(toNodeHandler(shortener));
  app.use(toNodeHandler(dashboard(shortener, {path: '/links', account: () => '42'})));
  app.use((_request, response) => void response.status(404).send('No such page'));
  app.use(oops);
  const site = await served(t, app as RequestListener);

  await keepsAndGains(t, site);
  t.is(await (await visit(`${site}/broken`)).text(), 'Oops');
  const list = await fetch(`${site}/api/v1/shorturl/list_active_urls`, {headers: {Authorization: `Bearer ${apiKey}`}});
  t.deepEqual(((await list.json()) as {data: {urls: unknown}}).data.urls, [{short_url: 'http://127.0.0.1/spring'}]);
  t.regex(await (await visit(`${site}/links/`)).text(), /spring/);
});

for (const answers of [true, false]) {
  test.serial(
    `an Express app whose dashboard ${answers ? 'answers' : 'is missing'} prints ${answers ? 'no' : 'one'} warning of it`,
    async (t) => {
      const shortener = shortUrl({baseUrl: 'http://127.0.0.1', store: 'memory:'});
      t.teardown(() => shortener.close());
      const app = express();
      const pages = toNodeHandler(dashboard(shortener, {path: '/links', account: () => '42'}));
      app.use(toNodeHandler(shortener));
      if (answers) app.use(pages);
      const site = await served(t, app as RequestListener);
      const warnings = await warningsOf(async () => {
        for (const path of ['/links', '/links/']) t.is((await fetch(site + path)).status, answers ? 200 : 404);
      });
      t.is(warnings.filter(({code}) => code === 'unreached_dashboard').length, answers ? 0 : 1);
    },
  );
}

test('an order in Express counts with its request, and anything without cookies is refused by name', async (t) => {
  const shortener = shortUrl({baseUrl: 'http://127.0.0.1', store: 'memory:', attribution: {}});
  t.teardown(() => shortener.close());
  await shortener.accounts.create(42);
  const {shortUrl: short} = await shortener.links.create(42, {
    url: 'https://destination.example/',
    customUrl: 'spring',
  });
  const app = express();
  app.post('/buy', async (request, response) => {
    const recorded = await shortener.conversions.record(request, {name: 'order', id: 1001, value: 4900});
    response.send(recorded?.link.shortUrl);
  });
  app.use(toNodeHandler(shortener));
  const site = await served(t, app as RequestListener);
  const cookie = (await visit(`${site}/spring`)).headers.get('set-cookie')?.replace(/;.*/, '') ?? '';
  t.is(await (await visit(`${site}/buy`, {method: 'POST', headers: {Cookie: cookie}})).text(), short);
  t.like((await shortener.links.stats(42, short)).conversions, [{name: 'order', conversions: 1, value: 4900}]);
  const nothing = shortener.conversions.record({} as {via: string}, {name: 'order', id: 1002});
  await t.throwsAsync(nothing, {instanceOf: TypeError, message: /request/});
});

test('a Fastify app keeps its pages and its 404, and gains links', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const handler = toNodeHandler(shortener);
  const app = Fastify();
  // Without a parser Fastify refuses the password form of a link.
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _body, done) => {
    done(null);
  });
  app.get('/about', () => 'About');
  app.setNotFoundHandler((request, reply) => {
    handler(request.raw, reply.raw, (error) => {
      if (error) reply.send(error);
      else reply.code(404).send('No such page');
    });
  });
  t.teardown(() => app.close());
  await keepsAndGains(t, await app.listen({host: '127.0.0.1', port: 0}));
});

test('a failure of the middleware reaches the error handler of the site', async (t) => {
  const failure = new Error('a fault');
  const handler = toNodeHandler(() => Promise.reject(failure));
  const passed: unknown[] = [];
  const site = await served(t, (request, response) => {
    handler(request, response, (error) => {
      passed.push(error);
      response.end(String(response.statusCode));
    });
  });
  t.is(await (await visit(site)).text(), '200');
  t.deepEqual(passed, [failure]);
});

test('behind a proxy the domain and the address come from its headers only with `proxy: true`', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  t.teardown(() => shortener.close());
  await shortener.accounts.create(42);
  await shortener.links.create(42, {url: 'https://destination.example/', customUrl: 'spring'});
  const headers = {'X-Forwarded-Host': 'example.com', 'X-Forwarded-Proto': 'https'};
  for (const [proxy, status] of [
    [true, 302],
    [false, 404],
  ] as const) {
    const handler = toNodeHandler(shortener, {proxy});
    const site = await served(t, (request, response) => {
      handler(request, response, () => response.writeHead(404).end());
    });
    t.is((await visit(`${site}/spring`, {headers})).status, status);
  }
});
