// CommonJS for a compiler without require of an ES module, which has to use import(). See consumer.mts.
import type {ShortUrl} from 'koa-short-url' with {'resolution-mode': 'import'};
import Koa = require('koa');

async function start(): Promise<ShortUrl> {
  const {shortUrl} = await import('koa-short-url');
  // @ts-expect-error baseUrl is required
  shortUrl({store: 'memory:'});
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  new Koa().use(shortener).listen(3000);
  return shortener;
}

void start();
