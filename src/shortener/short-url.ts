import type {Context, Middleware} from 'koa';
import {type Account, type AccountName, Accounts} from '../accounts/accounts.ts';
import {type ApiKey, type CreatedApiKey, type CreateKey, Keys} from '../accounts/keys.ts';
import {KeyAttempts} from '../accounts/key-attempts.ts';
import {SecretCheck} from '../accounts/sealed-keys.ts';
import {ShortUrlError} from '../host/errors.ts';
import {type ShortUrlEvents} from '../links/events.ts';
import {Announcer} from '../links/announcer.ts';
import {type Health, readHealth} from './health.ts';
import {createAnswers} from '../http/answers.ts';
import {Api} from '../http/api/api.ts';
import {parseCall} from '../http/call.ts';
import {createMiddleware} from '../http/middleware.ts';
import {Destinations} from '../http/visit/destination.ts';
import {Marker, tokenOf} from '../http/visit/via.ts';
import {VisitDetails} from '../http/visit/visit-details.ts';
import {Visitor} from '../http/visit/visitor.ts';
import {Admin} from '../links/admin.ts';
import {PasswordAttempts} from '../visits/attempts.ts';
import type {
  AccountInfo,
  AccountPage,
  AccountQuery,
  AccountStats,
  ActivePage,
  AdminLinkPage,
  AdminLinkQuery,
  Block,
  Conversion,
  CreateLink,
  CreateOptions,
  CreateResult,
  Link,
  LinkChange,
  LinkFilter,
  LinkPage,
  LinkQuery,
  LinkStats,
  ListedAccount,
  OwnedLink,
  Page,
  RecordedConversion,
  RemovedLink,
  SiteStats,
  StatsQuery,
  TagLinks,
  UpdateLink,
  UpdateResult,
} from '../link/link.ts';
import {packing} from '../link/packing.ts';
import {Links} from '../links/links.ts';
import type {SweepOptions} from '../links/change/sweep.ts';
import type {QrCode, QrFormat, QrOptions} from '../links/qr/qr-code.ts';
import {type ShortUrlOptions} from './options.ts';
import {Hints} from '../site/hints.ts';
import {slugsAt} from '../site/reserved.ts';
import {readOptions} from './settings.ts';
import {buildServices} from './services.ts';
import type {LinkName} from '../link/bases.ts';
import {openStore} from '../store/opening/open.ts';
import {warn} from '../host/warnings.ts';

/**
 * Accounts, one for each user of the host (docs/getting-started.md). `account` is the host's name for the user: a string
 * of 1 to 255 characters or a safe integer. 42 and '42' name the same account. Anything else is a TypeError.
 */
export interface ShortUrlAccounts {
  /** Creates the account if it does not exist, and resolves with its API key. Idempotent. */
  create(account: AccountName): Promise<{apiKey: string}>;
  /** The API key of the account, to show after login; undefined if there is no such account. */
  apiKey(account: AccountName): Promise<string | undefined>;
  /** Replaces the key. The old one is invalid at once. Rejects with `invalid_api_key` if there is no such account. */
  rotate(account: AccountName): Promise<{apiKey: string}>;
  /** Removes the account: its key is invalid at once, and its links answer 410. Idempotent. */
  remove(account: AccountName): Promise<void>;
  /** The visits of all links of the account. Rejects with `invalid_api_key` if there is no such account. */
  stats(account: AccountName, query?: StatsQuery): Promise<AccountStats>;
}

/**
 * More API keys of an account, each with a label and a scope (docs/reference.md). All methods reject with
 * `invalid_api_key` if there is no such account, and with `account_blocked` if the operator has blocked it.
 */
export interface ShortUrlKeys {
  /**
   * Creates a key, at most 20 per account. `apiKey` is returned only here, because the store has only its digest. Rejects
   * with `missing_parameter`, `malformed_parameter` or `unknown_parameter` for invalid input, or with `too_many_keys`.
   */
  create(account: AccountName, key: CreateKey): Promise<CreatedApiKey>;
  /** The labelled keys, oldest first. The account's first key is not included. */
  list(account: AccountName): Promise<readonly ApiKey[]>;
  /** Revokes a key at once, in every process. Rejects with `unknown_key` if the account has no key with this id. */
  revoke(account: AccountName, id: string): Promise<void>;
}

/** For the operator of the site, who can see and block every link and every account (docs/reference.md). */
export interface ShortUrlAdmin {
  /** The link at a short URL, with its account; undefined if there is no such link. */
  find(shortUrl: string): Promise<OwnedLink | undefined>;
  /**
   * Blocks a link: its status is `disabled`, and its account can neither enable nor update it. No redirect begins after
   * the promise has resolved. The owner sees the reason, if one is given. Rejects with `unknown_short_url` if there is no
   * such link, and with `malformed_parameter` or `unknown_parameter` for an invalid `block`.
   */
  block(shortUrl: string, block?: Block): Promise<OwnedLink>;
  /** Ends a block and restores the status that the account gave the link. Rejects as `block` does. */
  unblock(shortUrl: string): Promise<OwnedLink>;
  /** The links of all accounts, or of one, a page at a time. Rejects with `malformed_parameter` or `unknown_parameter`. */
  pageLinks(query?: AdminLinkQuery): Promise<AdminLinkPage>;
  /** An account with the visits of its links; undefined if there is no such account. */
  account(account: AccountName): Promise<AccountInfo | undefined>;
  /**
   * Blocks an account: API calls with its keys and its operations in `links` and `keys` are refused with
   * `account_blocked`, and its links answer 410. No redirect begins after the promise has resolved. The call takes longer
   * the more links the account has. Idempotent: call it again to complete an interrupted block. Rejects with
   * `invalid_api_key` if there is no such account, or as `block` does.
   */
  blockAccount(account: AccountName, block?: Block): Promise<void>;
  /** Ends a block. Links that were blocked one by one stay blocked. Idempotent. */
  unblockAccount(account: AccountName): Promise<void>;
  /** The totals of the whole site, cached for a minute. Reads the totals of each account. */
  stats(query?: StatsQuery): Promise<SiteStats>;
  /**
   * Removes links that expired, or were last visited, so many days ago, and yields each as it was. The shortener never
   * calls it by itself. A consumer that stops early stops the sweep. Rejects with `malformed_parameter` or
   * `unknown_parameter`.
   */
  sweep(options: SweepOptions): AsyncGenerator<OwnedLink>;
  /** All accounts, oldest first, in bounded memory. */
  accounts(): AsyncGenerator<ListedAccount>;
  /** A page of accounts, by default the newest first. Rejects with `malformed_parameter` or `unknown_parameter`. */
  pageAccounts(query?: AccountQuery): Promise<AccountPage>;
}

/**
 * The operations of the HTTP API as methods. They reject with a `ShortUrlError`: `invalid_api_key` if there is no such
 * account, `account_blocked` if the operator has blocked it, `unknown_short_url` if the account has no link with that
 * full short URL. docs/reference.md lists the other codes. An account that is neither a string of 1 to 255 characters nor
 * a safe integer is a TypeError.
 */
export interface ShortUrlLinks {
  /**
   * Creates a link. Rejects with the code of the first invalid value, with `custom_url_taken`, or with
   * `idempotency_key_reused`.
   */
  create(account: AccountName, link: CreateLink, options?: CreateOptions): Promise<Link>;
  /**
   * Creates many links, up to 50 at once, and yields the results in order. An error of one link does not affect the
   * others. The input is read only as fast as the results are consumed. An error of the input is thrown after the
   * results of the links before it.
   */
  createMany(
    account: AccountName,
    links: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult>;
  /**
   * Changes many links: their fields, as `update` does, or their status, but not both in one change. Otherwise it works
   * as `createMany` does. Changes to the same link are made in order. For a removed link it yields the result of `remove`.
   */
  updateMany(
    account: AccountName,
    changes: Iterable<LinkChange> | AsyncIterable<LinkChange>,
  ): AsyncGenerator<UpdateResult>;
  /** Changes the given fields. Once it resolves, all visitors get the changed link. May reject with `link_blocked`. */
  update(account: AccountName, shortUrl: string, changes: UpdateLink): Promise<Link>;
  /** Removes a link for good: it answers 410, and only this account can use its short part again. */
  remove(account: AccountName, shortUrl: string): Promise<RemovedLink>;
  /** Disables a link. No redirect begins after the promise has resolved. Idempotent. */
  disable(account: AccountName, shortUrl: string): Promise<Link>;
  /** Enables a disabled link. Idempotent. May reject with `link_expired` or `link_blocked`. */
  enable(account: AccountName, shortUrl: string): Promise<Link>;
  /** The link with its visit total. */
  info(account: AccountName, shortUrl: string): Promise<Link>;
  /** The visits of a link by day and by detail. */
  stats(account: AccountName, shortUrl: string, query?: StatsQuery): Promise<LinkStats>;
  /** The QR code of a link: the text of an SVG, or the bytes of a PNG. May reject with `malformed_parameter`. */
  qr<Format extends QrFormat = 'svg'>(
    account: AccountName,
    shortUrl: string,
    options?: QrOptions<Format>,
  ): Promise<QrCode<Format>>;
  /** A page of links, by default the newest first. */
  page(account: AccountName, query?: LinkQuery): Promise<LinkPage>;
  /** The tags of all links, the most used first. Reads the whole list, in bounded memory apart from the tags. */
  tags(account: AccountName): Promise<TagLinks[]>;
  /** All links that match the filter, by default the oldest first, in bounded memory. */
  list(account: AccountName, filter?: LinkFilter): AsyncGenerator<Link>;
  /** All active links, the oldest first, in bounded memory. */
  listActive(account: AccountName): AsyncGenerator<Pick<Link, 'shortUrl'>>;
  /** A page of the active links, the oldest first. */
  pageActive(account: AccountName, page?: Page): Promise<ActivePage>;
}

/** What the visitors of links do on the site, such as orders (docs/conversions.md). */
export interface ShortUrlConversions {
  /**
   * Records that a customer has done something, for the link that brought this person. The same name and id count once in
   * 400 days, in all processes, so a call can be repeated until it succeeds. Rejects with `missing_parameter`,
   * `malformed_parameter`, `unknown_parameter` or `store_unavailable`.
   *
   * @param customer the request of the customer, or the value of the cookie `short_url_via` in `via`
   * @returns undefined if no link brought the customer in the time of `attribution.maxAge`
   * @example
   * await shortener.conversions.record(ctx, {name: 'order', id: order.id, value: order.cents});
   */
  record(
    customer: Pick<Context, 'cookies'> | {readonly via: unknown},
    conversion: Conversion,
  ): Promise<RecordedConversion | undefined>;
}

/** A link shortener: a Koa middleware with the programmatic interface as its properties (docs/reference.md). */
export interface ShortUrl extends Middleware {
  readonly accounts: ShortUrlAccounts;
  readonly links: ShortUrlLinks;
  readonly keys: ShortUrlKeys;
  readonly conversions: ShortUrlConversions;
  readonly admin: ShortUrlAdmin;
  readonly events: ShortUrlEvents;
  /** The base URLs of short URLs, without a trailing slash: `baseUrl` first, then those of `baseDomains`. */
  readonly baseUrls: readonly string[];
  /**
   * The option `timeZone`.
   *
   * @internal
   */
  readonly timeZone: string;
  /** The clock of the shortener: milliseconds since the epoch. */
  now(): number;
  /**
   * Whether a request is the shortener's: a call of its API, or the GET, HEAD or POST of a short URL whose link exists. A
   * login or a check of tokens in front of it lets these pass (docs/getting-started.md). Reads the store at most once, and changes
   * and counts nothing. False while the store does not answer, unless the link was seen in the last five minutes.
   *
   * @example
   * app.use(async (ctx, next) => ((await shortener.answers(ctx)) ? next() : csrf(ctx, next)));
   */
  answers(ctx: Context): Promise<boolean>;
  /**
   * Reserves the first segments of these paths for a dashboard.
   *
   * @param wasReached whether its middleware was ever called; a warning is printed if it was not
   * @internal
   */
  reserve(paths: readonly string[], wasReached: () => boolean): void;
  /** Resolves if the store answers and `secret` fits it. Rejects with `store_unavailable` or `internal_error`. */
  ready(): Promise<void>;
  /** The state of the shortener (docs/observing.md). Pings the store, for at most `storeTimeout`. Never rejects. */
  health(): Promise<Health>;
  /** Stores pending visits, waits for running operations (at most 5 seconds in all), then closes the store. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long `close` waits for pending visits and running operations together, in milliseconds. */
const closeTimeout = 5000;

/**
 * Creates a link shortener, which is a Koa middleware.
 *
 * @throws TypeError for an invalid or unknown option
 * @example
 * const shortener = shortUrl({baseUrl: 'https://example.com', store: 'sqlite:links.db', secret: process.env.SHORT_URL_SECRET});
 * app.use(shortener);
 */
export function shortUrl(options: ShortUrlOptions): ShortUrl {
  const settings = readOptions(options);
  const {bases, calendar, reserved, now} = settings;
  const announcer = new Announcer();
  const report = (error: ShortUrlError): void => {
    announcer.report(error);
  };

  const store = openStore(settings.store, {
    namespace: settings.namespace,
    packing: {...packing, ignoresCase: bases.shortParts.ignoreCase},
    timeout: settings.storeTimeout,
    now,
    onOutage: report,
    onUnreadable: report,
    onLoss: report,
  });
  const {sitePages} = settings;
  const isCall = (path: string): boolean => parseCall(path, '/api/v1/') !== undefined;
  const hints = new Hints({bases, sitePages, isCall});
  const onCreate = (link: LinkName): void => {
    hints.watch(link);
  };
  const {accounts, links, log, rankings, redirects, seal, attribution, conversions} = buildServices(
    store,
    {...settings, onCreate},
    announcer,
  );
  const keys = new Keys(accounts, now);
  const secretCheck = new SecretCheck(store, seal);
  const middleware = createMiddleware({
    api: new Api({
      keyAttempts: new KeyAttempts({accounts, limit: settings.keyAttempts, now}),
      keys,
      links,
      conversions,
      announcer,
      now,
    }),
    visitor: new Visitor({
      redirects,
      destinations: new Destinations({...settings, redirects, announcer}),
      bases,
      schemes: settings.schemes,
      calendar,
      fieldDefaults: settings.fieldDefaults,
      attempts: new PasswordAttempts(store, settings.passwordAttempts, (text) => seal.digest(text), now),
      announcer,
      redirectStatus: settings.redirectStatus,
      countVisit: settings.countVisit,
      details: new VisitDetails(settings.visitDetails, announcer),
      marker:
        settings.attribution &&
        new Marker({...settings.attribution, maxAge: settings.attributionAge, attribution, bases, announcer}),
      pages: settings.pages,
      now,
    }),
    bases,
    reserved,
    announcer,
    hints,
    defer: settings.defer,
  });

  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    hints.close();
    const expiry = performance.now() + closeTimeout;
    const lost = await log.close(closeTimeout);
    if (lost > 0) {
      const message = `${lost} visits were lost, because the store did not accept them before it was closed.`;
      report(new ShortUrlError('store_unavailable', message));
    }
    await store.close(Math.max(0, expiry - performance.now()));
  }
  const close = (): Promise<void> => (closing ??= closeAll());

  if (settings.store === undefined) {
    warn('memory', 'Links are kept in memory and are lost when the process ends. Set the option `store`.');
  }
  return Object.assign(middleware, {
    accounts: {
      create: async (account: AccountName) => ({apiKey: await accounts.create(account)}),
      apiKey: async (account: AccountName) => accounts.apiKey(account),
      rotate: async (account: AccountName) => ({apiKey: await accounts.rotate(account)}),
      remove: async (account: AccountName) => accounts.remove(account),
      stats: async (account: AccountName, query?: StatsQuery) =>
        links.accountStats(await accounts.require(account), query),
    },
    links: linksByName(links, accounts),
    keys,
    conversions: {
      record: async (customer: Pick<Context, 'cookies'> | {readonly via: unknown}, conversion: Conversion) =>
        conversions.record('via' in customer ? customer.via : tokenOf(customer), conversion),
    },
    admin: new Admin({store, bases, accounts, links, rankings, announcer, calendar, now}),
    events: announcer.events,
    baseUrls: bases.roots,
    timeZone: calendar.timeZone,
    now,
    answers: createAnswers({bases, reserved, sitePages, redirects}),
    reserve: (paths: readonly string[], wasReached: () => boolean) => {
      for (const slug of paths.flatMap((path) => slugsAt(path, bases))) reserved.add(slug);
      hints.expect(paths, wasReached);
    },
    ready: async () => {
      await store.ping();
      await secretCheck.run();
    },
    health: async () => readHealth(store, log),
    close,
    [Symbol.asyncDispose]: close,
  });
}

/** The operations on links, which find the account by its name first. */
function linksByName(links: Links, accounts: Accounts): ShortUrlLinks {
  const named =
    <Rest extends readonly unknown[], Result>(run: (account: Account, ...rest: Rest) => Promise<Result>) =>
    async (name: AccountName, ...rest: Rest): Promise<Result> =>
      run(await accounts.requireOpen(name), ...rest);
  const each = <Rest extends readonly unknown[], Item>(
    read: (account: Account, ...rest: Rest) => AsyncIterable<Item>,
  ) =>
    async function* (name: AccountName, ...rest: Rest): AsyncGenerator<Item> {
      yield* read(await accounts.requireOpen(name), ...rest);
    };
  return {
    create: named((account, link: CreateLink, options?: CreateOptions) => links.create(account, link, options)),
    createMany: each((account, many: Iterable<CreateLink> | AsyncIterable<CreateLink>, options?: CreateOptions) =>
      links.createMany(account, many, options),
    ),
    updateMany: each((account, many: Iterable<LinkChange> | AsyncIterable<LinkChange>) =>
      links.updateMany(account, many),
    ),
    update: named((account, shortUrl: string, changes: UpdateLink) => links.update(account, shortUrl, changes)),
    remove: named((account, shortUrl: string) => links.remove(account, shortUrl)),
    disable: named((account, shortUrl: string) => links.disable(account, shortUrl)),
    enable: named((account, shortUrl: string) => links.enable(account, shortUrl)),
    info: named((account, shortUrl: string) => links.info(account, shortUrl)),
    stats: named(
      async (account, shortUrl: string, query?: StatsQuery) => (await links.stats(account, shortUrl, query)).stats,
    ),
    qr: named((account, shortUrl: string, options?: QrOptions) =>
      links.qr(account, shortUrl, options),
    ) as ShortUrlLinks['qr'],
    page: named((account, query?: LinkQuery) => links.page(account, query)),
    tags: named((account) => links.tags(account)),
    list: each((account, filter?: LinkFilter) => links.list(account, filter)),
    listActive: each(async function* (account) {
      for await (const chunk of links.listActive(account)) yield* chunk;
    }),
    pageActive: named((account, page: Page = {}) => links.pageActive(account, page)),
  };
}
