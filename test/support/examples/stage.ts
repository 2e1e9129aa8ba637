import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {ExecutionContext} from 'ava';
import type {LinkEvent} from 'koa-short-url';
import {buildApp, type Site, type SiteOptions} from '../../../examples/host-app/app.ts';
import {Browser, type Page} from './browser.ts';

export const password = 'a long enough password';

export interface Stage extends Site {
  readonly origin: string;
  readonly browser: Browser;
}

/** The site on a free port, and a browser without cookies. */
export async function open(t: ExecutionContext, options: Partial<SiteOptions> = {}): Promise<Stage> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const {port} = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  const defaults = {baseUrl: origin, store: 'memory:', secret: 'a secret for tests, and for nothing else'};
  const site = buildApp({...defaults, baseDomains: [`http://127.0.0.1:${port}`], ...options});
  const handle = site.app.callback();
  server.on('request', (request, response) => void handle(request, response));
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await site.close();
  });
  return {...site, origin, browser: new Browser(origin)};
}

export function register(browser: Browser, email = 'ada@example.org'): Promise<Page> {
  return browser.submit('/register', '/register', {email, password});
}

export function logIn(browser: Browser, fields: Record<string, string> = {}): Promise<Page> {
  return browser.submit('/login', '/login', {email: 'ada@example.org', password, ...fields});
}

export function createLink(browser: Browser, fields: Record<string, string>): Promise<Page> {
  return browser.submit('/account', '/account/create', fields);
}

/** Registers a user who creates a link, `first`. Returns the user's account. */
export async function registerWithLink({browser, shortener}: Stage): Promise<string> {
  await register(browser);
  const created = once(shortener.events, 'create') as Promise<[LinkEvent]>;
  await createLink(browser, {url: 'https://example.com/', custom_url: 'first'});
  const [{account}] = await created;
  return account;
}
