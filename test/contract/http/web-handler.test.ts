import '../../support/quick-scrypt.ts';
import {once} from 'node:events';
import {Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {setImmediate as turn} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import type {Context, Middleware} from 'koa';
import {dashboard} from '../../../src/dashboard.ts';
import {shortUrl} from '../../../src/index.ts';
import {toWebHandler} from '../../../src/web.ts';
import {tokenIn} from '../../support/dashboard.ts';
import {browserAgent} from '../../support/visitor.ts';

const origin = 'https://example.com';

async function shortenerWithLink(t: ExecutionContext) {
  const shortener = shortUrl({baseUrl: origin, store: 'memory:', attribution: {}});
  t.teardown(() => shortener.close());
  const {apiKey} = await shortener.accounts.create(42);
  await shortener.links.create(42, {url: 'https://destination.example/', customUrl: 'spring'});
  return {shortener, apiKey};
}

const browser = (path: string, init: Omit<RequestInit, 'headers'> & {headers?: Record<string, string>} = {}): Request =>
  new Request(origin + path, {...init, headers: {'User-Agent': browserAgent, ...init.headers}});

/** A body that says whether anybody has read it. */
function watchedBody(bytes: number) {
  let pulled = 0;
  let cancel: (() => void) | undefined;
  const cancelled = new Promise<void>((resolve) => (cancel = resolve));
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pulled >= bytes) controller.close();
        else controller.enqueue(new Uint8Array(65_536).fill(97));
        pulled += 65_536;
      },
      cancel() {
        cancel?.();
      },
    },
    {highWaterMark: 0},
  );
  return {stream, pulled: () => pulled, cancelled};
}

const streamed = (path: string, stream: ReadableStream, headers: Record<string, string>): Request =>
  browser(path, {method: 'POST', body: stream, headers, duplex: 'half'});

test('a visit is redirected with its cookie, and the site answers what is not a link', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const handle = toWebHandler(shortener);
  const answer = await handle(browser('/spring'), {address: '192.0.2.1'});
  t.is(answer?.status, 302);
  t.is(answer?.headers.get('location'), 'https://destination.example/');
  t.is(answer?.headers.getSetCookie().length, 1);
  t.false(answer?.headers.has('connection'));
  t.is(await answer?.text(), '');
  t.is(await handle(browser('/nothing')), undefined);
  t.is((await handle(browser('/spring', {method: 'HEAD'})))?.status, 302);
  t.is((await shortener.links.info(42, `${origin}/spring`)).totalVisits, 1);
});

test('an order counts with the Request of its customer, and what has no headers is refused by name', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const cookie = (await toWebHandler(shortener)(browser('/spring')))?.headers.getSetCookie()[0]?.replace(/;.*/, '');
  const buying = browser('/buy', {method: 'POST', headers: {Cookie: `a=b; ${cookie}`}});
  const {conversions} = shortener;
  const link = `${origin}/spring`;
  t.is((await conversions.find(buying))?.link.shortUrl, link);
  t.is((await conversions.record(buying, {name: 'order', id: 1, value: 900}))?.link.shortUrl, link);
  t.is((await conversions.identify({req: buying}, 'user-7'))?.account, '42');
  t.is((await conversions.record({customer: 'user-7'}, {name: 'renewal', id: 2}))?.link.shortUrl, link);
  t.is(await conversions.record(browser('/buy'), {name: 'order', id: 3}), undefined);
  for (const wrong of [{req: {}}, {req: undefined}, {headers: undefined}] as unknown as Array<{via: string}>) {
    await t.throwsAsync(conversions.record(wrong, {name: 'order', id: 4}), {instanceOf: TypeError, message: /request/});
  }
});

test('several cookies stay several, and HEAD has the length of the body that GET has', async (t) => {
  const handle = toWebHandler((ctx) => {
    ctx.cookies.set('a', '1');
    ctx.cookies.set('b', '2');
    ctx.body = 'Hello';
  });
  const answer = await handle(browser('/'));
  t.deepEqual(answer?.headers.getSetCookie(), ['a=1; path=/; secure; httponly', 'b=2; path=/; secure; httponly']);
  t.is(await answer?.text(), 'Hello');
  const head = await handle(browser('/', {method: 'HEAD'}));
  t.is(head?.headers.get('content-length'), '5');
  t.is(head?.body, null);
});

test('a request that is not for the shortener keeps its body, unread', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const handle = toWebHandler(shortener);
  const request = browser('/nothing', {method: 'POST', body: 'a=1', headers: {'Content-Length': '3'}});
  t.is(await handle(request), undefined);
  t.false(request.bodyUsed);
  t.is(await request.text(), 'a=1');
});

test('what the parser of Node.js refuses is left to the site', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const handle = toWebHandler(shortener);
  t.is(await handle(browser('/spring', {method: 'WHATEVER'})), undefined);
  t.is(await handle(browser('/spring', {headers: {'X-Long': 'a'.repeat(100_000)}})), undefined);
});

test('callbacks get the address, the scheme and the context of a request', async (t) => {
  const seen: unknown[] = [];
  const handle = toWebHandler((ctx) => {
    seen.push([ctx.ip, ctx.protocol, ctx.host, (ctx.state as {context?: unknown}).context]);
  });
  await handle(browser('/'), {address: '2001:db8::1', context: {user: 'ann'}});
  await handle(new Request('http://sho.rt:8080/'));
  t.deepEqual(seen, [
    ['2001:db8::1', 'https', 'example.com', {user: 'ann'}],
    ['', 'http', 'sho.rt:8080', undefined],
  ]);
});

test('the headers of a proxy count only with `proxy: true`', async (t) => {
  const seen: string[] = [];
  const see: Middleware = (ctx) => void seen.push(`${ctx.protocol}://${ctx.host} ${ctx.ip}`);
  const request = (): Request =>
    new Request('http://10.0.0.1/', {
      headers: {'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'sho.rt', 'X-Forwarded-For': '192.0.2.7'},
    });
  await toWebHandler(see)(request(), {address: '10.0.0.2'});
  await toWebHandler(see, {proxy: true})(request(), {address: '10.0.0.2'});
  t.deepEqual(seen, ['http://10.0.0.1 10.0.0.2', 'https://sho.rt 192.0.2.7']);
});

test('an API call by POST has its body read once, and not beyond its bound', async (t) => {
  const {shortener, apiKey} = await shortenerWithLink(t);
  const handle = toWebHandler(shortener);
  const headers = {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'};
  const body = JSON.stringify({url: 'https://destination.example/b', custom_url: 'summer'});
  const created = await handle(browser('/api/v1/shorturl/create', {method: 'POST', body, headers}));
  t.is(((await created?.json()) as {data: {short_url: string}} | undefined)?.data.short_url, `${origin}/summer`);

  const long = watchedBody(50_000_000);
  const refused = await handle(streamed('/api/v1/shorturl/create', long.stream, headers));
  t.is(refused?.status, 413);
  t.like(await refused?.json(), {code: 413});
  await long.cancelled;
  t.true(long.pulled() < 5_000_000, String(long.pulled()));
});

test('a body that the site has read is missed by name, and only where it is needed', async (t) => {
  const {shortener, apiKey} = await shortenerWithLink(t);
  await shortener.links.create(42, {url: 'https://destination.example/', customUrl: 'asks', confirm: true});
  const handle = toWebHandler(shortener);
  const json = {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`};
  const form = {'Content-Type': 'application/x-www-form-urlencoded'};
  const call = (path: string): Request =>
    browser(path, {method: 'POST', body: '{}', headers: path === '/asks' ? form : json});
  for (const take of [(request: Request) => request.text(), (request: Request) => request.body?.getReader()]) {
    for (const path of ['/api/v1/shorturl/tags', '/asks']) {
      const taken = call(path);
      await take(taken);
      await t.throwsAsync(handle(taken), {instanceOf: TypeError, message: /clone/}, path);
    }
    const unknown = call('/nothing');
    await take(unknown);
    t.is(await handle(unknown), undefined);
    const wrong = browser('/api/v1/shorturl/tags', {method: 'POST', body: '{}'});
    await take(wrong);
    t.is((await handle(wrong))?.status, 401);
  }
  const copied = call('/api/v1/shorturl/tags');
  await copied.clone().text();
  t.is((await handle(copied))?.status, 200);
  t.is((await shortener.links.info(42, `${origin}/asks`)).totalVisits, 0);
});

test('an answer without a look at the body leaves the body unread', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const body = watchedBody(1_000_000);
  const headers = {Authorization: 'Bearer nothing', 'Content-Type': 'application/json'};
  const handle = toWebHandler(shortener);
  t.is((await handle(streamed('/api/v1/shorturl/nonsense', body.stream, headers)))?.status, 401);
  await turn();
  t.is(body.pulled(), 0);
});

test('a body of another length than announced is no second request, and is read as it is', async (t) => {
  const handle = toWebHandler(async (ctx) => {
    ctx.body = await text(ctx.req);
  });
  for (const body of ['aaaGET /two HTTP/1.1\r\nHost: example.com\r\n\r\n', 'a', '']) {
    const answer = await handle(browser('/', {method: 'POST', body, headers: {'Content-Length': '3'}}));
    t.is(await answer?.text(), body);
  }
});

test('an error of the middleware rejects, and one of the client is answered as Koa does', async (t) => {
  const failure = new Error('a fault');
  await t.throwsAsync(toWebHandler(() => Promise.reject(failure))(browser('/')), {is: failure});
  const refused = await toWebHandler((ctx: Context) => ctx.throw(413, 'too long'))(browser('/'));
  t.deepEqual([refused?.status, await refused?.text()], [413, 'too long']);
});

test('a client that goes away ends the work', async (t) => {
  let context: Context | undefined;
  let asked: (() => void) | undefined;
  const began = new Promise<void>((resolve) => (asked = resolve));
  const handle = toWebHandler(async (ctx) => {
    context = ctx;
    asked?.();
    await once(ctx.res, 'close');
  });
  const controller = new AbortController();
  const answer = handle(browser('/', {signal: controller.signal}));
  await began;
  controller.abort(new Error('gone'));
  await t.throwsAsync(answer, {message: 'gone'});
  t.false(context?.res.writableFinished);
  await t.throwsAsync(handle(browser('/', {signal: AbortSignal.abort(new Error('before'))})), {message: 'before'});
});

test('a long list is made as fast as it is read, and ends if nobody reads on', async (t) => {
  let made = 0;
  const body = Readable.from(
    (function* () {
      for (; made < 10_000; made++) yield 'a'.repeat(10_000);
    })(),
  );
  const handle = toWebHandler((ctx) => {
    ctx.body = body;
  });
  const reader = (await handle(browser('/')))?.body?.getReader();
  await reader?.read();
  for (let turns = 0; turns < 100; turns++) await turn();
  t.true(made < 100, String(made));
  const closed = new Promise((resolve) => body.once('error', () => undefined).once('close', resolve));
  await reader?.cancel();
  await closed;
  t.true(made < 100, String(made));
});

test('a list that breaks ends with an error, not as a shorter list', async (t) => {
  const handle = toWebHandler((ctx) => {
    ctx.type = 'text';
    ctx.respond = false;
    ctx.res.write('a part');
    ctx.res.destroy();
  });
  const answer = await handle(browser('/')).catch((error: unknown) => error as Error);
  if (answer instanceof Error) t.pass();
  else await t.throwsAsync(async () => answer?.text());
});

test('the dashboard has its pages, files, forms and uploads', async (t) => {
  const {shortener} = await shortenerWithLink(t);
  const account = ({state}: Context): string | undefined => (state as {context?: {user?: string}}).context?.user;
  const handle = toWebHandler(dashboard(shortener, {path: '/links', account, login: '/login'}));
  const ask = async (path: string, init?: Parameters<typeof browser>[1]): Promise<Response> => {
    const answer = await handle(browser(path, init), {context: {user: '42'}});
    if (answer === undefined) throw new Error(`nothing answers ${path}`);
    return answer;
  };
  t.is((await handle(browser('/links/')))?.headers.get('location'), '/login?next=%2Flinks%2F');
  const page = await (await ask('/links/')).text();
  t.regex(page, /spring/);
  const [, style = ''] = /href="([^"]+\.css[^"]*)"/.exec(page) ?? [];
  t.regex(await (await ask(new URL(style, `${origin}/links/`).pathname)).text(), /\{/);
  const own = {'Sec-Fetch-Site': 'same-origin'};
  const form = new URLSearchParams({_token: tokenIn(page), url: 'https://destination.example/c'});
  t.is((await ask('/links/create', {method: 'POST', body: form, headers: own})).status, 303);
  const upload = new FormData();
  upload.set('_token', tokenIn(page));
  upload.set('file', new File(['https://destination.example/d'], 'links.csv', {type: 'text/csv'}));
  t.is((await ask('/links/read-many', {method: 'POST', body: upload, headers: own})).status, 200);
});

test('a wrong middleware, option, request or address is refused by name', async (t) => {
  const wrong = toWebHandler as (...all: unknown[]) => (...all: unknown[]) => Promise<unknown>;
  t.throws(() => wrong({}), {instanceOf: TypeError, message: /shortUrl/});
  t.throws(() => wrong(() => undefined, {prox: true}), {instanceOf: TypeError, message: /proxy/});
  const handle = wrong(() => undefined);
  await t.throwsAsync(handle('/spring'), {instanceOf: TypeError, message: /Request/});
  await t.throwsAsync(handle(browser('/'), {address: 42}), {instanceOf: TypeError, message: /address/});
  await t.throwsAsync(handle(browser('/'), {adress: ''}), {instanceOf: TypeError, message: /address/});
});
