import Koa from 'koa';
import {shortUrl} from 'koa-short-url';

export function buildApp({baseUrl, store, secret}) {
  const app = new Koa(); // the site you have
  const shortener = shortUrl({baseUrl, store, secret});
  app.use(shortener);

  app.use((ctx) => {
    if (ctx.path === '/') ctx.body = 'Your pages answer as before.';
  });
  return {app, shortener};
}
