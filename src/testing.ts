import {EventEmitter} from 'node:events';
import {linkKey, type LinkRecord} from './links/record.ts';
import {type ShortUrlOptions} from './options.ts';
import {readOptions} from './settings.ts';
import {type ShortUrl, shortUrl} from './short-url.ts';
import {forms} from './links/link-form.ts';
import {openStore} from './store/open.ts';
import {type StoreOption} from './store/option.ts';
import {update} from './store/update.ts';

/**
 * The options of `shortUrl`, without those that the kit brings itself.
 *
 * @example
 * const kit = await testShortUrl({baseUrl: 'https://example.com', pages: {gone: ourGonePage}});
 */
export interface TestShortUrlOptions extends Omit<ShortUrlOptions, 'baseUrl' | 'store' | 'secret' | 'now'> {
  /**
   * The site under test. Links answer on whatever port its domain is asked.
   * @default 'http://localhost'
   */
  readonly baseUrl?: string | undefined;
}

/**
 * The options of `shortUrl` that a kit has made its shortener with; those named here are always there.
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
 * The clock of a kit. It stands still until it is moved, and starts at noon (UTC) on 1 January 2025.
 *
 * @example
 * kit.clock.set('2025-12-31');
 * const app = buildApp({shortener: kit.shortener, now: kit.clock.now});
 */
export interface TestClock {
  /** Milliseconds since the epoch, like `Date.now`; may be passed on without its clock. */
  readonly now: () => number;
  /**
   * Moves the clock to a moment, also an earlier one.
   *
   * @throws TypeError for what is no date
   * @example
   * kit.clock.set('2025-06-01T08:00:00Z');
   */
  set(moment: Date | string | number): void;
  /**
   * Moves the clock on by so many milliseconds.
   *
   * @throws TypeError for what is no number
   * @example
   * kit.clock.advance(15 * 60 * 1000); // wrong passwords are forgiven
   */
  advance(milliseconds: number): void;
}

/**
 * A link that is there when the kit is. Nobody has visited it yet.
 *
 * @example
 * const answer = await fetch(`http://localhost:${port}${kit.links.active.path}`, {redirect: 'manual'});
 * assert.equal(answer.headers.get('location'), kit.links.active.originalUrl);
 */
export interface TestLink {
  readonly shortUrl: string;
  /** The path of the short URL, to ask the app under test for it. */
  readonly path: string;
  /** The long URL, which leads to no real site. */
  readonly originalUrl: string;
}

/**
 * One link in each state that a visitor can find one in.
 *
 * @example
 * for (const {path} of [kit.links.disabled, kit.links.blocked, kit.links.removed]) await showsOurGonePage(path);
 */
export interface TestLinks {
  /** Redirects. */
  readonly active: TestLink;
  /** Shows a form, and redirects whoever enters the kit's `password`. */
  readonly withPassword: TestLink;
  /** Answers 410 until it is enabled. */
  readonly disabled: TestLink;
  /** Answers 410 until it is unblocked: the operator of the site has blocked it. */
  readonly blocked: TestLink;
  /** Answers 410: its last day was 31 December 2024. */
  readonly expired: TestLink;
  /** Answers 410: its account was removed. */
  readonly removed: TestLink;
}

/**
 * The switch between a store that answers and one that does not.
 *
 * @example
 * kit.outage.begin();
 * await assert.rejects(kit.shortener.ready(), {code: 'store_unavailable'});
 * kit.outage.end();
 */
export interface TestOutage {
  /**
   * From now on the store fails at once: the API says 503, `ready()` rejects, and visitors get the page for it, except
   * at links that were visited in the last five minutes of real time, which go on redirecting.
   */
  begin(): void;
  /** The store answers again, and has what it had. */
  end(): void;
}

/**
 * A shortener for the tests of a site, and all that these need to know of it.
 *
 * @example
 * const {shortener, links, apiKey} = await testShortUrl();
 */
export interface TestShortUrl {
  /** For an app that is given its shortener: mount it as any other. */
  readonly shortener: ShortUrl;
  /** For an app that makes a shortener of its own: pass them to `shortUrl`, and the links of the kit are there too. */
  readonly options: KitOptions;
  readonly clock: TestClock;
  /** The name of the account that all links but the removed one belong to. */
  readonly account: string;
  /** The API key of that account. */
  readonly apiKey: string;
  readonly links: TestLinks;
  /** What opens `links.withPassword`. */
  readonly password: string;
  readonly outage: TestOutage;
  /** Ends an outage and closes the shortener of the kit; one of the app's own is the app's to close. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const start = Date.parse('2025-01-01T12:00:00Z');
const day = 24 * 60 * 60 * 1000;
const account = 'test-account';
const password = 'open sesame';
/** As cheap as a hash can be: nobody guesses here, and a test should not wait for what makes guessing slow. */
const passwordHash = 'scrypt$2$1$1$a29hLXNob3J0LXVybCB0ZXN0$dJ9aP-dm5aCtOM-tiL8mfLbf9WBo4eqMndVBJh20N58';

/**
 * Makes a shortener for the tests of a site: on a store in memory, with a clock that the test sets, a link in each
 * state, and a switch that takes the store away. It needs no engine and no test framework.
 *
 * The links are there whatever the site's own rules say: neither `allowUrl` nor `createQuota` is asked about them.
 *
 * @returns a promise that rejects with a TypeError for an option that is wrong or unknown
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
  const settings = {
    ...options,
    baseUrl: options.baseUrl ?? 'http://localhost',
    store,
    secret: 'what seals the keys of a test',
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

/** Another store would be without the links, and another clock without the test's say. */
function refuseOwn(options: object): void {
  for (const name of ['store', 'secret', 'now']) {
    if (name in options) throw new TypeError(`Expected the options to be without \`${name}\`, which the kit brings`);
  }
}

/** Puts an account and its links into the store, by a shortener that lets pass whatever it is. */
async function stock(settings: KitOptions, clock: Clock): Promise<{apiKey: string; links: TestLinks}> {
  const shortener = shortUrl({...settings, allowUrl: undefined, createQuota: undefined});
  const {accounts, links, admin} = shortener;
  const create = async (owner: string, name: string, expiryDate?: string): Promise<TestLink> => {
    const originalUrl = `https://destination.example/${name}`;
    const {shortUrl} = await links.create(owner, {url: originalUrl, expiryDate});
    return {shortUrl, path: new URL(shortUrl).pathname, originalUrl};
  };

  const {apiKey} = await accounts.create(account);
  await accounts.create('removed-account');
  clock.set(start - 7 * day);
  const ready = {
    active: await create(account, 'active'),
    withPassword: await create(account, 'with-password'),
    disabled: await create(account, 'disabled'),
    blocked: await create(account, 'blocked'),
    expired: await create(account, 'expired', '2024-12-31'),
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
  if (name === undefined) throw new Error('The short URL is none of this site');
  const store = openStore(settings.store, {namespace, forms});
  await update<LinkRecord>(store, linkKey(name), (record) => ({...record, password: passwordHash}));
  await store.close();
}

class Clock implements TestClock {
  #now = start;

  readonly now = (): number => this.#now;

  set(moment: Date | string | number): void {
    const milliseconds = new Date(moment).getTime();
    if (Number.isNaN(milliseconds)) throw new TypeError('Expected the moment to be a Date, or what makes one');
    this.#now = milliseconds;
  }

  advance(milliseconds: number): void {
    this.set(this.#now + milliseconds);
  }
}

/** A Keyv storage adapter in memory. */
class Store extends EventEmitter {
  readonly opts = {};
  isAway = false;
  readonly #records = new Map<string, unknown>();

  // The caller says what comes out, as everywhere in Keyv.
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
    if (this.isAway) throw new Error('The test has taken the store away');
    return this.#records;
  }
}
