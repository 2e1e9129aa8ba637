/** A site in its own process. `site-processes.ts` starts it and sends it requests. */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import {shortUrl} from '../../../src/index.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import type {EngineOptions} from './engines.ts';

/** The message from the parent. */
export interface Start {
  readonly options: EngineOptions;
  /** The engine, if the site is to open a client of it by itself. */
  readonly opens?: string | undefined;
}

/** The messages to the parent: the port, and each failure that the host would see. */
export type Notice = {readonly port: number} | {readonly failure: string};

process.on('unhandledRejection', (error) => {
  throw error;
});
// The process ends with the tests, however they end.
process.on('disconnect', () => process.exit());
process.once('message', (message: Start) => void start(message));

async function start({options, opens}: Start): Promise<void> {
  const store = opens === undefined ? options.store : await openStoreOf(opens, options.store);
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options, store});
  shortener.events.on('error', ({code, cause}) => {
    tell({failure: `${code}: ${String(cause)}`});
  });
  const app = new Koa();
  app.use(shortener);
  app.use(async (ctx, next) => {
    // The host's own pages, on which users register and rotate their key.
    const account = String(ctx.query['account']);
    if (ctx.path === '/account/create') ctx.body = await shortener.accounts.create(account);
    else if (ctx.path === '/account/rotate') ctx.body = await shortener.accounts.rotate(account);
    else await next();
  });
  await shortener.ready();
  const server = app.listen(0, '127.0.0.1');
  // On a busy machine a client may reuse a connection just as the server closes it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  tell({port: (server.address() as AddressInfo).port});
}

/** Loads the clients of all engines only where one is opened. */
async function openStoreOf(engine: string, store: string): Promise<StoreOption> {
  const {engineNamed, storeOn} = await import('./engines.ts');
  return storeOn(engineNamed(engine), store, {teardown: () => undefined});
}

function tell(notice: Notice): void {
  process.send?.(notice);
}
