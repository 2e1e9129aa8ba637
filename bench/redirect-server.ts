/** A measured server, in a separate process. The first question starts it. */
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';
import type {ShortUrlOptions} from '../src/index.ts';
import type {EngineOptions} from '../test/support/engines/engines.ts';
import {crowd, range} from '../test/support/engines/crowd.ts';
import {answerParent} from './child.ts';
import {writtenBytes} from './engine-use.ts';
import {collectGarbage} from './garbage.ts';
import {handWritten} from './hand-written.ts';
import {type MeasuredLinks, packaged, target} from './measured-links.ts';

/**
 * `koa` only redirects. `links` has only the middleware, `hand-written` another one for the comparison. The others have a
 * page of a host, without and with the middleware.
 */
export type ServerKind = 'koa' | 'links' | 'hand-written' | 'page' | 'page-deferred' | 'page-links-first';

export type Question =
  | Start
  | {readonly do: 'create'; readonly count: number; readonly atOnce: number}
  | {readonly do: 'visits'}
  | {readonly do: 'usage'};

interface Start {
  readonly do: 'start';
  readonly kind: ServerKind;
  readonly options: Partial<ShortUrlOptions>;
  /** The paths of the links, for the counter written by hand. */
  readonly paths?: readonly string[];
}

/** An answer has the fields that belong to its question. */
export interface Answer {
  readonly port?: number;
  /** CPU time of the process since its start, in microseconds. */
  readonly cpu?: number;
  /** What the process has written to files since its start, in bytes. */
  readonly written?: number;
  /** The visits of all links. */
  readonly visits?: number;
  readonly paths?: readonly string[];
  /** The time for creating all links, and below the time for each. */
  readonly milliseconds?: number;
  readonly latencies?: readonly number[];
}

const page =
  '<!doctype html><html lang="en"><title>About</title><p>A page of the host, of the size that small pages have.';

let links: MeasuredLinks | undefined;

answerParent(answer, async () => {
  await links?.close();
});

async function answer(question: Question): Promise<Answer> {
  if (question.do === 'start') return start(question);
  if (question.do === 'usage') {
    const {user, system} = process.cpuUsage();
    return {cpu: user + system, written: writtenBytes()};
  }
  if (links === undefined) throw new Error('There are no links on this server');
  return question.do === 'visits' ? {visits: await links.visits()} : create(links, question.count, question.atOnce);
}

async function start({kind, options, paths = []}: Start): Promise<Answer> {
  const app = new Koa();
  if (kind === 'koa') {
    app.use((ctx) => {
      ctx.redirect(target);
    });
  }
  links = await linksOf(kind, options, paths);
  if (links) app.use(links.middleware);
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
  collectGarbage();
  return {port: (server.address() as AddressInfo).port};
}

function linksOf(
  kind: ServerKind,
  options: Partial<ShortUrlOptions>,
  paths: readonly string[],
): Promise<MeasuredLinks> | undefined {
  if (kind === 'koa' || kind === 'page') return undefined;
  if (kind === 'hand-written') return handWritten(options as EngineOptions, paths);
  return packaged({...options, defer: kind !== 'page-links-first'});
}

async function create(made: MeasuredLinks, count: number, atOnce: number): Promise<Answer> {
  const latencies: number[] = [];
  const begin = performance.now();
  const paths = await crowd(range(count), atOnce, async () => {
    const asked = performance.now();
    const path = await made.create?.();
    if (path === undefined) throw new Error('The links of this server were given at its start');
    latencies.push(performance.now() - asked);
    return path;
  });
  const milliseconds = performance.now() - begin;
  collectGarbage();
  return {milliseconds, latencies, paths};
}
