import type {Middleware} from 'koa';
import {redactUrl} from 'koa-short-url';

/** Logs one line per request. `redactUrl` removes API keys and link passwords, which paths of the API may contain. */
export function accessLog({log}: Pick<Console, 'log'>): Middleware {
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    log(`${ctx.method} ${redactUrl(ctx.originalUrl)} ${ctx.status} ${(performance.now() - start).toFixed(1)} ms`);
  };
}
