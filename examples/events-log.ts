/** Logs events and requests as lines of JSON. No line contains an API key, a password or a long URL. */
import Koa from 'koa';
import {type LinkEvent, redactUrl, type ShortUrl, shortUrl, type VisitEvent} from 'koa-short-url';

export function buildApp(write: (line: string) => void): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  const log = (event: string, details: object): void => {
    write(JSON.stringify({event, ...details}));
  };

  const logAs =
    (event: string) =>
    ({at, account, link}: LinkEvent | VisitEvent): void => {
      log(event, {at, account, shortUrl: link.shortUrl});
    };
  const changes = ['create', 'update', 'disable', 'enable', 'remove', 'block', 'unblock'] as const;
  for (const event of [...changes, 'visit'] as const) shortener.events.on(event, logAs(event));
  shortener.events.on('denied', ({at, reason, ip, shortUrl}) => {
    log('denied', {at, reason, ip, shortUrl});
  });
  shortener.events.on('error', ({code, message, cause}) => {
    log('error', {at: new Date(), code, message, cause: cause instanceof Error ? cause.message : undefined});
  });

  app.use(async (ctx, next) => {
    await next();
    // A path of the API may contain the API key.
    log('request', {at: new Date(), method: ctx.method, url: redactUrl(ctx.originalUrl), status: ctx.status});
  });
  app.use(shortener);
  return {app, shortener};
}
