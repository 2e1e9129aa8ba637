import {once} from 'node:events';
import {Agent, createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import test, {type ExecutionContext} from 'ava';
import type {Middleware, Next} from 'koa';
import {shortUrl} from '../../src/index.ts';
import {urlSafe} from './base64.ts';
import {judgeAnswer} from './judge.ts';
import {exchange, type Ask, type Data, Reply, withPassword} from './request.ts';
import {memoryAtRoot, type World} from './worlds.ts';

export type Options = Parameters<typeof shortUrl>[0];

export interface SiteOptions {
  readonly world?: World;
  /** Options of the middleware, besides those of the world and the site. */
  readonly shortUrl?: Partial<Options>;
  /** Sets `app.proxy`. */
  readonly proxy?: boolean;
  /** A middleware of the host after the shortener. */
  readonly downstream?: Middleware;
}

/** The differences from the usual call, which is a GET of JSON with the key of `user-42`. */
export interface Call extends Omit<Ask, 'path'> {
  readonly key?: string;
  /** Where the key is; by default where the world has it. */
  readonly keyIn?: 'path' | 'header';
  readonly suffix?: string;
}

/** The time at which tests begin. The clock stands still. */
export const noon = Date.parse('2031-05-06T12:00:00.250Z');

export class Clock {
  now = noon;

  set(date: string): void {
    this.now = Date.parse(date);
  }
}

/** A host app with the middleware, on a free port until the test is over. */
export class Site {
  readonly shortener: ReturnType<typeof shortUrl>;
  readonly clock: Clock;
  /** The options of the shortener. Another site with these options shares its store. */
  readonly options: Options;
  readonly base: string;
  readonly baseUrl: string;
  readonly otherBaseUrl: string;
  /** The key of `user-42`. */
  key = '';
  /** On 127.0.0.1. */
  readonly port: number;
  readonly #agent: Agent;
  readonly #keyIn: 'path' | 'header';
  readonly #asks: boolean;

  constructor(
    shortener: ReturnType<typeof shortUrl>,
    clock: Clock,
    options: Options,
    {mount, keyIn = 'path', asks = false}: World,
    {port, agent}: {port: number; agent: Agent},
  ) {
    this.shortener = shortener;
    this.clock = clock;
    this.options = options;
    this.base = mount.base;
    this.baseUrl = `https://example.com${mount.base}`;
    this.otherBaseUrl = mount.otherBaseUrl;
    this.port = port;
    this.#agent = agent;
    this.#keyIn = keyIn;
    this.#asks = asks;
  }

  /** Sends one request, and checks the shortener's answer against the description of the API. */
  async request(ask: Ask): Promise<Reply> {
    const reply = await exchange(this.port, this.#agent, ask);
    await judgeAnswer(ask, this.base, reply);
    return reply;
  }

  /** An API call. `rest` is the path after `shorturl/`, sent unchanged. */
  async call(rest: string, call: Omit<Call, 'suffix'> = {}): Promise<Reply> {
    const {key = this.key, keyIn = this.#keyIn, headers, ...ask} = call;
    if (keyIn === 'path') {
      return this.request({...ask, ...(headers && {headers}), path: `${this.base}/api/v1/${key}/shorturl/${rest}`});
    }
    const path = `${this.base}/api/v1/shorturl/${rest}`;
    return this.request({...ask, headers: {Authorization: `Bearer ${key}`, ...headers}, path});
  }

  /** An API call from plain values: URLs and rules are encoded in base64, and the others escaped. */
  async api(operation: string, parameters: Readonly<Record<string, string>> = {}, call: Call = {}): Promise<Reply> {
    const {suffix = '.json', ...ask} = call;
    return this.call(`${segments(operation, parameters)}${suffix}`, ask);
  }

  /** An API call by POST. `body` is sent as it is if it is a string, and otherwise as JSON. */
  async post(operation: string, body: unknown = {}, call: Omit<Call, 'keyIn' | 'body'> = {}): Promise<Reply> {
    const {suffix = '', headers, ...ask} = call;
    return this.call(`${operation}${suffix}`, {
      method: 'POST',
      ...ask,
      keyIn: 'header',
      headers: {'Content-Type': 'application/json', ...headers},
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Creates a link through the API. */
  async create(parameters: Readonly<Record<string, string>> = {}, call: Call = {}): Promise<Data> {
    return this.#succeed('create', {url: 'https://destination.example/page', ...parameters}, call);
  }

  /** The API's record of a link. */
  async info(shortUrl: string, call: Call = {}): Promise<Data> {
    return this.#succeed('info', {short_url: shortUrl}, call);
  }

  /** The active short URLs of the account, through the API. */
  async list(call: Call = {}): Promise<string[]> {
    return (await this.#succeed('list_active_urls', {}, call)).urls.map((url) => url.short_url);
  }

  /** Opens a short URL as a browser does, with its domain as the Host. In a world of links that ask it presses the button. */
  async visit(shortUrl: string, ask: Omit<Ask, 'path'> = {}): Promise<Reply> {
    const [, host = '', path = ''] = /^https?:\/\/([^/]*)(.*)$/.exec(shortUrl) ?? [];
    const reply = await this.request({host, ...ask, path});
    if (!this.#asks || ask.method !== undefined || !hasButton(reply)) return reply;
    const opened = await this.press(reply, {host, ...ask});
    if (opened.status !== 303) return opened;
    return new Reply(this.options.redirectStatus ?? 302, opened.headers, opened.text);
  }

  /** Presses the button of a page that asks, as a browser does. */
  async press(page: Reply, ask: Omit<Ask, 'path'> = {}): Promise<Reply> {
    const [, action = ''] = /<form method="post" action="([^"]+)">/.exec(page.text) ?? [];
    const [, referrer = ''] = /name="referrer" value="([^"]*)"/.exec(page.text) ?? [];
    return this.request({
      ...ask,
      method: 'POST',
      path: action.replaceAll('&amp;', '&'),
      headers: {
        ...ask.headers,
        'Content-Type': 'application/x-www-form-urlencoded',
        Referer: `${this.baseUrl}/spring`,
      },
      body: new URLSearchParams({referrer: referrer.replaceAll('&amp;', '&')}).toString(),
    });
  }

  /** Sends the password form of a short URL. */
  async submit(shortUrl: string, password: string, ask: Omit<Ask, 'path'> = {}): Promise<Reply> {
    const {headers, ...rest} = ask;
    return this.visit(shortUrl, {...withPassword(password, headers), ...rest});
  }

  async #succeed(operation: string, parameters: Readonly<Record<string, string>>, call: Call): Promise<Data> {
    const reply = await this.api(operation, parameters, call);
    if (reply.status !== 200) throw new Error(`${operation} answered ${reply.status}: ${reply.text}`);
    return reply.json().data;
  }
}

function hasButton({status, text}: Reply): boolean {
  return status === 200 && text.includes('<form method="post"') && !text.includes('type="password"');
}

const encoded = ['url', 'short_url', 'expired_url', 'preview_image', 'rules', 'utm'];

/** The path of an operation and its parameters, without a suffix. */
export function segments(operation: string, parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [
    name,
    encoded.includes(name) ? urlSafe(value) : encodeURIComponent(value),
  ]);
  return [operation, ...pairs].join('/');
}

async function passOn(_ctx: unknown, next: Next): Promise<void> {
  await next();
}

export async function startSite(t: Pick<ExecutionContext, 'teardown'>, settings: SiteOptions = {}): Promise<Site> {
  const {world = memoryAtRoot, proxy = false, downstream = passOn} = settings;
  const {mount, backend} = world;
  const clock = new Clock();
  const options: Options = {
    baseUrl: `https://example.com${mount.base}`,
    baseDomains: ['sho.rt', mount.otherBaseUrl],
    now: () => clock.now,
    // Hundreds of sites start at once on a busy machine.
    storeTimeout: 20_000,
    ...(mount.defer === undefined ? {} : {defer: mount.defer}),
    ...(world.asks === true && {confirm: 'always'}),
    ...(settings.shortUrl?.store === undefined ? await backend.open(t) : {}),
    ...settings.shortUrl,
  };
  const shortener = shortUrl(options);
  const app = new mount.Koa();
  app.proxy = proxy;
  // Some tests cause errors of the host, which Koa would print.
  app.on('error', () => undefined);
  shortener.events.on('error', () => undefined);
  mount.assemble(app, shortener, downstream);

  const server = createServer(mount.listener?.(app) ?? app.callback()).listen(0, '127.0.0.1');
  // On a busy machine a client may reuse a connection just as the server closes it.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const agent = new Agent({keepAlive: true});
  const close = async (): Promise<void> => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
    await shortener.close();
  };
  const {port} = server.address() as AddressInfo;
  const site = new Site(shortener, clock, options, world, {port, agent});
  try {
    site.key = (await shortener.accounts.create('user-42')).apiKey;
  } catch (error) {
    // The test may try again, and a site that stayed open would keep the store busy.
    await close();
    throw error;
  }
  t.teardown(close);
  return site;
}

/**
 * One site for many tests that do not depend on each other. It starts with the first test and closes after the last.
 * Call this while tests are declared.
 */
export function sharedSite(settings: SiteOptions): () => Promise<Site> {
  const teardowns: Array<() => unknown> = [];
  let site: Promise<Site> | undefined;
  test.after.always(async () => {
    await site?.catch(() => undefined);
    for (const teardown of teardowns.splice(0).reverse()) await teardown();
    site = undefined;
  });
  return async () => (site ??= startSite({teardown: (teardown) => void teardowns.push(teardown)}, settings));
}
