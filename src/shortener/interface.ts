import type {AccountName, AccountResult} from '../accounts/accounts.ts';
import type {Keys} from '../accounts/keys.ts';
import type {
  Conversion,
  FoundCustomer,
  IdentifiedCustomer,
  RecordedConversion,
  RecordedRefund,
  Refund,
} from '../conversions/conversion.ts';
import type {HostContext, HostMiddleware} from '../http/koa/host-context.ts';
import type {AnsweredContext, CookieContext} from '../http/visit/via.ts';
import type {AccountStats, AccountStatsQuery} from '../links/account-info.ts';
import type {Admin} from '../links/admin.ts';
import type {ShortUrlEvents} from '../links/events.ts';
import type {LinkOperations} from '../links/operations.ts';
import type {ShareOperations} from '../links/share/shares.ts';
import type {ForDashboard, SiteFacts} from './for-dashboard.ts';
import type {Health} from './health.ts';

export type {Health};

/**
 * Accounts, one for each user of the host (docs/getting-started.md). `account` is the host's name for the user: a string
 * of 1 to 255 characters or a safe integer. 42 and '42' name the same account. Anything else is a TypeError.
 */
export interface ShortUrlAccounts {
  /**
   * Creates the account if it does not exist, and resolves with its API key. Idempotent.
   *
   * @example
   * const {apiKey} = await shortener.accounts.create(user.id); // at registration
   */
  create(account: AccountName): Promise<{apiKey: string}>;
  /**
   * Creates at most 1,000 accounts, many times faster than one by one, and resolves with a result for each, in order: the
   * API key, or the error. Idempotent.
   *
   * @example
   * for (const {account, error} of await shortener.accounts.createMany(users.map(({id}) => id))) {
   *   if (error) console.error(account, error);
   * }
   */
  createMany(accounts: readonly AccountName[]): Promise<AccountResult[]>;
  /**
   * The API key of the account, to show after login; undefined if there is no such account.
   *
   * @example
   * const apiKey = await shortener.accounts.apiKey(user.id); // after login
   */
  apiKey(account: AccountName): Promise<string | undefined>;
  /**
   * Replaces the key. The old one is invalid at once.
   *
   * @throws ShortUrlError `invalid_api_key` if there is no such account
   * @example
   * const {apiKey} = await shortener.accounts.rotate(user.id);
   */
  rotate(account: AccountName): Promise<{apiKey: string}>;
  /**
   * Removes the account: its key is invalid at once, and its links answer 410. Idempotent.
   *
   * @example
   * await shortener.accounts.remove(user.id); // where you delete a user
   */
  remove(account: AccountName): Promise<void>;
  /**
   * The visits of all links of the account, or of those with a status, a tag or words.
   *
   * @throws ShortUrlError `invalid_api_key` if there is no such account
   * @example
   * const {links, totalVisits} = await shortener.accounts.stats(user.id);
   */
  stats(account: AccountName, query?: AccountStatsQuery): Promise<AccountStats>;
}

/** More API keys of an account, each with a label and a scope (docs/reference.md). */
export type ShortUrlKeys = Pick<Keys, keyof Keys>;

/** The operations on the links of an account, by the host's name for it (docs/reference.md). */
export type ShortUrlLinks = LinkOperations<AccountName> & ShareOperations<AccountName>;

/** For the operator of the site, who can see and block every link and every account (docs/reference.md). */
export type ShortUrlAdmin = Pick<Admin, keyof Admin>;

/** What the visitors of links do on the site, such as orders (docs/conversions.md). */
export interface ShortUrlConversions {
  /**
   * Records that a customer has done something, for the link that brought this person. The same name and id count once in
   * 400 days, in all processes, so a call can be repeated until it succeeds.
   *
   * @throws ShortUrlError `missing_parameter`, `malformed_parameter`, `unknown_parameter` or `store_unavailable`; TypeError
   *   without the option `attribution`
   * @returns undefined if no link brought the person
   * @example
   * await shortener.conversions.record(ctx, {name: 'order', id: order.id, value: order.cents, customer: user.id});
   * // In a webhook, months later:
   * await shortener.conversions.record({customer: user.id}, {name: 'renewal', id: invoice.id, value: invoice.cents});
   */
  record(person: ConversionSource, conversion: Conversion): Promise<RecordedConversion | undefined>;
  /**
   * Records a refund of a conversion, in whole or in part. The same `refund` counts once, in all processes. `value` is at
   * most what is left of the conversion, by default all of it.
   *
   * @throws ShortUrlError `refund_too_large`, or as `record` does
   * @returns undefined if no such conversion was recorded in the last 400 days: no link brought it, or the refund came before
   *   it. Where that may be, repeat `record` before `refund`
   * @example
   * await shortener.conversions.refund({name: 'order', id: order.id, refund: refund.id, value: refund.cents});
   */
  refund(refund: Refund): Promise<RecordedRefund | undefined>;
  /**
   * Remembers which link brought a customer, for `attribution.customerAge` after the last use. The first link stays, in any
   * number of processes. Call it at sign-up.
   *
   * @throws ShortUrlError `malformed_parameter` or `store_unavailable`; TypeError without the option `attribution`
   * @param customer the host's own id of the person: 1 to 128 characters, or an integer; it is stored as a keyed digest
   * @returns the link that brought the customer, now or before; undefined if none did
   * @example
   * await shortener.conversions.identify(ctx, user.id);
   */
  identify(person: ConversionSource, customer: string | number): Promise<IdentifiedCustomer | undefined>;
  /**
   * The link that brought a person. It counts nothing, so the host can refuse a referral of oneself before it records.
   *
   * @returns undefined if no link did
   * @example
   * const found = await shortener.conversions.find(ctx);
   * if (found?.account !== user.id) await shortener.conversions.record(ctx, order);
   */
  find(person: ConversionSource): Promise<FoundCustomer | undefined>;
  /**
   * Marks a visitor who agrees later, where `attribution.consent` has returned undefined: sets the cookie from the parameter
   * of the request, or of the page of the site that it came from. Call it where the visitor agrees, before the answer, in a
   * route of POST. A request that a page of another site has sent, or a link, is refused unless `consent` returns true for
   * it. Without `consent`, every request is accepted.
   *
   * @param ctx Koa's context, or an object with the request and the response of Node.js
   * @param kept `via`: a value of the parameter that the host has kept
   * @returns whether the cookie was set
   * @example
   * router.post('/consent', async (ctx) => {
   *   await shortener.conversions.accept(ctx);
   *   ctx.redirect('back');
   * });
   */
  accept(ctx: AnsweredContext, kept?: {readonly via?: unknown}): Promise<boolean>;
  /**
   * Forgets which link brought a customer, and resolves with whether it was known. Idempotent. What was counted stays.
   *
   * @example
   * await shortener.conversions.forget(user.id);
   */
  forget(customer: string | number): Promise<boolean>;
  /**
   * Gives up a name of conversions of the site, so that another one can be among the eight, and resolves with whether it was
   * one. What was counted stays in the statistics of links and accounts. Lists, comparisons and CSV files leave it out.
   * A conversion that is recorded with the name adds it again.
   *
   * @throws ShortUrlError `malformed_parameter` or `store_unavailable`
   * @example
   * await shortener.conversions.forgetName('oder'); // It was a typo.
   */
  forgetName(name: string): Promise<boolean>;
}

/**
 * Who a conversion is about: the request of a person (its context, that of Node.js, or a `Request`), or without one the
 * value of the cookie `short_url_via` in `via`, the host's own id of the person in `customer`, or both.
 */
export type ConversionSource =
  | CookieContext
  | {readonly via: unknown; readonly customer?: string | number | undefined}
  | {readonly customer: string | number};

/** A link shortener: a Koa middleware with the programmatic interface as its properties (docs/reference.md). */
export interface ShortUrl extends HostMiddleware, SiteFacts {
  readonly accounts: ShortUrlAccounts;
  readonly links: ShortUrlLinks;
  readonly keys: ShortUrlKeys;
  readonly conversions: ShortUrlConversions;
  readonly admin: ShortUrlAdmin;
  readonly events: ShortUrlEvents;
  /** The base URLs of short URLs, without a trailing slash: `baseUrl` first, then those of `baseDomains`. */
  readonly baseUrls: readonly string[];
  /**
   * What the dashboard uses besides the public interface.
   *
   * @internal
   */
  readonly forDashboard: ForDashboard;
  /** The clock of the shortener: milliseconds since the epoch. */
  now(): number;
  /**
   * Answers a request if it is the shortener's, and resolves with whether it has: a call of the API, or the GET, HEAD or
   * POST of a short URL whose link exists, whatever its state. A login, a CSRF check or a check of tokens calls it first, so
   * that it stands only before the rest of the site (docs/getting-started.md). Otherwise it reads the store at most once,
   * changes and counts nothing, and resolves with false; also while the store does not answer, unless the link was seen in
   * the minute before.
   *
   * @example
   * app.use(async (ctx, next) => {
   *   if (await shortener.answers(ctx)) return;
   *   await csrf(ctx, next);
   * });
   */
  answers(ctx: HostContext): Promise<boolean>;
  /**
   * Resolves if the store answers and `secret` fits it.
   *
   * @throws ShortUrlError `store_unavailable` or `internal_error`
   * @example
   * await shortener.ready();
   * app.listen(3000);
   */
  ready(): Promise<void>;
  /**
   * The state of the shortener (docs/observing.md). Pings the store, for at most `storeTimeout`. Never rejects.
   *
   * @example
   * router.get('/health', async (ctx) => {
   *   const {isReady} = await shortener.health();
   *   ctx.status = isReady ? 200 : 503;
   * });
   */
  health(): Promise<Health>;
  /**
   * Lets the calls that have begun end, and stores pending visits (at most 5 seconds in all), then closes the store.
   *
   * @example
   * process.once('SIGTERM', () => server.close(() => void shortener.close()));
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
