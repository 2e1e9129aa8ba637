import type {Middleware} from 'koa';
import {Accounts} from './accounts/accounts.ts';
import {KeyAttempts} from './accounts/key-attempts.ts';
import {Seal} from './accounts/seal.ts';
import {ShortUrlError} from './errors.ts';
import {type ShortUrlEvents} from './events.ts';
import {Announcer} from './announcer.ts';
import {Api} from './http/api.ts';
import {createMiddleware} from './http/middleware.ts';
import type {Report} from './http/request.ts';
import {Visitor} from './http/visitor.ts';
import {PasswordAttempts} from './links/attempts.ts';
import {CreateQuota} from './links/create-quota.ts';
import type {ActivePage, CreateLink, Link, LinkStats, Page} from './links/link.ts';
import {Links} from './links/links.ts';
import {Redirects} from './links/redirects.ts';
import {VisitLog} from './links/visit-log.ts';
import {type ShortUrlOptions} from './options.ts';
import {readOptions} from './settings.ts';
import {openStore} from './store/open.ts';

/** Accounts, which the host makes for its users (specification, section 5). `account` is the host's own name for one. */
export interface ShortUrlAccounts {
  /** The one API key of the account; the account is made if it is not there yet. */
  create(account: string): Promise<{apiKey: string}>;
  /** The same key, to show it after login; undefined if there is no such account. */
  apiKey(account: string): Promise<string | undefined>;
  /** A new key; the old one stops at once. Rejects with `invalid_api_key` if there is no such account. */
  rotate(account: string): Promise<{apiKey: string}>;
  /** Ends the account: its key stops at once and its links answer 410. Resolves also if there is none. */
  remove(account: string): Promise<void>;
}

/**
 * What the HTTP API can do, through the same code (specification, section 4). Everything rejects with a
 * `ShortUrlError`: the codes of the HTTP API, and `invalid_api_key` if there is no such account. Only what is no name
 * of an account at all (a string of 1 to 255 characters) is a `TypeError`.
 */
export interface ShortUrlLinks {
  create(account: string, link: CreateLink): Promise<Link>;
  disable(account: string, shortUrl: string): Promise<Link>;
  enable(account: string, shortUrl: string): Promise<Link>;
  info(account: string, shortUrl: string): Promise<Link>;
  /** The visits by day, which the HTTP API does not give. */
  stats(account: string, shortUrl: string): Promise<LinkStats>;
  /** All links, whatever their status, oldest first, in bounded memory. */
  list(account: string): AsyncGenerator<Link>;
  /** The active links, oldest first, in bounded memory. */
  listActive(account: string): AsyncGenerator<Pick<Link, 'shortUrl'>>;
  /** The same, a page at a time. */
  pageActive(account: string, page?: Page): Promise<ActivePage>;
}

/** A link shortener: the middleware itself, and what the host does with it besides. */
export interface ShortUrl extends Middleware {
  readonly accounts: ShortUrlAccounts;
  readonly links: ShortUrlLinks;
  readonly events: ShortUrlEvents;
  /** Resolves when the store answers; rejects with `store_unavailable` and the cause if it does not. */
  ready(): Promise<void>;
  /** Stores what is pending, for at most 5 seconds, then lets the store go. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long `close` waits for visits to be stored, in milliseconds. */
const closeBound = 5000;

/**
 * Gives a Koa site its own link shortener.
 *
 * @throws TypeError for an option that is wrong or unknown
 * @example
 * const shortener = shortUrl({baseUrl: 'https://example.com', store: 'sqlite:links.db', secret: process.env.SECRET});
 * app.use(shortener);
 */
export function shortUrl(options: ShortUrlOptions): ShortUrl {
  const settings = readOptions(options);
  const {bases, reserved, now} = settings;
  const announcer = new Announcer();
  const told = new WeakSet<ShortUrlError>();
  /** Tells the host's listeners of a failure, once. */
  const tell = (error: ShortUrlError): void => {
    if (!told.has(error)) announcer.announce('error', error);
    told.add(error);
  };
  /** The same for a failure of a request. The store itself tells of an outage, once and not for each request. */
  const report: Report = (error, ctx) => {
    if (error.code !== 'internal_error') return;
    tell(error);
    try {
      ctx.app.emit('error', error, ctx);
    } catch (cause) {
      process.emitWarning(new ShortUrlError('internal_error', "A listener of the app's error event failed.", {cause}));
    }
  };

  const store = openStore(settings.store, {
    namespace: settings.namespace,
    timeout: settings.storeTimeout,
    onOutage: (error) => {
      tell(error instanceof ShortUrlError ? error : outage(error));
    },
    onUnreadable: tell,
  });
  const log = new VisitLog(store, tell);
  const redirects = new Redirects(store, log, now);
  const accounts: Accounts = new Accounts(store, new Seal(settings.secrets), (account) => links.removeAll(account));
  const links = new Links({
    store,
    accounts,
    bases,
    reserved,
    slugLength: settings.slugLength,
    quota: new CreateQuota({store, quota: settings.createQuota, now}),
    allowUrl: settings.allowUrl,
    redirects,
    announcer,
    now,
  });
  const middleware = createMiddleware({
    api: new Api({keys: new KeyAttempts({accounts, limit: settings.keyAttempts, now}), links, announcer, now}),
    visitor: new Visitor({
      redirects,
      bases,
      attempts: new PasswordAttempts(store, settings.passwordAttempts, now),
      announcer,
      report,
      redirectStatus: settings.redirectStatus,
      countVisit: settings.countVisit,
      pages: settings.pages,
      now,
    }),
    bases,
    reserved,
    report,
    tell,
    defer: settings.defer,
  });

  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    const lost = await log.close(closeBound);
    if (lost > 0) {
      const message = `The store did not take ${lost} visits in time.`;
      tell(new ShortUrlError('store_unavailable', message));
    }
    await store.close();
  }
  const close = (): Promise<void> => (closing ??= closeAll());

  if (settings.store === undefined) {
    process.emitWarning('koa-short-url keeps links in memory, where they end with the process; give it a `store`.');
  }
  return Object.assign(middleware, {
    accounts: {
      create: async (account: string) => ({apiKey: await accounts.create(account)}),
      apiKey: async (account: string) => accounts.apiKey(account),
      rotate: async (account: string) => ({apiKey: await accounts.rotate(account)}),
      remove: async (account: string) => accounts.remove(account),
    },
    links: new AccountLinks(links, accounts),
    events: announcer.events,
    ready: async () => store.ping(),
    close,
    [Symbol.asyncDispose]: close,
  });
}

/** The operations, for an account that is given by its name. */
class AccountLinks implements ShortUrlLinks {
  readonly #links: Links;
  readonly #accounts: Accounts;

  constructor(links: Links, accounts: Accounts) {
    this.#links = links;
    this.#accounts = accounts;
  }

  async create(account: string, link: CreateLink): Promise<Link> {
    return this.#links.create(await this.#accounts.require(account), link);
  }

  async disable(account: string, shortUrl: string): Promise<Link> {
    return this.#links.disable(await this.#accounts.require(account), shortUrl);
  }

  async enable(account: string, shortUrl: string): Promise<Link> {
    return this.#links.enable(await this.#accounts.require(account), shortUrl);
  }

  async info(account: string, shortUrl: string): Promise<Link> {
    return this.#links.info(await this.#accounts.require(account), shortUrl);
  }

  async stats(account: string, shortUrl: string): Promise<LinkStats> {
    return this.#links.stats(await this.#accounts.require(account), shortUrl);
  }

  async *list(account: string): AsyncGenerator<Link> {
    yield* this.#links.list(await this.#accounts.require(account));
  }

  async *listActive(account: string): AsyncGenerator<Pick<Link, 'shortUrl'>> {
    for await (const links of this.#links.listActive(await this.#accounts.require(account))) yield* links;
  }

  async pageActive(account: string, page: Page = {}): Promise<ActivePage> {
    return this.#links.pageActive(await this.#accounts.require(account), page);
  }
}

function outage(cause: unknown): ShortUrlError {
  return new ShortUrlError('store_unavailable', 'The connection to the store failed.', {cause});
}
