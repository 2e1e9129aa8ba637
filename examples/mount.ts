import Koa from 'koa';
import {type ShortUrl, shortUrl, type ShortUrlOptions} from 'koa-short-url';

export function buildApp({baseUrl, store, secret}: ShortUrlOptions): {app: Koa; shortener: ShortUrl} {
  const app = new Koa(); // the site you have
  const shortener = shortUrl({baseUrl, store, secret});
  app.use(shortener);

  app.use((ctx) => {
    if (ctx.path === '/') ctx.body = 'Your pages answer as before.';
  });
  return {app, shortener};
}
