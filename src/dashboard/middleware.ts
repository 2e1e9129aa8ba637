import {languageOf} from '../values/language.ts';
import {emitError, warn} from '../warnings.ts';
import type {Context, Middleware} from 'koa';
import type {Fields} from '../http/koa/form-body.ts';
import {type PageLanguage, type ShortUrl, ShortUrlError} from '../index.ts';
import type {HostMiddleware} from '../http/koa/host-context.ts';
import {Turns} from '../turns.ts';
import {Assets} from './files/assets.ts';
import {Callbacks} from './callbacks.ts';
import {Formats} from './formats.ts';
import {
  loginAddress,
  originalUrlOf,
  requestedPath,
  pathAfterLogin,
  pathBelow,
  rootOf,
  rootPathOf,
  slashAddress,
  pathOf,
} from './addresses.ts';
import type {DashboardOptions} from './generated/options.ts';
import {maxForm, readPosted} from './forms/posted.ts';
import {readUpload} from './forms/upload.ts';
import {Replies} from './replies.ts';
import {cookieToken, formToken, hasToken, isCrossSite, isOfOwnPage} from './forms/protection.ts';
import {showShared} from './pages/shared.ts';
import {type DashboardRequest, NotFound, type Reply} from './request.ts';
import {type Route, routes} from './routes.ts';
import {redirectTo, refuseMethod, sendFile} from './response.ts';
import {checkAccount, readOptions, type Settings} from './settings.ts';
import {SessionCheck} from './session-check.ts';
import {Watch} from './watch.ts';
import {textsOf} from './texts/texts.ts';

/** The maximum number of mounts whose paths are reserved. */
const maxRoots = 20;

/**
 * Makes the middleware of the dashboard: pages on which the users of a site manage their links, see the visits and get
 * their API key, behind the site's own login (docs/dashboard.md).
 *
 * @throws TypeError for an invalid or unknown option
 * @example
 * app.use(dashboard(shortener, {path: '/links', account: (ctx) => ctx.session?.user, login: '/login'}));
 */
export function dashboard(shortener: ShortUrl, options: DashboardOptions): HostMiddleware {
  const site = new Dashboard(shortener, readOptions(shortener, options));
  return async function dashboard(context, next) {
    const ctx = context as Context;
    if (!(await site.answer(ctx, dashboard))) await next();
  };
}

/** The parts of a request that the middleware reads before it calls the page. */
type CheckedRequest = Pick<DashboardRequest, 'path' | 'account' | 'apiKey' | 'token' | 'isAdmin' | 'form' | 'file'>;

/** What a page that everybody may read has of them. It has no forms. */
const ofStranger = {apiKey: undefined, token: '', isAdmin: false, form: new Map<string, string>(), file: undefined};

class Dashboard {
  readonly #shortener: ShortUrl;
  readonly #settings: Settings;
  readonly #assets: Assets;
  readonly #callbacks: Callbacks;
  readonly #replies: Replies;
  readonly #origin: string;
  readonly #formats = new Map<PageLanguage, Formats>();
  readonly #sessionCheck = new SessionCheck();
  readonly #watch: Watch;
  readonly #turns = new Turns({running: 4, runningOfAccount: 2, all: 200, ofClient: 50}, tooMuchAtOnce);
  readonly #sharedTurns = new Turns({running: 2, runningOfAccount: 1, all: 50, ofClient: 10}, tooMuchAtOnce);
  #hasWarnedOfMount = false;
  /** The path of the dashboard as browsers see it, as of the last request. */
  #root: string;
  /** The paths under which the dashboard was reached; undefined before the first request. */
  #roots: Set<string> | undefined;

  constructor(shortener: ShortUrl, settings: Settings) {
    this.#shortener = shortener;
    this.#settings = settings;
    this.#assets = new Assets(settings.accent);
    this.#callbacks = new Callbacks(settings);
    this.#replies = new Replies(shortener, settings, this.#assets, this.#callbacks);
    this.#origin = new URL(shortener.baseUrls[0] ?? '').origin;
    this.#watch = new Watch(shortener, (at) => this.#formatsOf('en').local(at.getTime()).date);
    this.#root = settings.path;
    this.#reserve(settings.path);
    if (settings.share) shortener.forDashboard.share(() => this.#root);
  }

  /** @returns false if the request is for no page of the dashboard; the host answers it then */
  async answer(ctx: Context, middleware: Middleware): Promise<boolean> {
    this.#roots ??= new Set([this.#settings.path]);
    const whole = pathOf(ctx);
    const path = whole === undefined ? undefined : pathBelow(whole, this.#settings.path);
    if (path === undefined) {
      this.#warnOfMount(ctx, whole);
      return false;
    }
    const operation = this.#settings.api ? /^api\/([^/]+)$/.exec(path)?.[1] : undefined;
    if (operation !== undefined) return this.#answerCall(ctx, {path, operation, middleware});
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    const asset = isRead ? this.#assets.find(path) : undefined;
    const token = this.#settings.share ? /^shared\/([^/]+)$/.exec(path)?.[1] : undefined;
    const route = this.#routeOf(path);
    if (asset !== undefined) sendFile(ctx, asset, 'public');
    else if (token !== undefined && isRead) return this.#answerShared(ctx, path, token);
    else if (token !== undefined) refuseMethod(ctx, 'GET, HEAD');
    else if (route === undefined) return false;
    else if (!isRead && !(ctx.method === 'POST' && route.isAction)) {
      refuseMethod(ctx, route.isAction ? 'POST' : 'GET, HEAD');
    } else if (isRead && route.isAction) {
      // The user has reloaded a page that answered a form, so the URL is that of the action.
      redirectTo(ctx, './');
    } else {
      const slashed = path === '' ? slashAddress(originalUrlOf(ctx)) : undefined;
      this.#reserveRoot(ctx, path);
      if (slashed === undefined) return this.#answerRoute(ctx, path, route, middleware);
      redirectTo(ctx, slashed);
    }
    return true;
  }

  /** Warns, once, if the option `path` has the prefix that a mount removes. The dashboard would be a 404 without a word. */
  #warnOfMount(ctx: Context, whole: string | undefined): void {
    const {path} = this.#settings;
    if (this.#hasWarnedOfMount || path === '') return;
    const requested = requestedPath(ctx);
    if (requested === whole || pathBelow(requested, path) === undefined) return;
    this.#hasWarnedOfMount = true;
    warn(
      'dashboard_path',
      `A request for ${path} has reached the dashboard as ${JSON.stringify(whole?.slice(0, 100))}, because a mount removes ` +
        'the beginning of the path. Set the option `path` without the prefix of the mount.',
    );
  }

  /** Answers a call of the API from a page of the site, for the account of the session. */
  async #answerCall(
    ctx: Context,
    {path, operation, middleware}: {path: string; operation: string; middleware: Middleware},
  ): Promise<boolean> {
    const {forDashboard} = this.#shortener;
    // At the root, `/api` may be the site's own.
    const isRoot = rootPathOf(originalUrlOf(ctx), path) === '';
    if (isRoot && (ctx.method !== 'POST' || !this.#shortener.operations.includes(operation))) return false;
    this.#reserveRoot(ctx, path);
    await forDashboard.answerCall(ctx, operation, async () => {
      if (isOfOwnPage(ctx, this.#origin)) return checkAccount(await this.#askAccount(ctx, middleware));
      throw new ShortUrlError('foreign_page', 'Only pages of this site may call its API without a key.');
    });
    return true;
  }

  #routeOf(path: string): Route | undefined {
    const route = routes.get(path);
    const {api, share} = this.#settings;
    return (route?.isForApi && !api) || (route?.isForShares && !share) ? undefined : route;
  }

  /** A mount removes its prefix from the path, so only a request shows where the dashboard is. */
  #reserveRoot(ctx: Context, path: string): void {
    const root = rootPathOf(originalUrlOf(ctx), path);
    this.#root = root;
    if (this.#roots === undefined || this.#roots.size >= maxRoots || this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#reserve(root);
  }

  /** Keeps the addresses of the dashboard from being given to links. */
  #reserve(root: string): void {
    const paths = root === '' ? [...routes.keys(), 'shared'].map((path) => `/${path}`) : [root];
    this.#shortener.reserve(paths, () => this.#roots !== undefined);
  }

  async #answerRoute(ctx: Context, path: string, route: Route, middleware: Middleware): Promise<boolean> {
    if (route.isAction && isCrossSite(ctx, this.#origin)) {
      await this.#replies.showMessage(ctx, path, 403, 'foreignForm');
      return true;
    }
    const account = await this.#accountOf(ctx, middleware);
    const isAdmin = account !== undefined && (await this.#settings.admin(ctx));
    if (route.isForAdmin && account !== undefined && !isAdmin) return false;
    let form: Fields = new Map();
    let request: DashboardRequest | undefined;
    try {
      const isStranger = account === undefined;
      const upload = route.hasFile && !isStranger ? await readUpload(ctx, maxForm) : undefined;
      if (route.isAction) form = upload?.fields ?? (await readPosted(ctx, isStranger)) ?? form;
      if (account === undefined) {
        await this.#sendToLogin(ctx, path, route, form);
      } else {
        const apiKey = await this.#apiKeyOf(ctx, account);
        const token = apiKey === undefined ? cookieToken(ctx) : formToken(apiKey);
        request = this.#request(ctx, {path, account, apiKey, token, isAdmin, form, file: upload?.file});
        await this.#replies.send(ctx, request, await this.#handle(route, request));
      }
    } catch (error) {
      // While the store is away, nobody knows the right token. Then the form keeps the one that it has.
      const isOwn = request === undefined || hasToken(request);
      const sent = form.size > 0 && isOwn ? form : undefined;
      await this.#replies.explain(ctx, {path, error, account, sent});
    }
    return true;
  }

  /** Long work of an account takes turns, because each holds a file in memory. */
  async #handle({handle, isLong}: Route, request: DashboardRequest): Promise<Reply> {
    if (!isLong) return handle(request);
    return this.#turns.run({account: request.account}, async () => handle(request));
  }

  async #accountOf(ctx: Context, middleware: Middleware): Promise<string | undefined> {
    const account = await this.#askAccount(ctx, middleware);
    try {
      return checkAccount(account);
    } catch (error) {
      this.#shortener.forDashboard.report(error as ShortUrlError);
      throw error;
    }
  }

  #askAccount(ctx: Context, middleware: Middleware): Promise<unknown> {
    return this.#sessionCheck.ask<unknown>(ctx, middleware, () => this.#settings.account(ctx));
  }

  async #sendToLogin(ctx: Context, path: string, route: Route, form: Fields): Promise<void> {
    const {login} = this.#settings;
    const next = pathAfterLogin(originalUrlOf(ctx), route.returnTo?.(form, new URLSearchParams(ctx.querystring)));
    const address = await this.#callbacks.login(ctx, next);
    // The policy of the page allows a form no redirect to an origin that the options do not name.
    const isRefused = typeof login === 'function' && route.isAction && !address?.startsWith('/');
    if (address === undefined || isRefused) await this.#replies.showMessage(ctx, path, 401, 'notLoggedIn');
    else redirectTo(ctx, typeof login === 'function' ? address : loginAddress(address, next));
  }

  /** Answers everybody, whether logged in or not. What was never shared and what is not any more get the same answer. */
  async #answerShared(ctx: Context, path: string, token: string): Promise<boolean> {
    this.#reserveRoot(ctx, path);
    try {
      const page = await this.#shortener.forDashboard.shared(token);
      if (page === undefined) throw new NotFound();
      const request = this.#request(ctx, {...ofStranger, path, account: page.account});
      const reply = await this.#sharedTurns.run({account: page.id}, () => showShared(request, page));
      await this.#replies.send(ctx, request, reply);
    } catch (error) {
      await this.#replies.explain(ctx, {path, error, account: undefined, sent: undefined});
    }
    return true;
  }

  #request(ctx: Context, checked: CheckedRequest): DashboardRequest {
    const language = languageOf(ctx);
    const formats = this.#formatsOf(language);
    const now = this.#shortener.now();
    return {
      ...checked,
      shortener: this.#shortener,
      baseUrls: () => this.#shortener.baseUrlsOf(checked.account),
      describeAccount: this.#callbacks.descriptions(ctx),
      findAccounts: this.#callbacks.search(ctx),
      watch: this.#watch,
      hasApi: this.#settings.api,
      hasShares: this.#settings.share,
      hasConversions: this.#shortener.forDashboard.hasAttribution,
      conversionName: (name, count) => this.#shortener.conversionName(name, language, count),
      language,
      texts: textsOf(language),
      formats,
      root: rootOf(checked.path),
      query: new URLSearchParams(ctx.querystring),
      now,
      today: formats.local(now).date,
    };
  }

  /** Undefined if the key cannot be decrypted. Everything else works without it, and the page offers a new one. */
  async #apiKeyOf(ctx: Context, account: string): Promise<string | undefined> {
    const {accounts} = this.#shortener;
    try {
      return (await accounts.apiKey(account)) ?? (await accounts.create(account)).apiKey;
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'internal_error') throw error;
      emitError(ctx, error);
      return undefined;
    }
  }

  #formatsOf(language: PageLanguage): Formats {
    const formats = this.#formats.get(language) ?? new Formats(language, this.#shortener.timeZone);
    this.#formats.set(language, formats);
    return formats;
  }
}

function tooMuchAtOnce(): ShortUrlError {
  return new ShortUrlError('too_many_requests', 'This account has too much long work waiting.', {retryAfter: 5});
}
