/** Short URLs and the API under `/s`, with koa-mount. All other paths are the site's. */
import Koa from 'koa';
import mount from 'koa-mount';
import {type ShortUrl, shortUrl} from 'koa-short-url';

export function buildApp(): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  // The prefix is a part of `baseUrl`, so that short URLs are built with it.
  const shortener = shortUrl({baseUrl: 'https://example.com/s', store: 'memory:'});
  app.use(mount('/s', shortener));

  app.use((ctx) => {
    if (ctx.path === '/') ctx.body = 'Home';
  });
  return {app, shortener};
}
