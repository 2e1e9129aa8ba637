import {randomBytes} from 'node:crypto';
import type {RequestListener} from 'node:http';
import {join} from 'node:path';
import {bodyParser} from '@koa/bodyparser';
import Router from '@koa/router';
import type {ExecutionContext} from 'ava';
import connect from 'connect';
import express from 'express';
import Koa, {type Middleware, type Next} from 'koa';
import Koa2 from 'koa2';
import mount from 'koa-mount';
import {toNodeHandler} from '../../src/node.ts';
import {temporaryFolder} from './folder.ts';
import {hostApi, notFound, notFoundAfterwards, pages, routedPages} from './host.ts';
import {asWebSite} from './web.ts';

/** A way to mount the middleware in a host app. */
export interface Mount {
  readonly Koa: typeof Koa;
  /** The path prefix of `baseUrl`. */
  readonly base: '' | '/s';
  /** A domain of the site with another path, if this mount passes that path on. */
  readonly otherBaseUrl: string;
  /** The option `defer`; undefined for the default. */
  readonly defer: boolean | undefined;
  /** The text of the host's own 404 page. */
  readonly notFound: string;
  /** `downstream` is a middleware of the test, after the shortener and before the host's pages. */
  assemble(app: Koa, shortener: Middleware, downstream: Middleware): void;
  /** Whether the site gets a `Request`, in whose path dot segments and backslashes are resolved. */
  readonly hasResolvedPaths?: true;
  /** The server's listener, if it is not the app's own. */
  readonly listener?: (app: Koa) => RequestListener;
}

/** The store of the links. */
export interface Backend {
  readonly persistent: boolean;
  open(t: Pick<ExecutionContext, 'teardown'>): Promise<{store: string; secret?: string; namespace?: string}>;
}

export interface World {
  readonly mount: Mount;
  readonly backend: Backend;
  /** Where API calls have their key: by default in the path. */
  readonly keyIn?: 'path' | 'header';
  /** Whether every link asks before it opens, and visitors press the button. */
  readonly asks?: boolean;
}

/** Those of some ends of paths that a site gets as they are sent. */
export function arriving({mount}: World, ends: readonly string[]): readonly string[] {
  const resolved = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|[\\#]/i;
  return mount.hasResolvedPaths ? ends.filter((end) => !resolved.test(end)) : ends;
}

const usual: Mount = {
  Koa,
  base: '',
  otherBaseUrl: 'https://go.example.org/x',
  defer: undefined,
  notFound: 'No such page on this site.',
  assemble(app, shortener, downstream) {
    app.use(shortener).use(downstream).use(pages('')).use(hostApi('')).use(notFound);
  },
};

/** Answers a failure as Koa does. */
const answerError: express.ErrorRequestHandler = (error: HttpError, _request, response, next) => {
  if (response.headersSent) next(error);
  else if (error.code === 'ENOENT') response.status(404).type('text').send('Not Found');
  else
    response
      .status(error.status ?? 500)
      .type('text')
      .send(error.expose ? error.message : 'Internal Server Error');
};

interface HttpError extends Error {
  readonly status?: number;
  readonly expose?: boolean;
  readonly code?: string;
}

/** The site in one middleware, by the app of Koa that stands for it in the tests. */
const whole = new WeakMap<Koa, Middleware>();

function assembleWhole(app: Koa, shortener: Middleware, downstream: Middleware): void {
  const parts = [shortener, downstream, pages(''), hostApi('')];
  whole.set(app, (ctx, next) =>
    parts.reduceRight<Next>((rest, part) => async () => (await part(ctx, rest)) as unknown, next)(),
  );
}

export const mounts = {
  'at the root on Koa 3': usual,
  'on Koa 2': {...usual, Koa: Koa2},
  'with a path prefix in baseUrl': {
    ...usual,
    base: '/s',
    assemble(app, shortener, downstream) {
      app.use(shortener).use(downstream).use(pages('/s')).use(hostApi('/s')).use(notFound);
    },
  },
  'under koa-mount': {
    ...usual,
    base: '/s',
    otherBaseUrl: 'https://go.example.org/s',
    assemble(app, shortener, downstream) {
      app.use(mount('/s', shortener)).use(downstream).use(pages('/s')).use(hostApi('/s')).use(notFound);
    },
  },
  'inside Connect under a prefix': {
    ...usual,
    base: '/s',
    otherBaseUrl: 'https://go.example.org/s',
    assemble(app, shortener, downstream) {
      // The tests' pages expect the full path.
      const withPrefix: Middleware = async (ctx, next) => {
        ctx.url = (ctx.req as {originalUrl?: string}).originalUrl ?? '';
        await next();
      };
      app.use(shortener).use(withPrefix).use(downstream).use(pages('/s')).use(hostApi('/s')).use(notFound);
    },
    listener(app) {
      const inside = app.callback();
      const around = new Koa().use(pages('/s')).use(notFound).callback();
      return connect()
        .use('/s', (request, response) => void inside(request, response))
        .use((request, response) => void around(request, response));
    },
  },
  'inside Express': {
    ...usual,
    assemble: assembleWhole,
    listener: (app) =>
      express()
        .use(toNodeHandler(whole.get(app) ?? notFound, {proxy: app.proxy}))
        .use((_request, response) => void response.status(404).type('text').send(usual.notFound))
        .use(answerError),
  },
  'in a site of requests and responses': {
    ...usual,
    assemble: assembleWhole,
    hasResolvedPaths: true,
    listener: (app) => asWebSite(whole.get(app) ?? notFound, {missing: usual.notFound, proxy: app.proxy}),
  },
  'inside a catch-all of @koa/router': {
    ...usual,
    assemble(app, shortener, downstream) {
      const router = new Router();
      router.all('/{*path}', shortener);
      app.use(router.routes()).use(downstream).use(pages('')).use(hostApi('')).use(notFound);
    },
  },
  'behind a body parser': {
    ...usual,
    assemble(app, shortener, downstream) {
      app.use(bodyParser()).use(shortener).use(downstream).use(pages('')).use(hostApi('')).use(notFound);
    },
  },
  'behind the host’s routes': {
    ...usual,
    assemble(app, shortener, downstream) {
      app.use(notFoundAfterwards).use(pages('')).use(shortener).use(downstream).use(hostApi(''));
    },
  },
  'before the host’s routes': {
    ...usual,
    notFound: 'Not Found',
    assemble(app, shortener, downstream) {
      const router = routedPages();
      app.use(shortener).use(downstream).use(router.routes()).use(router.allowedMethods());
    },
  },
  'with defer: false': {...usual, defer: false},
} satisfies Record<string, Mount>;

export const memory: Backend = {
  persistent: false,
  open: async () => ({store: 'memory:'}),
};

export const sqlite: Backend = {
  persistent: true,
  async open(t) {
    return {
      store: `sqlite:${join(await temporaryFolder(t), 'links.db')}`,
      secret: randomBytes(24).toString('base64url'),
    };
  },
};

export const memoryAtRoot: World = {mount: usual, backend: memory};
