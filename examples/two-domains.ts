/** A site with two short domains besides its own. A link has one domain, so `spring` may be a link on each of them. */
import Koa from 'koa';
import {type ShortUrl, shortUrl} from 'koa-short-url';

export function buildApp(): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({
    baseUrl: 'https://www.example.com', // for links that name no domain
    baseDomains: [
      'sho.rt', // https://sho.rt/spring
      'https://go.example.org/to', // https://go.example.org/to/spring
    ],
    store: 'memory:',
  });
  app.use(shortener);

  app.use((ctx) => {
    if (ctx.path !== '/') return;
    // A visitor who opens only the short domain gets the site.
    if (ctx.hostname === 'www.example.com') ctx.body = 'Home';
    else ctx.redirect('https://www.example.com/');
  });
  return {app, shortener};
}
