import type {Middleware} from 'koa';
import {redactUrl} from 'koa-short-url';

/** One line for each request. The API carries its key and link passwords in the path: `redactUrl` takes them out. */
export function accessLog({log}: Pick<Console, 'log'>): Middleware {
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    log(`${ctx.method} ${redactUrl(ctx.originalUrl)} ${ctx.status} ${(performance.now() - start).toFixed(1)} ms`);
  };
}
