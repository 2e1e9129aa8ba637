// A host's program: test/long/types.test.ts compiles it against the packed declarations. Each line after a
// directive `@ts-expect-error` is a mistake that the types must catch.
import {IncomingMessage, type ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import Koa, {type Middleware} from 'koa';
import Router from '@koa/router';
import Keyv from 'keyv';
import mount from 'koa-mount';
import {
  type ActivePage,
  type CreateLink,
  type DeniedEvent,
  type ErrorCode,
  type GonePage,
  type Link,
  type LinkEvent,
  type LinkStats,
  type RecordedConversion,
  type LinkStatus,
  type Page,
  type PageLanguage,
  type Pages,
  type PasswordPage,
  type PreviewPage,
  redactUrl,
  type RenderPage,
  type RouterLike,
  type ShortUrl,
  type ShortUrlAccounts,
  ShortUrlError,
  type ShortUrlEvents,
  type ShortUrlLinks,
  type ShortUrlOptions,
  shortUrl,
  type StoreOption,
  type UnavailablePage,
  type VisitedLink,
  type VisitEvent,
} from 'koa-short-url';
import {ApiError, createClient, type FullRecord} from 'koa-short-url/client';
import {type AccountDescription, dashboard, type DashboardUser} from 'koa-short-url/dashboard';
import {
  type KitOptions,
  type TestClock,
  type TestLink,
  type TestLinks,
  type TestOutage,
  type TestShortUrl,
  testShortUrl,
  type TestShortUrlOptions,
} from 'koa-short-url/testing';

/** Compiles only if both types are identical. */
function same<A>() {
  return <B,>(..._: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : ['different']) =>
    undefined;
}

const app = new Koa();
const router = new Router();
const baseUrl = 'https://example.com';

const shortener = shortUrl({
  baseUrl,
  baseDomains: ['sho.rt'],
  store: 'memory:',
  storeTimeout: 1000,
  secret: process.env['SHORT_URL_SECRET'],
  namespace: 'links',
  reserved: router,
  slugLength: 8,
  redirectStatus: 308,
  defer: false,
  allowUrl: async (url, account) => url.startsWith('https:') && account !== 'guest',
  countVisit: (ctx, link) => ctx.get('DNT') !== '1' && !link.tags.includes('internal'),
  passwordAttempts: 3,
  keyAttempts: 50,
  createQuota: 1000,
  pages: {
    password: ({shortUrl: url, wasWrong}) => `${url} ${wasWrong ? 'again' : ''}`,
    gone: async ({language}, ctx) => `${language} ${ctx.path}`,
    unavailable: ({reason, retryAfter}) => `${reason} ${retryAfter.toFixed()}`,
  },
  now: () => 0,
});
same<typeof shortener>()<ShortUrl>();

// The middleware.
app.use(shortener);
app.use(mount('/s', shortener));
router.all('/{*path}', shortener);
const middleware: Middleware = shortener;
app.use(middleware);
class HostApp extends Koa<{user: string}, {log: (line: string) => void}> {}
new HostApp().use(shortener).use((ctx) => {
  ctx.log(ctx.state.user);
});

const linkPages = dashboard(shortener, {path: '/links', account: (ctx) => ctx.get('X-User')});
const account = () => 'ann';
dashboard(shortener, {account, user: (): DashboardUser => ({name: 'Ada', logout: '/logout'})});
// @ts-expect-error no such property of a user
dashboard(shortener, {account, user: (): DashboardUser => ({name: 'Ada', logoutUrl: '/logout'})});
// @ts-expect-error no such property of a user
dashboard(shortener, {account, user: async (): Promise<DashboardUser> => ({name: 'Ada', logoutUrl: '/logout'})});
// @ts-expect-error no such property of an account
dashboard(shortener, {account, describeAccount: (): AccountDescription => ({name: 'Ada', logout: '/logout'})});
// @ts-expect-error nothing that describes an account
dashboard(shortener, {account, describeAccount: () => ({logoutUrl: '/logout'})});
app.use(linkPages);

// Contexts of frameworks on Koa have other types in what the shortener does not need.
interface FrameworkContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: {readonly body: string; readonly app: {readonly config: object}};
  readonly response: {readonly realStatus: number};
  readonly originalUrl: string;
  readonly app: {readonly config: object; on(event: 'ready'): void};
  readonly cookies: {get(name: 'session'): number};
  body: string | undefined;
}
async function wall(ctx: FrameworkContext, next: () => Promise<void>): Promise<void> {
  if (await shortener.answers(ctx)) return;
  await shortener.conversions.record(ctx, {name: 'order', id: 1});
  await shortener(ctx, next);
  await linkPages(ctx, async () => 'any');
}
void wall;
// @ts-expect-error the request of Node.js is no context
await shortener.answers(new IncomingMessage(new Socket()));

// Options.
const options: ShortUrlOptions = {
  baseUrl,
  store: new Keyv(),
  secret: ['a-new-secret-of-good-length-0123456789', 'an-old-secret-of-good-length-0123456789'],
};
const stores: StoreOption[] = ['redis://localhost', new Map<string, string>(), new Keyv()];
const routerLike: RouterLike = router;
shortUrl({...options, store: stores[0], reserved: routerLike});
shortUrl({baseUrl, store: undefined, secret: undefined, reserved: ['about'] as const});
// @ts-expect-error baseUrl is required
shortUrl({store: 'memory:'});
// @ts-expect-error a URL is given as text
shortUrl({baseUrl: new URL(baseUrl)});
// @ts-expect-error no such option
shortUrl({baseUrl, baseDomain: 'sho.rt'});
// @ts-expect-error several domains are an array
shortUrl({baseUrl, baseDomains: 'sho.rt'});
// @ts-expect-error a number is no store
shortUrl({baseUrl, store: 6379});
// @ts-expect-error milliseconds are a number
shortUrl({baseUrl, storeTimeout: '2s'});
// @ts-expect-error 303 is no status of these redirects
shortUrl({baseUrl, redirectStatus: 303});
// @ts-expect-error the rule has to answer
shortUrl({baseUrl, allowUrl: () => undefined});
// @ts-expect-error a page is text
shortUrl({baseUrl, pages: {gone: () => 410}});
// @ts-expect-error no such page
shortUrl({baseUrl, pages: {missing: () => ''}});
// @ts-expect-error a clock gives milliseconds
shortUrl({baseUrl, now: () => new Date()});

// Accounts.
const accounts: ShortUrlAccounts = shortener.accounts;
same<Awaited<ReturnType<typeof accounts.create>>>()<{apiKey: string}>();
same<Awaited<ReturnType<typeof accounts.apiKey>>>()<string | undefined>();
same<Awaited<ReturnType<typeof accounts.rotate>>>()<{apiKey: string}>();
same<Awaited<ReturnType<typeof accounts.remove>>>()<void>();
// @ts-expect-error an account is a string or an integer
await accounts.create(true);

// Links.
const links: ShortUrlLinks = shortener.links;
const wanted: CreateLink = {url: baseUrl, customUrl: 'spring', password: 's3cret', expiryDate: '2030-12-31'};
const link: Link = await links.create('user-42', {...wanted, baseDomain: 'sho.rt'});
same<typeof link.status>()<LinkStatus>();
same<LinkStatus>()<'active' | 'disabled' | 'expired' | 'scheduled'>();
same<typeof link.urlId>()<number>();
same<typeof link.lastAccessed>()<string | null>();
same<typeof link.expiryDate>()<string | null>();
for (const change of [links.disable, links.enable, links.info]) same<Link>()<Awaited<ReturnType<typeof change>>>();
for await (const {shortUrl: url} of links.listActive('user-42')) same<typeof url>()<string>();
for await (const each of links.list('user-42')) same<typeof each>()<Link>();
const page: Page = {limit: 10};
const {nextCursor, urls}: ActivePage = await links.pageActive('user-42', page);
same<typeof nextCursor>()<string | undefined>();
same<(typeof urls)[number]>()<Pick<Link, 'shortUrl'>>();
const stats: LinkStats = await links.stats('user-42', link.shortUrl);
same<typeof stats.days>()<
  ReadonlyArray<{
    readonly date: string;
    readonly visits: number;
    readonly conversions: number;
    readonly values: ReadonlyArray<{
      readonly currency: string | null;
      readonly recordedBy: 'site' | 'account';
      readonly value: number;
      readonly refunded: number;
    }>;
  }>
>();
const recorded = await shortener.conversions.record({via: 'token'}, {name: 'order', id: 1001, value: 4900});
same<typeof recorded>()<RecordedConversion | undefined>();
same<RecordedConversion['link']['status']>()<LinkStatus | 'removed'>();
// @ts-expect-error a link leads somewhere
await links.create('user-42', {customUrl: 'spring'});
// @ts-expect-error the programmatic interface has names of its own
await links.create('user-42', {url: baseUrl, custom_url: 'spring'});
// @ts-expect-error a day is text
await links.create('user-42', {url: baseUrl, expiryDate: 20301231});
// @ts-expect-error whose link
await links.info(link.shortUrl);
// @ts-expect-error a link is read, not written
link.status = 'disabled';

// Events.
const events: ShortUrlEvents = shortener.events;
for (const name of ['create', 'disable', 'enable'] as const) {
  events.on(name, (event) => {
    same<typeof event>()<LinkEvent>();
  });
}
events.on('visit', (event) => {
  same<typeof event>()<VisitEvent>();
  same<typeof event.link>()<VisitedLink>();
  // @ts-expect-error the tally is not read for each visit
  event.link.totalVisits.toFixed();
});
events.once('denied', (event) => {
  same<typeof event>()<DeniedEvent>();
  same<typeof event.shortUrl>()<string | undefined>();
});
events.on('error', (error) => {
  same<typeof error>()<ShortUrlError>();
});
// @ts-expect-error no such event
events.on('visits', () => undefined);
// @ts-expect-error no such listener
events.on('visit', (event: DeniedEvent) => event.reason);

// Errors.
try {
  await shortener.ready();
} catch (error) {
  if (error instanceof ShortUrlError) {
    same<typeof error.code>()<ErrorCode>();
    same<typeof error.retryAfter>()<number | undefined>();
    const isOutage = error.code === 'store_unavailable';
    // @ts-expect-error no such code
    if (!isOutage && error.code === 'not_found') throw error;
  }
}

// Pages.
const passwordPage: RenderPage<PasswordPage> = ({language}) => language;
const gone = (told: GonePage) => told.shortUrl;
const unavailable = async (told: UnavailablePage) => told.reason;
const preview = ({destination, shortUrl}: PreviewPage): string => destination ?? shortUrl;
const pages: Pages = {password: passwordPage, gone, preview, unavailable};
const language: PageLanguage = 'zh-Hant';
// @ts-expect-error not one of the languages
const other: PageLanguage = 'it';

// The kit for tests.
const kitOptions: TestShortUrlOptions = {baseUrl, createQuota: 3};
const kit: TestShortUrl = await testShortUrl(kitOptions);
same<typeof kit.shortener>()<ShortUrl>();
same<typeof kit.clock>()<TestClock>();
same<typeof kit.links>()<TestLinks>();
same<typeof kit.links.active>()<TestLink>();
same<typeof kit.outage>()<TestOutage>();
same<typeof kit.options>()<KitOptions>();
same<typeof kit.options.secret>()<string>();
const now: () => number = kit.options.now;
kit.clock.advance(1000);
shortUrl({...kit.options, now, defer: kit.links.removed.path.length > 0});
// @ts-expect-error the store is the kit's
await testShortUrl({store: 'memory:'});
// @ts-expect-error no such option
await testShortUrl({baseURL: baseUrl});

same<ReturnType<typeof redactUrl>>()<string>();
console.log(pages, language, other);
await shortener.close();
same<ReturnType<ShortUrl[typeof Symbol.asyncDispose]>>()<Promise<void>>();

const client = createClient({url: 'https://example.com', apiKey: 'key'});
export async function callClient(): Promise<string> {
  const {url_id, short_url} = await client.create({url: 'https://example.org/', tags: ['mail']}, {idempotencyKey: 'x'});
  const urls: readonly FullRecord[] = (await client.listUrls()).urls;
  const {results} = await client.createMany({links: [{url: 'https://example.org/'}]});
  await client.updateMany({
    changes: [
      {short_url, utm: {source: 'mail'}},
      {short_url, utm: null},
    ],
  });
  // @ts-expect-error a campaign has no such part
  await client.updateMany({changes: [{short_url, utm: {place: 'mail'}}]});
  same<typeof url_id>()<number>();
  // @ts-expect-error the long URL is required
  await client.create({}).catch((error: unknown) => error instanceof ApiError && error.code === 'missing_parameter');
  // @ts-expect-error there is no such operation
  await client.destroy({short_url});
  return `${short_url} ${urls[0]?.title} ${results[0]?.error}`;
}
