import {dayLength} from '../values/calendar.ts';
import {linkRecords} from '../link/records.ts';
import {EventEmitter} from 'node:events';
import type {Context} from 'koa';
import {isNoBot} from '../http/visit/agents.ts';
import type {CreateLink} from '../link/link.ts';
import {type ShortUrlOptions} from '../shortener/generated/options.ts';
import {readOptions} from '../shortener/settings.ts';
import type {ShortUrl} from '../shortener/interface.ts';
import {shortUrl} from '../shortener/short-url.ts';
import {packing} from '../link/packing.ts';
import {openStore} from '../store/opening/open.ts';
import {knownAdapters, type StoreOption} from '../store/opening/option.ts';

/**
 * The options of `shortUrl`, without `store`, `secret` and `now`, which the kit sets.
 *
 * @example
 * const kit = await testShortUrl({baseUrl: 'https://example.com', pages: {gone: ourGonePage}});
 */
export interface TestShortUrlOptions extends Omit<ShortUrlOptions, 'baseUrl' | 'store' | 'secret' | 'now'> {
  /**
   * The site under test. Links answer on every port of its domain.
   * @default 'http://localhost'
   */
  readonly baseUrl?: string | undefined;
}

/**
 * The options of the kit's shortener, for an app that calls `shortUrl` itself.
 *
 * @example
 * const shortener = shortUrl({...kit.options, reserved: router}); // has the links of the kit
 */
export interface KitOptions extends ShortUrlOptions {
  readonly store: StoreOption;
  readonly secret: string;
  readonly now: () => number;
}

/**
 * The clock of a kit. It starts at noon (UTC) on 1 January 2025 and moves only when the test moves it.
 *
 * @example
 * kit.clock.set('2025-12-31');
 * const app = buildApp({shortener: kit.shortener, now: kit.clock.now});
 */
export interface TestClock {
  /** Milliseconds since the epoch, like `Date.now`. It can be passed as a plain function. */
  readonly now: () => number;
  /**
   * Sets the clock to a moment, which may be an earlier one.
   *
   * @throws TypeError if the moment is not a valid date
   * @example
   * kit.clock.set('2025-06-01T08:00:00Z');
   */
  set(moment: Date | string | number): void;
  /**
   * Moves the clock forward.
   *
   * @throws TypeError if `milliseconds` is not a number
   * @example
   * kit.clock.advance(15 * 60 * 1000); // wrong passwords no longer count
   */
  advance(milliseconds: number): void;
}

/**
 * A link that the kit has created. It has no visits yet.
 *
 * @example
 * const answer = await fetch(`http://localhost:${port}${kit.links.active.path}`, {redirect: 'manual'});
 * assert.equal(answer.headers.get('location'), kit.links.active.originalUrl);
 */
export interface TestLink {
  readonly shortUrl: string;
  /** The path of the short URL, for requests to the app under test. */
  readonly path: string;
  /** The long URL. It leads to no real site. */
  readonly originalUrl: string;
}

/**
 * One link in each state.
 *
 * @example
 * for (const {path} of [kit.links.disabled, kit.links.blocked, kit.links.removed]) await showsOurGonePage(path);
 */
export interface TestLinks {
  /** Redirects. */
  readonly active: TestLink;
  /** Shows a form, and redirects a visitor who enters the kit's `password`. */
  readonly withPassword: TestLink;
  /** Answers 410 until it is enabled. */
  readonly disabled: TestLink;
  /** Answers 410 until it is unblocked: the operator of the site has blocked it. */
  readonly blocked: TestLink;
  /** Answers 410: its last day (UTC) was 31 December 2024. */
  readonly expired: TestLink;
  /** The site's own 404 until its first day (UTC), 2 January 2025. */
  readonly scheduled: TestLink;
  /** Answers 410: its account was removed. */
  readonly removed: TestLink;
}

/**
 * Simulates an outage of the store.
 *
 * @example
 * kit.outage.begin();
 * await assert.rejects(kit.shortener.ready(), {code: 'store_unavailable'});
 * kit.outage.end();
 */
export interface TestOutage {
  /**
   * From now on every store operation fails at once: the API answers 503, `ready()` rejects, and visitors get the
   * `unavailable` page. A link that was visited in the minute before, by real time, still redirects.
   */
  begin(): void;
  /** The store answers again, with the records it had. */
  end(): void;
}

/**
 * A shortener for the tests of a site, with its links and its switches (docs/testing.md).
 *
 * @example
 * const {shortener, links, apiKey} = await testShortUrl();
 */
export interface TestShortUrl {
  /** For an app that takes a shortener as a parameter. */
  readonly shortener: ShortUrl;
  /** For an app that calls `shortUrl` itself: with these options its shortener has the links of the kit. */
  readonly options: KitOptions;
  readonly clock: TestClock;
  /** The name of the account that has all links but the removed one. */
  readonly account: string;
  /** The API key of that account. */
  readonly apiKey: string;
  readonly links: TestLinks;
  /** The password of `links.withPassword`. */
  readonly password: string;
  readonly outage: TestOutage;
  /** Ends an outage and closes the shortener of the kit. An app that called `shortUrl` itself must close its own. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const start = Date.parse('2025-01-01T12:00:00Z');
const account = 'test-account';
const password = 'open sesame';
/** Hashed with the lowest cost, so that tests are fast. */
const passwordHash = 'scrypt$2$1$1$a29hLXNob3J0LXVybCB0ZXN0$dJ9aP-dm5aCtOM-tiL8mfLbf9WBo4eqMndVBJh20N58';

/**
 * Makes a shortener for the tests of a site, on a store in memory: with a clock that the test sets, a link in each
 * state, and a switch that simulates an outage. It needs no engine and no test framework.
 *
 * `allowUrl` and `createQuota` do not apply to the links that the kit creates.
 *
 * @returns a promise that rejects with a TypeError for an invalid or unknown option
 * @example
 * const kit = await testShortUrl();
 * const server = buildApp({shortener: kit.shortener}).listen(0);
 * const {port} = server.address();
 *
 * await fetch(`http://localhost:${port}${kit.links.disabled.path}`); // the site's page with 410
 * kit.outage.begin();
 * await fetch(`http://localhost:${port}${kit.links.active.path}`); // the site's page with 503
 *
 * server.close();
 * await kit.close();
 */
export async function testShortUrl(options: TestShortUrlOptions = {}): Promise<TestShortUrl> {
  refuseOwn(options);
  const clock = new Clock();
  const store = new Store();
  // No warning: a test needs one process only, and cannot choose another store.
  knownAdapters.add(store);
  const settings = {
    ...options,
    baseUrl: options.baseUrl ?? 'http://localhost',
    store,
    secret: 'a secret for tests, and for nothing else',
    countVisit: options.countVisit ?? isVisitor,
    now: clock.now,
  };
  const shortener = shortUrl(settings);
  const {apiKey, links} = await stock(settings, clock);
  const outage: TestOutage = {
    begin: () => {
      store.isAway = true;
    },
    end: () => {
      store.isAway = false;
    },
  };
  const close = async (): Promise<void> => {
    outage.end();
    await shortener.close();
  };
  return {
    shortener,
    options: settings,
    clock,
    account,
    apiKey,
    links,
    password,
    outage,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The `fetch` of Node.js, and a client without `User-Agent`, stand for a person in a test. */
function isVisitor(ctx: Context): boolean {
  return ['', 'node'].includes(ctx.get('User-Agent')) || isNoBot(ctx);
}

/** With another store the links would be missing, and with another clock the test could not set the time. */
function refuseOwn(options: object): void {
  for (const name of ['store', 'secret', 'now']) {
    if (name in options) throw new TypeError(`Expected the options to omit \`${name}\`, which the kit sets`);
  }
}

/** Creates the account and its links, through a shortener without the host's rules. */
async function stock(settings: KitOptions, clock: Clock): Promise<{apiKey: string; links: TestLinks}> {
  const shortener = shortUrl({...settings, allowUrl: undefined, createQuota: undefined});
  const {accounts, links, admin} = shortener;
  const create = async (generation: string, name: string, dates: Partial<CreateLink> = {}): Promise<TestLink> => {
    const originalUrl = `https://destination.example/${name}`;
    const {shortUrl} = await links.create(generation, {url: originalUrl, ...dates});
    return {shortUrl, path: new URL(shortUrl).pathname, originalUrl};
  };

  const {apiKey} = await accounts.create(account);
  await accounts.create('removed-account');
  clock.set(start - 7 * dayLength);
  const ready = {
    active: await create(account, 'active'),
    withPassword: await create(account, 'with-password'),
    disabled: await create(account, 'disabled'),
    blocked: await create(account, 'blocked'),
    expired: await create(account, 'expired', {expiryDate: '2024-12-31T23:59:59Z'}),
    scheduled: await create(account, 'scheduled', {startDate: '2025-01-02T00:00:00Z'}),
    removed: await create('removed-account', 'removed'),
  };
  clock.set(start);
  await protect(settings, ready.withPassword);
  await links.disable(account, ready.disabled.shortUrl);
  await admin.block(ready.blocked.shortUrl);
  await accounts.remove('removed-account');
  await shortener.close();
  return {apiKey, links: ready};
}

async function protect(settings: KitOptions, {shortUrl}: TestLink): Promise<void> {
  const {bases, namespace} = readOptions(settings);
  const name = bases.parseShortUrl(shortUrl);
  if (name === undefined) throw new Error('The short URL is not on a domain of this site');
  const store = openStore(settings.store, {namespace, packing});
  await linkRecords.in(store).update(name, (record) => ({...record, password: passwordHash}));
  await store.close();
}

class Clock implements TestClock {
  #now = start;
  readonly now = (): number => this.#now;

  set(moment: Date | string | number): void {
    const milliseconds = new Date((moment as unknown) === null ? Number.NaN : moment).getTime(); // else null is 1970
    if (Number.isNaN(milliseconds))
      throw new TypeError('Expected a number of milliseconds, a Date, or a value that `new Date` accepts');
    this.#now = milliseconds;
  }

  advance(milliseconds: number): void {
    this.set(typeof milliseconds === 'number' ? this.#now + milliseconds : Number.NaN);
  }
}

/** A Keyv storage adapter in memory. */
class Store extends EventEmitter {
  readonly opts = {};
  isAway = false;
  readonly #records = new Map<string, unknown>();

  // As in Keyv, the caller names the type of the value.
  async get<Value>(key: string): Promise<Value | undefined> {
    return this.#reach().get(key) as Value | undefined;
  }

  async set(key: string, value: unknown): Promise<boolean> {
    this.#reach().set(key, value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.#reach().delete(key);
  }

  async clear(): Promise<void> {
    this.#reach().clear();
  }

  #reach(): Map<string, unknown> {
    if (this.isAway) throw new Error('The test has begun an outage');
    return this.#records;
  }
}
