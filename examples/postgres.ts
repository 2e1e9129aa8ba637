/** Links in the Postgres that the site has already, and a health check for the load balancer: `npm install @keyv/postgres`. */
import Koa from 'koa';
import {type ShortUrl, shortUrl} from 'koa-short-url';

export interface Settings {
  /** `postgres://user:password@host:5432/database`; the table `keyv` is made there if it is not there yet. */
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
