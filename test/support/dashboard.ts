import type {RequestListener} from 'node:http';
import type {ExecutionContext} from 'ava';
import Koa from 'koa';
import {dashboard, type DashboardOptions} from '../../src/dashboard.ts';
import {type ShortUrl, shortUrl, type ShortUrlOptions} from '../../src/index.ts';
import {type Answer, Client} from './client.ts';
import {elementsOf} from './documents.ts';
import {serve} from './listen.ts';

export type {Answer};

export interface StageOptions {
  readonly dashboard?: Partial<DashboardOptions>;
  readonly shortUrl?: Partial<ShortUrlOptions>;
  /** Wraps the shortener that the dashboard gets. */
  readonly disguise?: (shortener: ShortUrl) => ShortUrl;
  /** Mounts both in an app. Returns the server's listener if it is not the app's own. */
  readonly assemble?: (app: Koa, parts: Parts) => RequestListener | undefined;
  readonly Koa?: typeof Koa;
  /** The path of the dashboard as a browser sees it. */
  readonly path?: string;
}

export interface Parts {
  readonly shortener: ShortUrl;
  readonly pages: Koa.Middleware;
}

export interface Stage {
  readonly origin: string;
  /** The URL of the first page of the dashboard, with a slash at the end. */
  readonly home: string;
  readonly shortener: ShortUrl;
  readonly clock: {now: number};
  /** A visitor who is logged in to an account; undefined for none. */
  readonly visitor: (account?: string) => Visitor;
}

function inOrder(app: Koa, {shortener, pages}: Parts): undefined {
  app.use(shortener).use(pages);
}

/** A site with a dashboard at `/links`. The header `X-User` says who is logged in. */
export async function open(t: ExecutionContext, options: StageOptions = {}): Promise<Stage> {
  const {server, origin} = await serve(t);
  const clock = {now: Date.parse('2031-05-06T12:00:00Z')};
  const shortener = shortUrl({baseUrl: origin, store: 'memory:', now: () => clock.now, ...options.shortUrl});
  const pages = dashboard(options.disguise?.(shortener) ?? shortener, {
    path: '/links',
    account: (ctx) => ctx.get('X-User') || undefined,
    login: '/login',
    admin: (ctx) => ctx.get('X-User') === 'operator',
    ...options.dashboard,
  });
  const App = options.Koa ?? Koa;
  const app = new App();
  app.silent = true;
  const assemble = options.assemble ?? inOrder;
  const callback = app.callback.bind(app);
  const listener = assemble(app, {shortener, pages}) ?? callback();
  server.on('request', listener);
  t.teardown(() => shortener.close());
  await shortener.accounts.create('ann');
  const home = `${origin}${options.path ?? '/links'}/`;
  return {origin, home, shortener, clock, visitor: (account) => new Visitor(home, account)};
}

/** A browser without script, with the headers of today's browsers. Its addresses are relative to the first page. */
export class Visitor extends Client {
  constructor(home: string, account: string | undefined) {
    super(home, account === undefined ? {} : {'X-User': account});
  }

  /** Posts a form like that of the page. */
  async post(
    address: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const body = new URLSearchParams({_token: await this.token(), ...fields});
    return this.send(address, {method: 'POST', body, headers: {'Sec-Fetch-Site': 'same-origin', ...headers}});
  }

  /** Posts a form, and follows the redirect. */
  async submit(address: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const {status, location, text} = await this.post(address, fields);
    if (status !== 303)
      throw new Error(`${address} answered ${status}: ${/class="links-error[^>]*>[^<]*/.exec(text)?.[0] ?? ''}`);
    return this.get(location);
  }

  async token(): Promise<string> {
    return tokenIn((await this.get()).text);
  }
}

/** The token of the forms on a page. */
export function tokenIn(html: string): string {
  return /name="_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
}

/** The error that a form shows at a field, also a form of the example's own. */
export function errorOf(html: string, field: string): string | undefined {
  return new RegExp(`id="(?:links-)?${field}-error">\\s*([^<]*?)\\s*<`).exec(html)?.[1];
}

/** The fields that a browser posts with the form of an action, if the user changes nothing. */
export function fieldsIn(html: string, action: string): Record<string, string> {
  const elements = elementsOf(html);
  const start = elements.findIndex(({name, attributes}) => name === 'form' && attributes.get('action') === action);
  const after = elements.slice(start + 1);
  const end = after.findIndex(({name}) => name === 'form');
  const inputs = after
    .slice(0, end === -1 ? undefined : end)
    .filter(({name, attributes}) => name === 'input' && attributes.has('name'))
    .filter(({attributes}) => attributes.get('type') !== 'checkbox' || attributes.has('checked'));
  return Object.fromEntries(
    inputs.map(({attributes}) => [attributes.get('name') ?? '', attributes.get('value') ?? '']),
  );
}

/** The row of the list with a short URL; undefined if there is none. */
export function rowOf(html: string, shortUrl: string): string | undefined {
  return html.split('<tr').find((row) => row.includes(`href="${shortUrl}"`) && row.includes('<td'));
}

/** The text of a piece of HTML, with white space collapsed. */
export function textOf(html = ''): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
