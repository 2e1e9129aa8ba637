import Router from '@koa/router';
import Koa from 'koa';
import {type ShortUrl, shortUrl, type StoreOption} from 'koa-short-url';
import {accessLog} from './access-log.ts';
import {accountPage} from './account-page.ts';
import {linkPage} from './link-page.ts';
import {addAccountRoutes} from './routes/account.ts';
import {addDescriptionRoutes} from './routes/description.ts';
import {addLinkRoutes} from './routes/links.ts';
import {addPageRoutes} from './routes/pages.ts';
import {addQrCodeRoutes} from './routes/qr-codes.ts';
import {addSignInRoutes} from './routes/sign-in.ts';
import {sessions} from './session.ts';
import {sitePages} from './site-pages.ts';
import {openUsers} from './users/open.ts';

export interface SiteOptions {
  /** Where the site is reached: its scheme decides whether cookies are for https only. */
  readonly baseUrl: string;
  readonly baseDomains?: readonly string[];
  /** `memory:`, `sqlite:path/to/file.db`, `redis://…`, `postgres://…` or `mysql://…`; users and links are kept there side by side. */
  readonly store: string;
  /** Where links are kept if not beside the users: a connection string, or a Keyv instance of yours. */
  readonly linkStore?: StoreOption;
  /** Signs the session cookies and seals the API keys. */
  readonly secret: string;
  readonly proxy?: boolean;
  /** A clock, for tests: milliseconds since the epoch. */
  readonly now?: () => number;
  /** Where the access log and errors go; default nowhere. */
  readonly log?: Pick<Console, 'log' | 'error'>;
}

export interface Site {
  readonly app: Koa;
  readonly shortener: ShortUrl;
  /** Stores what is pending and lets the store go. Call it when the last request has been answered. */
  close(): Promise<void>;
}

/** Builds the site of the Low Tide Festival. It does not listen yet: hand `app.callback()` to an HTTP server. */
export function buildApp(options: SiteOptions): Site {
  const {baseUrl, baseDomains = [], store, linkStore = store, secret, proxy = false, now = Date.now, log} = options;
  const app = new Koa({proxy});
  const router = new Router();

  // The short links of the site. The paths of the router are never given away as short parts.
  const shortener = shortUrl({baseUrl, baseDomains, store: linkStore, secret, now, reserved: router});
  const users = openUsers(store);

  addPageRoutes(router, {ready: () => Promise.all([shortener.ready(), users.ready()])});
  addSignInRoutes(router, {users, shortener});
  const showAccount = accountPage({shortener, baseUrl, baseDomains, now});
  const showLink = linkPage({shortener, baseUrl, now});
  addAccountRoutes(router, {users, shortener, showAccount});
  addLinkRoutes(router, {users, shortener, showAccount, showLink});
  addQrCodeRoutes(router, {users, shortener});
  addDescriptionRoutes(router, {baseUrl});

  if (log) app.use(accessLog(log));
  app.use(sessions(app, {secret, https: new URL(baseUrl).protocol === 'https:'}));
  app.use(sitePages);
  app.use(shortener); // In front of the routes, yet a short link answers only where none of them does.
  app.use(router.routes());
  app.use(router.allowedMethods());

  app.on('error', (error: unknown) => {
    log?.error(error);
  });
  // A fault in the program reaches the app's own event too; an outage only this one.
  shortener.events.on('error', (error) => {
    if (error.code === 'store_unavailable') log?.error(error);
  });

  return {
    app,
    shortener,
    async close() {
      await shortener.close();
      await users.close();
    },
  };
}
