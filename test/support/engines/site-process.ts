/** A site in a process of its own; `site-processes.ts` starts it, and talks to it as browsers do. */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';
import type {EngineOptions} from './engines.ts';

/** What it tells its parent: where it listens, and each failure that a host would hear of. */
export type Notice = {readonly port: number} | {readonly failure: string};

process.on('unhandledRejection', (error) => {
  throw error;
});
// It does not outlive the tests, however they end.
process.on('disconnect', () => process.exit());
process.once('message', (options: EngineOptions) => void start(options));

async function start(options: EngineOptions): Promise<void> {
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options});
  shortener.events.on('error', ({code, cause}) => {
    tell({failure: `${code}: ${String(cause)}`});
  });
  const app = new Koa();
  app.use(shortener);
  app.use(async (ctx, next) => {
    // The host's own pages, where its users register and ask for a new key.
    const account = String(ctx.query['account']);
    if (ctx.path === '/account/create') ctx.body = await shortener.accounts.create(account);
    else if (ctx.path === '/account/rotate') ctx.body = await shortener.accounts.rotate(account);
    else await next();
  });
  await shortener.ready();
  const server = app.listen(0, '127.0.0.1');
  // On a busy machine a client would use a connection in the moment in which the server closes it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  tell({port: (server.address() as AddressInfo).port});
}

function tell(notice: Notice): void {
  process.send?.(notice);
}
