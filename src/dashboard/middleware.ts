import {inTime} from '../values/callback.ts';
import {languageOf} from '../values/language.ts';
import {emitError, warn} from '../warnings.ts';
import {limits} from './generated/limits.ts';
import type {Context, Middleware, Next} from 'koa';
import {isRead} from '../http/koa/body.ts';
import {type Fields, readForm} from '../http/koa/form-body.ts';
import {type PageLanguage, type ShortUrl, ShortUrlError} from '../index.ts';
import type {HostMiddleware} from '../http/koa/host-context.ts';
import {Turns} from '../turns.ts';
import {Assets} from './files/assets.ts';
import {Formats} from './formats.ts';
import {attributes, html} from './html.ts';
import {
  loginAddress,
  originalUrlOf,
  requestedPath,
  pathAfterLogin,
  pathBelow,
  rootPathOf,
  slashAddress,
  pathOf,
} from './addresses.ts';
import type {DashboardOptions} from './generated/options.ts';
import type {AccountDescription, DashboardUser} from './options.ts';
import {sendAgain} from './parts/pieces.ts';
import {readUpload} from './forms/upload.ts';
import {cookieToken, formToken, hasToken, isCrossSite, isOfOwnPage} from './forms/protection.ts';
import {type DashboardRequest, NotFound, type Reply} from './request.ts';
import {type Route, routes} from './routes.ts';
import {type Document, redirectTo, refuseMethod, sendDocument, sendFile} from './response.ts';
import {
  checkAccount,
  checkDescription,
  checkFound,
  checkLogin,
  checkUser,
  readOptions,
  type Settings,
} from './settings.ts';
import {SessionCheck} from './session-check.ts';
import {navigation, userLine} from './parts/navigation.ts';
import type {Texts} from './texts/en.ts';
import {Watch} from './watch.ts';
import {textsOf} from './texts/texts.ts';

/** Addresses are relative: they work under koa-mount, and behind proxies that remove a prefix. No path has a folder. */
const root = './';

/** The maximum number of mounts whose paths are reserved. */
const maxRoots = 20;

/**
 * In bytes. A character may take nine. A form may have three URLs twice, and those of the rules. The other fields need
 * less than the rest.
 */
const maxForm = (2 * 3 + limits.rules) * 9 * limits.url + 70_000;

/** In bytes. The address to which the login returns has room for less. */
const maxEntered = 16_384;

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
    if (!(await site.answer(ctx, dashboard))) await site.passOn(ctx, next as Next);
  };
}

/** The parts of a request that the middleware reads before it calls the page. */
type CheckedRequest = Pick<DashboardRequest, 'path' | 'account' | 'isAdmin' | 'form' | 'file'>;

interface Failed {
  readonly path: string;
  readonly error: unknown;
  readonly account: string | undefined;
  /** The fields of a form of the dashboard, to send again if the store was away. */
  readonly sent: Fields | undefined;
}

class Dashboard {
  readonly #shortener: ShortUrl;
  readonly #settings: Settings;
  readonly #assets: Assets;
  readonly #origin: string;
  readonly #formats = new Map<PageLanguage, Formats>();
  readonly #sessionCheck = new SessionCheck();
  readonly #watch: Watch;
  readonly #turns = new Turns({running: 4, runningOfAccount: 2, all: 200, ofClient: 50}, tooMuchAtOnce);
  #hasWarnedOfMount = false;
  /** The paths under which the dashboard was reached; undefined before the first request. */
  #roots: Set<string> | undefined;

  constructor(shortener: ShortUrl, settings: Settings) {
    this.#shortener = shortener;
    this.#settings = settings;
    this.#assets = new Assets(settings.accent);
    this.#origin = new URL(shortener.baseUrls[0] ?? '').origin;
    this.#watch = new Watch(shortener, (at) => this.#formatsOf('en').local(at.getTime()).date);
    this.#reserve(settings.path);
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
    const route = this.#routeOf(path);
    if (asset !== undefined) sendFile(ctx, asset, 'public');
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

  passOn(ctx: Context, next: Next): Promise<void> {
    return this.#sessionCheck.passOn(ctx, next);
  }

  #routeOf(path: string): Route | undefined {
    const route = routes.get(path);
    return route?.isForApi && !this.#settings.api ? undefined : route;
  }

  /** A mount removes its prefix from the path, so only a request shows where the dashboard is. */
  #reserveRoot(ctx: Context, path: string): void {
    const root = rootPathOf(originalUrlOf(ctx), path);
    if (this.#roots === undefined || this.#roots.size >= maxRoots || this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#reserve(root);
  }

  /** Keeps the addresses of the dashboard from being given to links. */
  #reserve(root: string): void {
    const paths = root === '' ? [...routes.keys()].map((path) => `/${path}`) : [root];
    this.#shortener.reserve(paths, () => this.#roots !== undefined);
  }

  async #answerRoute(ctx: Context, path: string, route: Route, middleware: Middleware): Promise<boolean> {
    if (route.isAction && isCrossSite(ctx, this.#origin)) {
      await this.#showMessage(ctx, path, 403, 'foreignForm');
      return true;
    }
    const account = await this.#accountOf(ctx, middleware);
    const isAdmin = account !== undefined && (await this.#settings.admin(ctx));
    if (route.isForAdmin && account !== undefined && !isAdmin) return false;
    let form: Fields = new Map();
    let request: DashboardRequest | undefined;
    try {
      const upload = route.hasFile && account !== undefined ? await readUpload(ctx, maxForm) : undefined;
      if (route.isAction) form = upload?.fields ?? (await this.#readForm(ctx, account)) ?? form;
      if (account === undefined) {
        await this.#sendToLogin(ctx, path, route, form);
      } else {
        request = await this.#request(ctx, {path, account, isAdmin, form, file: upload?.file});
        await this.#send(ctx, request, await this.#handle(route, request));
      }
    } catch (error) {
      // While the store is away, nobody knows the right token. Then the form keeps the one that it has.
      const isOwn = request === undefined || hasToken(request);
      const sent = form.size > 0 && isOwn ? form : undefined;
      await this.#explain(ctx, {path, error, account, sent});
    }
    return true;
  }

  /** Long work of an account takes turns, because each holds a file in memory. */
  async #handle({handle, isLong}: Route, request: DashboardRequest): Promise<Reply> {
    if (!isLong) return handle(request);
    return this.#turns.run({account: request.account}, async () => handle(request));
  }

  /** Strangers get no work done: of theirs, a long form is not read, and only its values would be lost at the login. */
  async #readForm(ctx: Context, account: string | undefined): Promise<Fields | undefined> {
    if (account !== undefined) return readForm(ctx, maxForm);
    const length = isRead(ctx) ? 0 : (ctx.request.length as number | undefined);
    return length === undefined || length > maxEntered ? undefined : readForm(ctx, maxEntered);
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
    const address = typeof login === 'function' ? checkLogin(await inTime(login(ctx, next))) : login;
    // The policy of the page allows a form no redirect to an origin that the options do not name.
    const isRefused = typeof login === 'function' && route.isAction && !address?.startsWith('/');
    if (address === undefined || isRefused) await this.#showMessage(ctx, path, 401, 'notLoggedIn');
    else redirectTo(ctx, typeof login === 'function' ? address : loginAddress(address, next));
  }

  async #request(ctx: Context, checked: CheckedRequest): Promise<DashboardRequest> {
    const apiKey = await this.#apiKeyOf(ctx, checked.account);
    const language = languageOf(ctx);
    const formats = this.#formatsOf(language);
    const now = this.#shortener.now();
    return {
      ...checked,
      shortener: this.#shortener,
      baseUrls: () => this.#shortener.baseUrlsOf(checked.account),
      describeAccount: this.#descriptions(ctx),
      findAccounts: this.#search(ctx),
      watch: this.#watch,
      hasApi: this.#settings.api,
      hasConversions: this.#shortener.forDashboard.hasAttribution,
      conversionName: (name) => this.#shortener.conversionName(name, language),
      apiKey,
      token: apiKey === undefined ? cookieToken(ctx) : formToken(apiKey),
      language,
      texts: textsOf(language),
      formats,
      root,
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

  /** What a callback of the host returns; undefined if it fails, because every page works without it. */
  async #ask<Result>(ctx: Context, call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await call();
    } catch (error) {
      emitError(ctx, error);
      return undefined;
    }
  }

  #userOf(ctx: Context): Promise<DashboardUser | undefined> {
    return this.#ask(ctx, async () => checkUser(await inTime(this.#settings.user(ctx))));
  }

  /** The host's descriptions of accounts. The callback is called once for each account of a page. */
  #descriptions(ctx: Context): DashboardRequest['describeAccount'] {
    const known = new Map<string, Promise<AccountDescription>>();
    return (account) => {
      const description = known.get(account) ?? this.#describe(ctx, account);
      known.set(account, description);
      return description;
    };
  }

  async #describe(ctx: Context, account: string): Promise<AccountDescription> {
    const {describeAccount} = this.#settings;
    return (await this.#ask(ctx, async () => checkDescription(await inTime(describeAccount(account))))) ?? {};
  }

  #search(ctx: Context): DashboardRequest['findAccounts'] {
    const {findAccounts} = this.#settings;
    return findAccounts && ((text) => this.#ask(ctx, async () => checkFound(await inTime(findAccounts(text)))));
  }

  async #send(ctx: Context, request: DashboardRequest, reply: Reply): Promise<void> {
    if ('location' in reply) {
      redirectTo(ctx, reply.location);
    } else if ('body' in reply) {
      sendFile(ctx, reply, 'private');
    } else {
      const {language, texts} = request;
      const {title, content, status = 200} = reply;
      const tabs = navigation(request, await this.#userOf(ctx));
      await this.#sendPage(ctx, status, {title, content, language, texts, navigation: tabs});
    }
  }

  #sendPage(ctx: Context, status: number, page: Omit<Document, 'head'>): Promise<void> {
    return sendDocument(ctx, this.#settings, status, {...page, head: this.#assets.tags(root)});
  }

  /** @throws the error itself if it is a fault in the program or the host */
  async #explain(ctx: Context, {path, error, account, sent}: Failed): Promise<void> {
    // The account was removed while the page was open.
    if (error instanceof NotFound || isAccountGone(error)) {
      await this.#showMessage(ctx, path, 404, 'unknownLink');
    } else if (error instanceof ShortUrlError && error.code === 'store_unavailable') {
      ctx.set('Retry-After', String(error.retryAfter ?? 1));
      await this.#showMessage(ctx, path, 503, sent === undefined ? 'unavailable' : 'uncertain', {sent});
    } else if (error instanceof ShortUrlError && error.code === 'account_blocked') {
      await this.#showMessage(ctx, path, 403, 'accountBlocked', {reason: await this.#blockReasonOf(account)});
    } else if (error instanceof ShortUrlError && error.code === 'too_many_requests') {
      ctx.set('Retry-After', String(error.retryAfter ?? 1));
      await this.#showMessage(ctx, path, 429, 'unavailable');
    } else if ((error as {type?: unknown} | undefined)?.type === 'entity.too.large') {
      await this.#showMessage(ctx, path, 413, 'tooLarge');
    } else {
      throw error;
    }
  }

  /** Why the operator has blocked an account; undefined if no reason was given, or the store does not answer now. */
  async #blockReasonOf(account = ''): Promise<string | undefined> {
    const info = await this.#shortener.admin.account(account).catch(() => undefined);
    return info?.blockReason;
  }

  async #showMessage(
    ctx: Context,
    path: string,
    status: number,
    name: Message,
    {sent, reason}: {readonly sent?: Fields | undefined; readonly reason?: string | undefined} = {},
  ): Promise<void> {
    const language = languageOf(ctx);
    const texts = textsOf(language);
    const {title, text} = texts.messages[name];
    const user = await this.#userOf(ctx);
    const content = html`<div class="links-message">
      <h1>${title}</h1>
      <p>${text}</p>
      ${reason !== undefined && html`<p>${texts.account.reasonIs} <bdi>${reason}</bdi></p>`}
      ${sent && sendAgain(texts, root + path + ctx.search, sent)}
      ${name !== 'accountBlocked' && html`<p><a ${attributes({class: sent === undefined && 'links-button', href: root})}>${texts.messages.back}</a></p>`}
    </div>`;
    await this.#sendPage(ctx, status, {
      title,
      content,
      language,
      texts,
      navigation: user && userLine(texts, user),
    });
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

function isAccountGone(error: unknown): boolean {
  return error instanceof ShortUrlError && error.code === 'invalid_api_key';
}

type Message = Exclude<keyof Texts['messages'], 'back' | 'sendAgain'>;
