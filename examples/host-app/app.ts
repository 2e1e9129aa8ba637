import Router from '@koa/router';
import Koa from 'koa';
import {type ShortUrl, shortUrl, type StoreOption} from 'koa-short-url';
import {dashboard} from 'koa-short-url/dashboard';
import {accessLog} from './access-log.ts';
import {consentOf} from './consent.ts';
import {renderDashboard} from './render.ts';
import {addAccountRemoval} from './routes/account-removal.ts';
import {addConsentRoutes} from './routes/consent.ts';
import {addPageRoutes} from './routes/pages.ts';
import {addSignInRoutes} from './routes/sign-in.ts';
import {addTicketRoutes} from './routes/tickets.ts';
import {currentUser, sessions} from './session.ts';
import {sitePages} from './site-pages.ts';
import {openUsers} from './users/open.ts';

export interface SiteOptions {
  /** The URL of the site for visitors. Its scheme decides whether cookies are for https only. */
  readonly baseUrl: string;
  readonly baseDomains?: readonly string[];
  /** The store of users and links: `memory:`, `sqlite:path/to/file.db`, `redis://…`, `postgres://…` or `mysql://…`. */
  readonly store: string;
  /** The store of the links, if it is not the one of the users: a connection string or a Keyv instance. */
  readonly linkStore?: StoreOption;
  /** Signs the session cookies and encrypts the API keys. */
  readonly secret: string;
  /** The email addresses of the users who may find and block every link. */
  readonly operators?: readonly string[];
  readonly proxy?: boolean;
  /** A clock, for tests: milliseconds since the epoch. */
  readonly now?: () => number;
  /** Receives the access log and errors. By default they are discarded. */
  readonly log?: Pick<Console, 'log' | 'error'>;
}

export interface Site {
  readonly app: Koa;
  readonly shortener: ShortUrl;
  /** Stores pending visits and closes the store. Call it after the last request has been answered. */
  close(): Promise<void>;
}

/** The name, home page and colour of the site on the shortener's built-in pages. */
const brand = {siteName: 'Low Tide', homeUrl: '/', accent: '#0b5c66'};

/** Builds the site of the Low Tide Festival. Pass `app.callback()` to an HTTP server. */
export function buildApp(options: SiteOptions): Site {
  const {baseUrl, baseDomains = [], store, linkStore = store, secret, operators = []} = options;
  const {proxy = false, now = Date.now, log} = options;
  const app = new Koa({proxy});
  const router = new Router();
  const users = openUsers(store);

  // `reserved` keeps the paths of the router from being used as short parts.
  const shortener = shortUrl({
    ...{baseUrl, baseDomains, store: linkStore, secret, now},
    reserved: router,
    pages: brand,
    // A link with a visit limit asks before it opens, so that no mail filter uses it up.
    confirm: 'limited',
    // Tells which link has sold a ticket, if the visitor agrees.
    attribution: {consent: consentOf, currency: 'GBP', names: {ticket: 'Tickets sold'}},
  });

  addPageRoutes(router, {ready: () => Promise.all([shortener.ready(), users.ready()])});
  const onError = (error: unknown): void => {
    log?.error(error);
  };
  addSignInRoutes(router, {users, shortener, onError});
  addAccountRemoval(router, {users, shortener});
  addConsentRoutes(router, {shortener});
  addTicketRoutes(router, {shortener, onError});

  if (log) app.use(accessLog(log));
  app.use(sessions(app, {secret, https: new URL(baseUrl).protocol === 'https:'}));
  app.use(sitePages);
  app.use(shortener); // Before the routes, but a link answers only if no route does.
  app.use(
    dashboard(shortener, {
      ...brand,
      path: '/account',
      account: async (ctx) => (await currentUser(ctx, users))?.id,
      login: '/login',
      user: async (ctx) => {
        const user = await currentUser(ctx, users);
        return user && {name: user.email, logout: '/logout'};
      },
      admin: async (ctx) => operators.includes((await currentUser(ctx, users))?.email ?? ''),
      describeAccount: async (id) => ({email: await users.emailOf(id)}),
      findAccounts: async (text) => {
        const user = await users.find(text.toLowerCase());
        return user ? [user.id] : [];
      },
      layout: renderDashboard,
    }),
  );
  app.use(router.routes());
  app.use(router.allowedMethods());

  app.on('error', onError);
  // The app's `error` event has faults in the program already, but no outages.
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
