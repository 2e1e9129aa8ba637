// The same host in CommonJS; see consumer.mts.
import Koa = require('koa');
import koaShortUrl = require('koa-short-url');
import testing = require('koa-short-url/testing');

const {shortUrl, ShortUrlError, redactUrl} = koaShortUrl;

const app = new Koa();
const shortener: koaShortUrl.ShortUrl = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
app.use(shortener);
shortener.events.on('visit', ({link, at}) => {
  console.log(redactUrl(link.shortUrl), at.toISOString());
});
// @ts-expect-error baseUrl is required
shortUrl({store: 'memory:'});
// @ts-expect-error no such export
koaShortUrl.default();

const failure = new ShortUrlError('invalid_url', 'An example.');
const code: koaShortUrl.ErrorCode = failure.code;
// @ts-expect-error a code is one of a closed set
const wrongCode: koaShortUrl.ErrorCode = 'not_found';
console.log(code, wrongCode);
// @ts-expect-error the store is the kit's
void testing.testShortUrl({store: 'memory:'});
