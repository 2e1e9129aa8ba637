/** A site in its own process. `site-processes.ts` starts it and sends it requests. */
import {once} from 'node:events';
import type {AddressInfo} from 'node:net';
import Koa from 'koa';
import type * as Package from '../../../src/index.ts';
import type {ShortUrl} from '../../../src/index.ts';
import type {StoreOption} from '../../../src/store/opening/option.ts';
import type {Owner} from '../owner.ts';
import type {EngineOptions} from './engines.ts';

/** The message from the parent. */
export interface Start {
  readonly options: EngineOptions;
  /** The engine, if the site is to open a client of it by itself. */
  readonly opens?: string | undefined;
  /** The address of the package's module, if it is not that of this repository. */
  readonly program?: string | undefined;
}

/** What a call of `shortener.conversions` returned, or the code of its error. */
export type Converted = {readonly result: unknown} | {readonly error: string};

/**
 * The messages to the parent: the port, each failure that the host would see, each link that is announced as expired, and
 * what keeps a closed site running.
 */
export type Notice =
  | {readonly port: number}
  | {readonly failure: string}
  | {readonly expired: string}
  | {readonly resources: readonly string[]};

process.on('unhandledRejection', (error) => {
  throw error;
});
// The process ends with the tests, however they end.
const exit = (): void => process.exit();
process.on('disconnect', exit);
process.once('message', (message: Start) => void start(message));

async function start({options, opens, program}: Start): Promise<void> {
  const {shortUrl} = await (program === undefined
    ? import('../../../src/index.ts')
    : (import(program) as Promise<typeof Package>));
  const undos: Array<() => unknown> = [];
  const owner: Owner = {teardown: (undo) => void undos.push(undo)};
  const store = opens === undefined ? options.store : await openStoreOf(opens, options.store, owner);
  const shortener = shortUrl({baseUrl: 'https://example.com', ...options, store});
  shortener.events.on('error', ({code, cause}) => {
    tell({failure: `${code}: ${String(cause)}`});
  });
  shortener.events.on('expired', ({link}) => {
    tell({expired: link.shortUrl});
  });
  const app = new Koa();
  app.use(shortener);
  app.use(async (ctx, next) => {
    // The host's own pages, on which users register, rotate their key and buy.
    const account = String(ctx.query['account']);
    const [, convert] = /^\/conversions\/(\w+)$/.exec(ctx.path) ?? [];
    if (convert !== undefined) ctx.body = await converted(shortener, convert, JSON.parse(String(ctx.query['given'])));
    else if (ctx.path === '/account/create') ctx.body = await shortener.accounts.create(account);
    else if (ctx.path === '/account/rotate') ctx.body = await shortener.accounts.rotate(account);
    else await next();
  });
  await shortener.ready();
  const server = app.listen(0, '127.0.0.1');
  // On a busy machine a client may reuse a connection just as the server closes it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  tell({port: (server.address() as AddressInfo).port});
  // The second message asks the site to end as a host ends it. Then nothing is left, and the process ends by itself.
  process.once('message', () => {
    process.off('disconnect', exit);
    server.close();
    void shortener
      .close()
      .then(() => Promise.all(undos.map((undo) => undo())))
      .then(() => {
        tell({resources: process.getActiveResourcesInfo()});
        process.disconnect();
      });
  });
}

async function converted({conversions}: ShortUrl, method: string, given: unknown): Promise<Converted> {
  const calls = conversions as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  try {
    return {result: (await calls[method]?.(...(given as unknown[]))) ?? null};
  } catch (error) {
    return {error: (error as {code: string}).code};
  }
}

/** Loads the clients of all engines only where one is opened. */
async function openStoreOf(engine: string, store: string, owner: Owner): Promise<StoreOption> {
  const {engineNamed, storeOn} = await import('./engines.ts');
  return storeOn(engineNamed(engine), store, owner);
}

function tell(notice: Notice): void {
  process.send?.(notice);
}
