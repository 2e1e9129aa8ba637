import {text} from 'node:stream/consumers';
import Router from '@koa/router';
import type {Context, Middleware, Next} from 'koa';

/** The pages of a site without short URLs, under `base`. */
export function pages(base: string): Middleware {
  return async (ctx, next) => {
    if (ctx.path === '/' || ctx.path === `${base}/`) ctx.body = 'Home';
    else if (ctx.path === `${base}/about`) ctx.body = 'About this site';
    else if (ctx.path === `${base}/echo` && ctx.method === 'POST') ctx.body = await received(ctx);
    else await next();
  };
}

/** An API of the host, which answers every path below it. */
export function hostApi(base: string): Middleware {
  return async (ctx, next) => {
    if (ctx.path.startsWith(`${base}/api/`)) ctx.body = `The host’s ${ctx.method} ${ctx.url}`;
    else await next();
  };
}

/** The same pages, as routes of @koa/router. */
export function routedPages(): Router {
  const router = new Router();
  router.get('/', (ctx) => {
    ctx.body = 'Home';
  });
  router.get('/about', (ctx) => {
    ctx.body = 'About this site';
  });
  router.post('/echo', async (ctx) => {
    ctx.body = await received(ctx);
  });
  router.all('/api/{*path}', (ctx) => {
    ctx.body = `The host’s ${ctx.method} ${ctx.url}`;
  });
  return router;
}

/** A 404 page as the last middleware. */
export function notFound(ctx: Context): void {
  ctx.status = 404;
  ctx.body = 'No such page on this site.';
}

/** A 404 page as the first middleware, shown after the others had no answer. */
export async function notFoundAfterwards(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.status !== 404 || ctx.body !== undefined) return;
  ctx.status = 404;
  ctx.body = 'No such page on this site.';
}

async function received(ctx: Context): Promise<string> {
  const {rawBody} = ctx.request as {rawBody?: string};
  return rawBody ?? text(ctx.req);
}
