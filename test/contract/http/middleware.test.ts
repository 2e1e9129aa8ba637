import {once} from 'node:events';
import {connect, constants, createServer} from 'node:http2';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {runInNewContext} from 'node:vm';
import test from 'ava';
import '../../support/quick-scrypt.ts';
import Koa, {type Middleware} from 'koa';
import {shortUrl, type ShortUrlError} from '../../../src/index.ts';
import {redirects} from '../../support/answers.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {startSite} from '../../support/site.ts';
import {memory, mounts} from '../../support/worlds.ts';

const destination = 'https://destination.example/page';
const secret = 'a-secret-of-good-length-0123456789';

test('anything but a 404 that the host throws is passed on unchanged, also a value that is not an Error', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  await shortener.accounts.create('user-42');
  await shortener.links.create('user-42', {url: destination, customUrl: 'spring'});
  const app = new Koa();
  for (const thrown of [
    null,
    undefined,
    'a text',
    404,
    {status: 403},
    {statusCode: 404},
    Object.assign(() => undefined, {status: 404}),
    Object.assign(new Error('not allowed'), {status: 405}),
  ]) {
    const ctx = app.createContext(
      {method: 'GET', url: '/spring', headers: {host: 'example.com'}, socket: {}} as never,
      {getHeaderNames: () => [], setHeader: () => undefined} as never,
    );
    const next = async (): Promise<never> => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- hosts do
      throw thrown;
    };
    const caught = await Promise.resolve(shortener(ctx, next)).then(
      () => 'nothing',
      (error: unknown) => error,
    );
    t.is(caught, thrown);
  }
  await shortener.close();
});

for (const name of ['at the root on Koa 3', 'on Koa 2'] as const) {
  for (const [what, thrown] of [
    ['an error with status 404', () => Object.assign(new Error(), {status: 404})],
    ['an error with statusCode 404', () => Object.assign(new Error(), {statusCode: 404})],
    ['an error with statusCode 404 and status 0', () => Object.assign(new Error(), {status: 0, statusCode: 404})],
    ['an error with statusCode 404 and status 403', () => Object.assign(new Error(), {status: 403, statusCode: 404})],
    ['an error whose status is a text', () => Object.assign(new Error(), {status: '404'})],
    [
      'an error of another realm with status 404',
      () => runInNewContext('Object.assign(new Error(), {status: 404})') as unknown,
    ],
    ['an object with status 404', () => ({status: 404})],
    ['a missing file', () => Object.assign(new Error(), {code: 'ENOENT'})],
    ['a missing file with status 403', () => Object.assign(new Error(), {code: 'ENOENT', status: 403})],
  ] satisfies Array<[string, () => unknown]>) {
    test(`${name} a link answers in place of ${what} if Koa treats that as a 404`, async (t) => {
      const site = await startSite(t, {
        world: {mount: mounts[name], backend: memory},
        downstream() {
          throw thrown();
        },
      });
      const {status} = await site.visit(`${site.baseUrl}/no-link`);
      t.is((await site.visit((await site.create()).short_url)).status, status === 404 ? 302 : status);
    });
  }
}

test('a link answers although the host set a body before it threw a 404', async (t) => {
  const site = await startSite(t, {
    downstream(ctx) {
      ctx.body = 'not for long';
      ctx.throw(404);
    },
  });
  redirects(t, await site.visit((await site.create()).short_url), destination);
});

test('a 404 that the host throws does not hide an outage', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startSite(t, {
    shortUrl: {store: adapter as never, secret},
    downstream: (ctx) => ctx.throw(404),
  });
  adapter.isDown = true;
  t.is((await site.visit(`${site.baseUrl}/unseen`)).status, 503);
  adapter.isDown = false;
});

for (const mount of ['at the root on Koa 3', 'with defer: false'] as const) {
  test(`${mount}: an unreadable record of a link is a fault, and not an outage`, async (t) => {
    const records = new Map<string, unknown>();
    const site = await startSite(t, {
      world: {mount: mounts[mount], backend: memory},
      shortUrl: {store: records, secret},
    });
    const errors: string[] = [];
    site.shortener.events.on('error', ({code}) => errors.push(code));
    await site.create({custom_url: 'spring'});
    const key = [...records.keys()].find((name) => name.endsWith(':spring}')) ?? '';
    records.set(key, 'no record');
    const reply = await site.visit(`${site.baseUrl}/spring`);
    t.is(reply.status, 500);
    t.is(reply.headers['retry-after'], undefined);
    t.deepEqual(errors, ['internal_error']);
  });
}

test('a link does not answer if the host has answered past Koa', async (t) => {
  const site = await startSite(t, {
    downstream(ctx) {
      ctx.respond = false;
      ctx.res.statusCode = 404;
      setImmediate(() => ctx.res.end('from the host itself'));
    },
  });
  const link = await site.create();
  t.is((await site.visit(link.short_url)).text, 'from the host itself');
  t.is((await site.info(link.short_url)).total_visits, 0);
});

for (const name of ['at the root on Koa 3', 'on Koa 2'] as const) {
  for (const path of ['/spring', '/no/link']) {
    test(`${name} a host that answers past Koa and then throws a 404 gets it back for ${path}`, async (t) => {
      const errors: unknown[] = [];
      const site = await startSite(t, {
        world: {mount: mounts[name], backend: memory},
        downstream(ctx) {
          ctx.app.once('error', (error: Error) => errors.push(error.message));
          ctx.respond = false;
          if (ctx.query['late'] !== undefined) ctx.res.writeHead(200).end('from the host itself');
          ctx.throw(404, 'no such order', {expose: false});
        },
      });
      const link = await site.create({custom_url: 'spring'});
      t.is((await site.request({path})).text, 'Not Found');
      t.is((await site.request({path: `${path}?late`})).text, 'from the host itself');
      t.deepEqual(errors, ['no such order', 'no such order']);
      t.is((await site.info(link.short_url)).total_visits, 0);
    });
  }
}

for (const [status, method, isTheLinks] of [
  [404, 'GET', true],
  [404, 'POST', true],
  [405, 'POST', true],
  [501, 'POST', true],
  [400, 'POST', false],
  [405, 'GET', false],
  [501, 'GET', false],
] as const) {
  for (const [way, answer] of [
    ['answers', (ctx) => (ctx.status = status)],
    ['throws', (ctx) => ctx.throw(status)],
  ] satisfies Array<[string, (ctx: Parameters<Middleware>[0]) => unknown]>) {
    test(`a ${method} that the host ${way} with ${status} is ${isTheLinks ? 'answered by the link' : 'left to the host'}`, async (t) => {
      const site = await startSite(t, {
        downstream(ctx) {
          answer(ctx);
        },
      });
      const link = await site.create({password: 's3cret'});
      const reply = await (method === 'GET' ? site.visit(link.short_url) : site.submit(link.short_url, 's3cret'));
      if (!isTheLinks) t.is(reply.status, status);
      else t.is(reply.status, method === 'GET' ? 200 : 303);
    });
  }
}

test('a 404 page that is a web stream is cancelled, also inside a Response', async (t) => {
  for (const wrap of [(stream: ReadableStream) => stream, (stream: ReadableStream) => new Response(stream)]) {
    const cancelled: string[] = [];
    const site = await startSite(t, {
      downstream(ctx) {
        const stream = new ReadableStream({
          cancel() {
            cancelled.push(ctx.path);
            throw new Error('it cannot be cancelled');
          },
        });
        ctx.body = wrap(stream);
        ctx.status = 404;
      },
    });
    const link = await site.create({custom_url: 'spring'});
    redirects(t, await site.visit(link.short_url), destination);
    t.deepEqual(cancelled, ['/spring']);
  }
});

test('a 404 page with a reader is not cancelled', async (t) => {
  let stream = new ReadableStream();
  const site = await startSite(t, {
    downstream(ctx) {
      stream = new ReadableStream({pull: () => new Promise(() => undefined)});
      ctx.body = stream;
      ctx.status = 404;
      stream.getReader();
    },
  });
  redirects(t, await site.visit((await site.create()).short_url), destination);
  t.true(stream.locked);
});

test('JSON in place of a page has the type of JSON', async (t) => {
  const site = await startSite(t);
  const link = await site.create();
  await site.api('disable', {short_url: link.short_url});
  const reply = await site.visit(link.short_url, {headers: {Accept: 'application/json'}});
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
  t.is(reply.json().data.status, 'disabled');
});

test('over HTTP/2 an interrupted list ends with an error, and a complete one does not', async (t) => {
  const adapter = new FailingAdapter();
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    store: adapter as never,
    secret,
  });
  const errors: ShortUrlError[] = [];
  shortener.events.on('error', (error) => errors.push(error));
  const {apiKey} = await shortener.accounts.create('user-42');
  for (let link = 0; link < 600; link++) await shortener.links.create('user-42', {url: destination});
  const app = new Koa();
  app.silent = true;
  const handle = app.use(shortener).callback();
  const server = createServer((request, response) => void handle(request as never, response as never));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(async () => {
    adapter.callsLeft = Infinity;
    client.destroy();
    server.close();
    await shortener.close();
  });
  const list = async (): Promise<string> => {
    const stream = client.request({
      ':path': `/api/v1/${apiKey}/shorturl/list_active_urls`,
      ':authority': 'example.com',
    });
    const received = await text(stream);
    t.is(stream.rstCode, constants.NGHTTP2_NO_ERROR);
    return received;
  };
  t.is((JSON.parse(await list()) as {data: {urls: unknown[]}}).data.urls.length, 600);
  t.deepEqual(errors, []);
  let brokenOff = 0;
  for (let calls = 1; calls < 12; calls++) {
    adapter.callsLeft = calls;
    errors.length = 0;
    const received = await list().catch(() => undefined);
    adapter.callsLeft = Infinity;
    if (received === undefined) brokenOff++;
    else t.notThrows(() => JSON.parse(received) as unknown, received.slice(-80));
  }
  t.true(brokenOff > 0);
});
