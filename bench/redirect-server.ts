/** A server to be measured, in a process of its own: what it is comes as the first message, what to do as the others. */
import {once} from 'node:events';
import {createServer, type RequestListener} from 'node:http';
import type {AddressInfo} from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import type {ShortUrl, ShortUrlOptions} from '../src/index.ts';
import {crowd, range} from '../test/engines/crowd.ts';

const target = 'https://destination.example/a/page/of/some/length?number=1';
const page =
  '<!doctype html><html lang="en"><title>About</title><p>A page of the host, of the size that small pages have.';

/** How many creates are under way at once. */
const createsAtOnce = 50;

export type ServerKind =
  'node' | 'koa' | 'router' | 'links' | 'page' | 'page-deferred' | 'page-links-first' | 'page-reserved';

export interface Start {
  readonly kind: ServerKind;
  readonly options: Partial<ShortUrlOptions>;
}

export type Order = {readonly create: number} | 'count' | 'close';

/** What the server answers: its port, how long creating took and the new paths, all visits. */
export interface Reply {
  readonly port?: number;
  readonly milliseconds?: number;
  readonly paths?: readonly string[];
  readonly visits?: number;
}

const [{kind, options}] = (await once(process, 'message')) as [Start];
let shortener: ShortUrl | undefined;
const server = createServer(await listenerOf(kind)).listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', (order: Order) => {
  if (order === 'close') void close();
  else void follow(order).then(tell);
});
tell({port: (server.address() as AddressInfo).port});

function tell(reply: Reply): void {
  process.send?.(reply);
}

async function listenerOf(wanted: ServerKind): Promise<RequestListener> {
  if (wanted === 'node') {
    return (_, response) => {
      response.writeHead(302, {Location: target, 'Content-Length': 0}).end();
    };
  }
  const app = new Koa();
  if (wanted === 'koa') {
    app.use((ctx) => {
      ctx.redirect(target);
    });
  } else if (wanted === 'router') {
    const links = new Map([['measured', target]]);
    const router = new Router().get('/:slug', (ctx) => {
      const url = links.get(String(ctx.params['slug']));
      if (url !== undefined) ctx.redirect(url);
    });
    app.use(router.routes());
  } else {
    const router = new Router().get('/about', (ctx) => {
      ctx.body = page;
    });
    if (wanted !== 'page') {
      shortener = await shortenerFor({
        defer: wanted !== 'page-links-first' && wanted !== 'page-reserved',
        ...(wanted === 'page-reserved' && {reserved: router}),
        ...options,
      });
      app.use(shortener);
    }
    if (wanted !== 'links') app.use(router.routes());
  }
  const answer = app.callback();
  return (request, response) => void answer(request, response);
}

/** What is measured is what the package holds, not its source. */
async function shortenerFor(more: Partial<ShortUrlOptions>): Promise<ShortUrl> {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const {shortUrl} = (await import(built)) as typeof import('../src/index.ts');
  const made = shortUrl({baseUrl: 'http://example.com', ...more});
  await made.ready();
  await made.accounts.create('measured');
  return made;
}

async function close(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await shortener?.close();
  process.disconnect();
}

async function follow(order: Exclude<Order, 'close'>): Promise<Reply> {
  if (shortener === undefined) throw new Error('There are no links on this server');
  if (order === 'count') return {visits: await countVisits(shortener)};
  return create(shortener, order.create);
}

async function create({links}: ShortUrl, count: number): Promise<Reply> {
  const begin = performance.now();
  const made = await crowd(range(count), createsAtOnce, () => links.create('measured', {url: target}));
  return {
    milliseconds: performance.now() - begin,
    paths: made.map(({shortUrlPart}) => `/${shortUrlPart}`),
  };
}

async function countVisits({links}: ShortUrl): Promise<number> {
  let visits = 0;
  for await (const {totalVisits} of links.list('measured')) visits += totalVisits;
  return visits;
}
