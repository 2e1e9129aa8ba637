/** A measured server, in a separate process. The first question starts it. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import type {ShortUrl, ShortUrlOptions} from '../src/index.ts';
import {crowd, range} from '../test/support/engines/crowd.ts';
import {answerParent} from './child.ts';

/** `koa` only redirects. `links` has only the middleware. The others have a page of a host, without and with it. */
export type ServerKind = 'koa' | 'links' | 'page' | 'page-deferred' | 'page-links-first';

export type Question =
  | {readonly do: 'start'; readonly kind: ServerKind; readonly options: Partial<ShortUrlOptions>}
  | {readonly do: 'create'; readonly count: number; readonly atOnce: number}
  | {readonly do: 'visits'}
  | {readonly do: 'usage'};

/** An answer has the fields that belong to its question. */
export interface Answer {
  readonly port?: number;
  /** CPU time of the process since its start, in microseconds. */
  readonly cpu?: number;
  /** The visits of all links. */
  readonly visits?: number;
  readonly paths?: readonly string[];
  /** The time for creating all links, and below the time for each. */
  readonly milliseconds?: number;
  readonly latencies?: readonly number[];
}

const target = 'https://destination.example/a/page/of/some/length?number=1';
const page =
  '<!doctype html><html lang="en"><title>About</title><p>A page of the host, of the size that small pages have.';

let shortener: ShortUrl | undefined;

answerParent(answer, async () => {
  await shortener?.close();
});

async function answer(question: Question): Promise<Answer> {
  if (question.do === 'start') return start(question.kind, question.options);
  if (question.do === 'usage') {
    const {user, system} = process.cpuUsage();
    return {cpu: user + system};
  }
  if (shortener === undefined) throw new Error('There are no links on this server');
  return question.do === 'visits' ? countVisits(shortener) : create(shortener, question.count, question.atOnce);
}

async function start(kind: ServerKind, options: Partial<ShortUrlOptions>): Promise<Answer> {
  const app = new Koa();
  if (kind === 'koa') {
    app.use((ctx) => {
      ctx.redirect(target);
    });
  }
  if (kind === 'links' || kind === 'page-deferred' || kind === 'page-links-first') {
    shortener = await shortenerFor({...options, defer: kind !== 'page-links-first'});
    app.use(shortener);
  }
  if (kind.startsWith('page')) {
    const router = new Router().get('/about', (ctx) => {
      ctx.body = page;
    });
    app.use(router.routes());
  }
  const respond = app.callback();
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  // The connections of the generator are idle while other servers are measured.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  return {port: (server.address() as AddressInfo).port};
}

/** Uses the built package, because that is what hosts run. */
async function shortenerFor(options: Partial<ShortUrlOptions>): Promise<ShortUrl> {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const {shortUrl} = (await import(built)) as typeof import('../src/index.ts');
  const made = shortUrl({baseUrl: 'http://example.com', ...options});
  await made.ready();
  await made.accounts.create('measured');
  return made;
}

async function create({links}: ShortUrl, count: number, atOnce: number): Promise<Answer> {
  const latencies: number[] = [];
  const begin = performance.now();
  const made = await crowd(range(count), atOnce, async () => {
    const asked = performance.now();
    const link = await links.create('measured', {url: target});
    latencies.push(performance.now() - asked);
    return link;
  });
  const milliseconds = performance.now() - begin;
  return {milliseconds, latencies, paths: made.map(({shortUrl}) => new URL(shortUrl).pathname)};
}

async function countVisits({links}: ShortUrl): Promise<Answer> {
  let visits = 0;
  for await (const {totalVisits} of links.list('measured')) visits += totalVisits;
  return {visits};
}
