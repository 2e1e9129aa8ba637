import type {IncomingHttpHeaders, IncomingMessage, ServerResponse} from 'node:http';
import {printable} from '../values/printable.ts';
import {warn} from '../warnings.ts';
import {type Bases, isSameName, type LinkName} from '../link/bases.ts';
import {type ProxiedApp, trustsProxy} from './proxy.ts';
import {Reach} from './reach.ts';
import type {SitePages} from './site-pages.ts';

/** How many new links are watched at once; the oldest are dropped first. */
const maxWatched = 1000;

/** In characters. The client chooses the Host header and the path, so a warning repeats only their start. */
const maxQuoted = 100;

/** The part of Koa's context that hints read. */
export interface Seen {
  readonly host: string;
  readonly app: ProxiedApp;
  readonly req: {readonly method?: string | undefined; readonly headers: IncomingHttpHeaders};
  readonly res: ServerResponse;
  readonly response: {get(header: string): string};
}

export interface HintsDependencies {
  readonly bases: Bases;
  readonly sitePages: SitePages;
  /** Whether a path, without the prefix of the site, is that of an API call. */
  readonly isCall: (path: string) => boolean;
}

/**
 * Watches the answers of the site, and warns, once for each reason, if short URLs cannot work on it. It never reads the
 * store: it watches each link that this process has created until the link or the site has answered. The middleware tells
 * it what became of each request.
 */
export class Hints {
  readonly #bases: Bases;
  readonly #sitePages: SitePages;
  readonly #isCall: HintsDependencies['isCall'];
  readonly #reach: Reach;
  /** The domains of the watched links by their short parts. Of two links with one short part the later is watched. */
  readonly #watched = new Map<string, string>();
  /** Those that were not reached yet. */
  #dashboards: ReadonlyArray<{readonly paths: ReadonlySet<string>; readonly wasReached: () => boolean}> = [];
  readonly #warned = new Set<string>();
  /** The requests for which a wall of the site has asked whether they are the shortener's. */
  readonly #asked = new WeakSet<object>();

  constructor({bases, sitePages, isCall}: HintsDependencies) {
    this.#bases = bases;
    this.#sitePages = sitePages;
    this.#isCall = isCall;
    this.#reach = new Reach((request, response) => {
      this.#warnOfUnreached(request, response);
    });
  }

  close(): void {
    this.#reach.stop();
  }

  /** Call this when a request has reached the shortener. */
  reached(request: object): void {
    this.#reach.note(request);
  }

  /** Call this when this process has created a link. */
  watch({domain, slug}: LinkName): void {
    this.#reach.listen();
    this.#watched.set(slug, domain);
    if (this.#watched.size > maxWatched) this.#watched.delete(String(this.#watched.keys().next().value));
  }

  /**
   * Call this with a request whose client counts: not with each visit. A proxy of the site has a private address, and says
   * who the client is, also where Koa does not listen.
   */
  askedFrom({app, req}: Pick<Seen, 'app'> & {readonly req: Pick<IncomingMessage, 'headers' | 'socket'>}): void {
    const {headers, socket} = req;
    if (headers['x-forwarded-for'] === undefined || !isPrivate(socket.remoteAddress) || trustsProxy(app)) return;
    this.#warn(
      'untrusted_proxy',
      'A proxy has passed on a request (X-Forwarded-For), and `app.proxy` is not set. So all clients count as one for the ' +
        'limits of wrong passwords and keys, and no country is counted. Set `app.proxy = true`, if clients reach the app ' +
        'only through the proxy.',
    );
  }

  /** Call this when a wall of the site has asked whether a request is the shortener's. */
  asked(request: object): void {
    this.reached(request);
    this.#asked.add(request);
  }

  /** Whether a 404 for this path may show a mistake. Many requests ask, and to read the host of `Seen` takes time. */
  listens(host: string, path: string): boolean {
    return this.#isUnknownHost(host) || this.#isUnknownPath(path, host) || this.#dashboardAt(path) !== undefined;
  }

  /** @param isAtItsPath whether the path was exactly that of its short URL */
  linkAnswered(link: LinkName & {readonly password?: string}, isAtItsPath: boolean): void {
    this.#reach.stop();
    if (isAtItsPath) this.#sitePages.linkAnswered(link);
    // The site may still refuse the form of a password.
    if (link.password === undefined) this.#stopWatching(link);
  }

  /** Call this when the site itself has answered a path that a link could have. */
  siteAnswered({req, response}: Seen, name: LinkName, status: number, isPastKoa: boolean): void {
    const {method, headers} = req;
    const target = isRedirect(status) ? response.get('Location') : undefined;
    if (target !== undefined && this.#leadsTo(target, name)) return;
    const answersAll = method === 'GET' && this.#sitePages.answered(name, {status, accept: headers.accept});
    // A link would have answered the wall.
    if (this.#asked.has(req)) return;
    if (answersAll) {
      this.#warn(
        'no_404',
        'The site itself has answered each of the first hundred paths that a link could have, so links cannot work: with ' +
          '`defer: true` they answer only where the site answers 404. Set `defer: false`, and list the pages of the site ' +
          'in `reserved`. A single-page app may also answer 404 where it has no page.',
      );
    }
    if (!this.#stopWatching(name)) return;
    this.#warn(
      'hidden_link',
      `The site itself answered the short URL ${this.#bases.shortUrl(name)} with the status ${status}, so the link could ` +
        `not answer: with \`defer: true\` the pages of the site come first. ${adviceOn(status, target, isPastKoa)}`,
    );
  }

  /** @param name undefined if the path is none that a link could have on this host */
  nobodyAnswered(seen: Seen, path: string, name: LinkName | undefined): void {
    const {method, headers} = seen.req;
    this.#watchDashboard(path, seen.res);
    if (name !== undefined) {
      if (method === 'GET') this.#sitePages.missed(name, headers.accept);
    } else if (this.#bases.nameAt(this.#bases.main, path) !== undefined) this.#warnOfHost(seen);
    else this.#warnOfPath(path, seen);
  }

  /** Expects that the host has mounted the dashboard of these paths. */
  expect(paths: readonly string[], wasReached: () => boolean): void {
    const all = new Set(paths.flatMap((path) => [path, `${path}/`]));
    this.#dashboards = [...this.#dashboards, {paths: all, wasReached}];
  }

  #dashboardAt(path: string): {readonly wasReached: () => boolean} | undefined {
    return this.#dashboards.find(({paths, wasReached}) => paths.has(path) && !wasReached());
  }

  /** On a site without Koa, a dashboard behind the shortener may still answer. */
  #watchDashboard(path: string, response: ServerResponse): void {
    if (this.#dashboardAt(path) === undefined) return;
    response.once('finish', () => {
      if (response.statusCode === 404) this.#warnOfDashboard(path);
    });
  }

  #warnOfDashboard(path: string): void {
    const missing = this.#dashboardAt(path);
    this.#dashboards = this.#dashboards.filter((one) => one !== missing && !one.wasReached());
    if (missing === undefined) return;
    // Each dashboard is a reason of its own.
    warn(
      'unreached_dashboard',
      `The site answered 404 for ${path}, because the dashboard there got no request. Mount it with \`app.use\` before ` +
        '`app.listen` or `app.callback`, and before middleware that does not call `next`.',
    );
  }

  #isUnknownHost(host: string): boolean {
    // With `domains`, the site hears of every host itself.
    const isExpected = this.#warned.has('unknown_host') || this.#bases.hasUserDomains;
    return !isExpected && host !== '' && this.#bases.find(host) === undefined;
  }

  #warnOfHost(seen: Seen): void {
    if (!this.#isUnknownHost(seen.host)) return;
    // If Koa trusted the proxy, the host would be the forwarded one.
    const advice =
      this.#bases.find(forwardedHost(seen.req)) === undefined
        ? 'If it is a domain of the site, add it to `baseDomains`. Configure a proxy to pass on the Host header.'
        : 'The header X-Forwarded-Host has one of them: set `app.proxy = true`, so that Koa reads it.';
    this.#warn(
      'unknown_host',
      `A request for a short URL had the host ${quoted(seen.host)}, but links answer only on the domains of the site: ` +
        `${this.#bases.domains.join(', ')}. ${advice}`,
    );
  }

  /** Whether a path is that of an API call or of a new link, but under another prefix than the site's. */
  #isUnknownPath(path: string, host: string): boolean {
    if (this.#warned.has('unknown_path')) return false;
    const call = path.indexOf('/api/v1/');
    if (call !== -1 && this.#isCall(path.slice(call))) return true;
    if (this.#watched.size === 0) return false;
    const base = this.#bases.find(host);
    const slug = path.slice(path.lastIndexOf('/') + 1);
    return base !== undefined && this.#watched.get(slug) === base.domain;
  }

  #warnOfPath(path: string, seen: Seen): void {
    if (!this.#isUnknownPath(path, seen.host)) return;
    const [prefix = ''] = /^.*?(?=\/api\/v1\/|\/[^/]*$)/.exec(path) ?? [];
    const {root} = this.#bases.find(seen.host) ?? this.#bases.main;
    this.#warn(
      'unknown_path',
      `A request had the path prefix ${quoted(prefix)}, but short URLs begin with ${root}/. ` +
        'Add the prefix of a mount to `baseUrl`, and configure a proxy to keep the prefix.',
    );
  }

  /** Warns if the request was for a watched link. A failure or a limit of the site says nothing. */
  #warnOfUnreached({method, url = '', headers}: IncomingMessage, response: ServerResponse): void {
    const {statusCode: status} = response;
    const base = this.#bases.find(headers.host ?? '') ?? this.#bases.find(forwardedHost({headers}));
    if (method !== 'GET' || base === undefined || !(status < 400 || status === 404 || isWall(status))) return;
    const name = this.#bases.nameAt(base, url.replace(/\?.*/s, ''));
    if (name === undefined || this.#watched.get(name.slug) !== name.domain) return;
    if (isRedirect(status) && this.#leadsTo(String(response.getHeader('Location')), name)) return;
    this.#reach.stop();
    this.#warn(
      'unreached_shortener',
      `The short URL ${this.#bases.shortUrl(name)} was answered with the status ${status}, and the shortener did not get ` +
        'the request. Mount it with `app.use(shortener)` before `app.listen` or `app.callback`, and before middleware ' +
        'that answers every path without calling `next`.',
    );
  }

  /** Returns whether the link was watched. Every redirect asks, so it makes no string. */
  #stopWatching({domain, slug}: LinkName): boolean {
    return this.#watched.get(slug) === domain && this.#watched.delete(slug);
  }

  /** Whether a redirect leads to the same short URL, such as one from http to https. */
  #leadsTo(location: string, name: LinkName): boolean {
    const {origin} = new URL(this.#bases.shortUrl(name));
    const target = this.#bases.parseShortUrl(location) ?? this.#bases.parseShortUrl(origin + location);
    return isSameName(target, name);
  }

  #warn(code: string, message: string): void {
    if (this.#warned.has(code)) return;
    this.#warned.add(code);
    warn(code, message);
  }
}

/** What to do if the site has answered the path of a link. */
function adviceOn(status: number, target: string | undefined, isPastKoa: boolean): string {
  const letFirst = 'let links answer first: set `defer: false`, and list the pages of the site in `reserved`';
  const atWall =
    'A login or a check of tokens probably refused the visitor: call `if (await shortener.answers(ctx)) return;` in it.';
  if (isPastKoa) return `It was answered past Koa, as a proxy or a middleware for Connect does, so ${letFirst}.`;
  if (target !== undefined) {
    return (
      `The site redirected to ${quoted(target)}. If this is its page for what it does not have, mount the shortener behind ` +
      `the middleware that redirects, or ${letFirst}. If it is a login, call \`if (await shortener.answers(ctx)) return;\` in it.`
    );
  }
  if (isWall(status)) return atWall;
  return (
    `If the site answers every path, as a single-page app does, let it answer 404 where it has no page, or ${letFirst}. ` +
    'If only this page has the name of the link, create the link again under another short part.'
  );
}

/** What a client has sent, cut and escaped. */
function quoted(text: string): string {
  return printable(JSON.stringify(text.slice(0, maxQuoted)));
}

function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399;
}

/** Whether a middleware of the site probably refused the visitor. */
function isWall(status: number): boolean {
  return status === 401 || status === 403;
}

/** Whether an address is one of this machine or of a private network (RFC 1918, RFC 4193). */
function isPrivate(address = ''): boolean {
  return /^(?:::1$|f[cd]|(?:::ffff:)?(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.))/i.test(address);
}

/** The host that a proxy says the client asked for. */
function forwardedHost({headers}: Pick<Seen['req'], 'headers'>): string {
  return String(headers['x-forwarded-host'] ?? '')
    .replace(/,.*/s, '')
    .trim();
}
