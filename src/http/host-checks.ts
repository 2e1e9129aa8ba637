import type {Context} from 'koa';
import type {Bases, LinkName} from '../link/bases.ts';
import type {SitePages} from '../site/site-pages.ts';
import {warn} from '../host/warnings.ts';
import {parseCall} from './call.ts';

/** How many new links are watched at once; the oldest are dropped first. */
const maxWatched = 1000;

/** In characters. The client chooses the Host header and the path, so a warning repeats only their start. */
const maxQuoted = 100;

/**
 * Watches the answers of the site, and warns, once for each reason, if short URLs cannot work on it. It never reads the
 * store: it watches each link that this process has created until the link or the site has answered.
 */
export class HostChecks {
  readonly #bases: Bases;
  readonly #sitePages: SitePages;
  /** The domains of the watched links by their short parts. Of two links with one short part the later is watched. */
  readonly #watched = new Map<string, string>();
  /** Those that were not reached yet. */
  #dashboards: ReadonlyArray<{readonly paths: ReadonlySet<string>; readonly wasReached: () => boolean}> = [];
  #hasWarnedOfLink = false;
  #hasWarnedOfHost = false;
  #hasWarnedOfPath = false;

  constructor(bases: Bases, sitePages: SitePages) {
    this.#bases = bases;
    this.#sitePages = sitePages;
  }

  /** Call this when this process has created a link. */
  watch({domain, slug}: LinkName): void {
    this.#watched.set(slug, domain);
    if (this.#watched.size > maxWatched) this.#watched.delete(String(this.#watched.keys().next().value));
  }

  /** Call this when a link has answered. */
  linkAnswered(name: LinkName): void {
    this.#sitePages.linkAnswered(name);
    this.#stopWatching(name);
  }

  /** Call this when the site itself has answered a path that a link could have. */
  siteAnswered(ctx: Context, name: LinkName, status: number): void {
    if (this.#leadsTo(ctx, name, status)) return;
    const {method, headers} = ctx.req;
    if (method === 'GET' && this.#sitePages.answered(name, {status, accept: headers.accept})) {
      warn(
        'no_404',
        'The site itself has answered each of the first hundred paths that a link could have, so links cannot work: with ' +
          '`defer: true` they answer only where the site answers 404. Set `defer: false`, and list the pages of the site ' +
          'in `reserved`. A single-page app may also answer 404 where it has no page.',
      );
    }
    if (!this.#stopWatching(name) || this.#hasWarnedOfLink) return;
    this.#hasWarnedOfLink = true;
    warn(
      'hidden_link',
      `The site itself answered the short URL ${this.#bases.shortUrl(name)} with the status ${status}, so the ` +
        'link could not answer. With `defer: true` the pages of the site come first: create the link ' +
        'again under another short part. A ' +
        'site that answers every path, such as a single-page app, hides all links: let it answer 404 where it has no ' +
        'page, or set `defer: false` and `reserved`.',
    );
  }

  /** Call this when the site itself had no page at a path that a link could have. */
  siteMissed({req: {method, headers}}: Context, name: LinkName): void {
    if (method === 'GET') this.#sitePages.missed(name, headers.accept);
  }

  /** Expects that the host has mounted the dashboard of these paths. */
  expect(paths: readonly string[], wasReached: () => boolean): void {
    const all = new Set(paths.flatMap((path) => [path, `${path}/`]));
    this.#dashboards = [...this.#dashboards, {paths: all, wasReached}];
  }

  /** Whether the path is that of a dashboard that was never reached. */
  shouldWarnOfDashboard(path: string): boolean {
    return this.#dashboards.some(({paths, wasReached}) => paths.has(path) && !wasReached());
  }

  /** Warns of a dashboard for which the site has answered 404. */
  warnOfDashboard(path: string): void {
    if (this.#dashboards.length === 0) return;
    const missing = this.#dashboards.find(({paths, wasReached}) => paths.has(path) && !wasReached());
    this.#dashboards = this.#dashboards.filter((one) => one !== missing && !one.wasReached());
    if (missing === undefined) return;
    warn(
      'unreached_dashboard',
      `The site answered 404 for ${path}, because the dashboard there got no request. Mount it with \`app.use\` before ` +
        '`app.listen` or `app.callback`, and before middleware that does not call `next`.',
    );
  }

  /** Returns whether the link was watched. Every redirect asks, so it makes no string. */
  #stopWatching({domain, slug}: LinkName): boolean {
    return this.#watched.get(slug) === domain && this.#watched.delete(slug);
  }

  /** Whether the answer is a redirect to the same short URL, such as one from http to https. */
  #leadsTo({response}: Context, name: LinkName, status: number): boolean {
    if (status < 300 || status > 399) return false;
    const location = response.get('Location');
    const {origin} = new URL(this.#bases.shortUrl(name));
    const target = this.#bases.parseShortUrl(location) ?? this.#bases.parseShortUrl(origin + location);
    return target?.domain === name.domain && target.slug === name.slug;
  }

  /** Whether the host is none of the site's domains and no warning about a host was printed yet. */
  shouldWarnOfHost({host}: Context): boolean {
    return !this.#hasWarnedOfHost && host !== '' && this.#bases.find(host) === undefined;
  }

  /** Warns that a path that a short URL could have was requested with a host that is none of the site's domains. */
  warnOfHost(ctx: Context): void {
    if (!this.shouldWarnOfHost(ctx)) return;
    this.#hasWarnedOfHost = true;
    const forwarded = ctx.get('X-Forwarded-Host').split(',', 1)[0]?.trim() ?? '';
    const advice =
      !ctx.app.proxy && forwarded !== '' && this.#bases.find(forwarded)
        ? 'The header X-Forwarded-Host has one of them: set `app.proxy = true`, so that Koa reads it.'
        : 'If it is a domain of the site, add it to `baseDomains`. Configure a proxy to pass on the Host header.';
    warn(
      'unknown_host',
      `A request for a short URL had the host ${JSON.stringify(ctx.host.slice(0, maxQuoted))}, but links answer only ` +
        `on the domains of the site: ${this.#bases.domains.join(', ')}. ${advice}`,
    );
  }

  /** Whether a path is that of an API call or of a new link, but under another prefix than the site's. */
  shouldWarnOfPath(path: string, {host}: Context): boolean {
    if (this.#hasWarnedOfPath) return false;
    const call = path.indexOf('/api/v1/');
    if (call !== -1 && parseCall(path.slice(call), '/api/v1/') !== undefined) return true;
    if (this.#watched.size === 0) return false;
    const base = this.#bases.find(host);
    const slug = path.slice(path.lastIndexOf('/') + 1);
    return base !== undefined && this.#watched.get(slug) === base.domain;
  }

  /** Warns of such a path, for which the site has no page. */
  warnOfPath(path: string, ctx: Context): void {
    if (!this.shouldWarnOfPath(path, ctx)) return;
    this.#hasWarnedOfPath = true;
    const [prefix = ''] = /^.*?(?=\/api\/v1\/|\/[^/]*$)/.exec(path) ?? [];
    const {root} = this.#bases.find(ctx.host) ?? this.#bases.main;
    warn(
      'unknown_path',
      `A request had the path prefix ${JSON.stringify(prefix.slice(0, maxQuoted))}, but short URLs begin with ${root}/. ` +
        'Add the prefix of a mount to `baseUrl`, and configure a proxy to keep the prefix.',
    );
  }
}
