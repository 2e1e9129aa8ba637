// A host's module, as templates of CommonJS sites and of bundlers compile it: test/long/types.test.ts compiles it too.
import Koa from 'koa';
import {type Link, type ShortUrl, shortUrl, ShortUrlError} from 'koa-short-url';
import {dashboard} from 'koa-short-url/dashboard';
import {toNodeHandler} from 'koa-short-url/node';
import {testShortUrl} from 'koa-short-url/testing';
import {exportLinks} from 'koa-short-url/tools';
import {toWebHandler} from 'koa-short-url/web';

const shortener: ShortUrl = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
new Koa().use(shortener).use(dashboard(shortener, {path: '/links', account: () => 'ann'}));
// @ts-expect-error baseUrl is required
shortUrl({store: 'memory:'});
// @ts-expect-error there is no such option
dashboard(shortener, {paht: '/links'});

export async function create(): Promise<Link> {
  try {
    return await shortener.links.create('ann', {url: 'https://example.org/'});
  } catch (error) {
    // @ts-expect-error a code is one of a closed set
    if (error instanceof ShortUrlError && error.code === 'not_found') throw error;
    throw error;
  }
}

export const handler = toNodeHandler(shortener);
export const webHandler = toWebHandler(shortener);
export const kit = testShortUrl({baseUrl: 'https://example.com'});
export const summary = exportLinks({store: 'memory:', to: process.stdout});
