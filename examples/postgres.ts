/** Links in the site's Postgres database, and a health check for a load balancer: `npm install pg`. */
import Koa from 'koa';
import {type ShortUrl, shortUrl} from 'koa-short-url';

export interface Settings {
  /** `postgres://user:password@host:5432/database`; the tables are created there if they do not exist. */
  readonly database: string;
  readonly secret: string;
}

export function buildApp({database, secret}: Settings): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: database, secret});
  app.use(shortener);

  app.use(async (ctx) => {
    if (ctx.path !== '/healthz') return;
    try {
      await shortener.ready();
      ctx.body = 'ready';
    } catch {
      ctx.status = 503;
    }
  });
  return {app, shortener};
}
