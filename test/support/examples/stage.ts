import {once} from 'node:events';
import type {ExecutionContext} from 'ava';
import type {LinkEvent} from 'koa-short-url';
import {buildApp, type Site, type SiteOptions} from '../../../examples/host-app/app.ts';
import type {Answer} from '../client.ts';
import {serve} from '../listen.ts';
import {Browser} from './browser.ts';

export const password = 'a long enough password';

export interface Stage extends Site {
  readonly origin: string;
  readonly browser: Browser;
}

/** The site on a free port, and a browser without cookies. */
export async function open(t: ExecutionContext, options: Partial<SiteOptions> = {}): Promise<Stage> {
  const {server, port, origin} = await serve(t);
  const defaults = {baseUrl: origin, store: 'memory:', secret: 'a secret for tests, and for nothing else'};
  const site = buildApp({...defaults, baseDomains: [`http://127.0.0.1:${port}`], ...options});
  const handle = site.app.callback();
  server.on('request', (request, response) => void handle(request, response));
  t.teardown(() => site.close());
  return {...site, origin, browser: new Browser(origin)};
}

export function register(browser: Browser): Promise<Answer> {
  return browser.submit('/register', '/register', {email: 'ada@example.org', password});
}

export function logIn(browser: Browser, fields: Record<string, string> = {}): Promise<Answer> {
  return browser.submit('/login', '/login', {email: 'ada@example.org', password, ...fields});
}

export function createLink(browser: Browser, fields: Record<string, string>): Promise<Answer> {
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
