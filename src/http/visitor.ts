import type {Context} from 'koa';
import {inTime} from '../callback.ts';
import {ShortUrlError} from '../errors.ts';
import type {Announcer} from '../events.ts';
import type {PasswordAttempts} from '../links/attempts.ts';
import type {Bases} from '../links/bases.ts';
import {formatDateTime} from '../links/dates.ts';
import {isPassword, verifyPassword} from '../links/password.ts';
import {type LinkRecord, linkKey, statusOf, toVisitedLink} from '../links/record.ts';
import type {Found, FoundLink, Visits} from '../links/visits.ts';
import {clientOf} from './client.ts';
import {readPassword} from './form.ts';
import {contentType, writeEnvelope} from './envelope.ts';
import {languageOf} from './pages/language.ts';
import {contentSecurityPolicy} from './pages/layout.ts';
import {builtInPages, type PageOf, type Pages, type RenderPage} from './pages/pages.ts';
import {isPrefetch, type Report} from './request.ts';
import {discardBody, redirect} from './response.ts';

export interface VisitorDependencies {
  readonly visits: Visits;
  readonly bases: Bases;
  readonly attempts: PasswordAttempts;
  readonly announcer: Announcer;
  readonly report: Report;
  readonly redirectStatus: number;
  readonly countVisit: (ctx: Context) => boolean | Promise<boolean>;
  readonly pages: Pages;
  readonly now: () => number;
}

const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

/** Answers whoever opens a short URL. */
export class Visitor {
  readonly #dependencies: VisitorDependencies;

  constructor(dependencies: VisitorDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Answers a request for what was found.
   *
   * @returns false where there is nothing to answer, and the request is the host's
   */
  async answer(ctx: Context, found: Found): Promise<boolean> {
    if (found.status === 'unknown') return false;
    const {password} = found.record;
    if (found.status === 'gone') await this.#showGone(ctx, found.record);
    else if (password !== undefined) await this.#askPassword(ctx, found, password);
    else if (ctx.method === 'POST') return false;
    else await this.#follow(ctx, found, this.#dependencies.redirectStatus);
    return true;
  }

  /** Says that a link cannot be opened now, and when to try again. */
  async refuse(ctx: Context, {code, message, status, retryAfter = 1}: ShortUrlError): Promise<void> {
    ctx.set('Retry-After', String(retryAfter));
    const reason = code === 'too_many_requests' ? code : 'store_unavailable';
    await this.#show(ctx, status, 'unavailable', {reason, retryAfter}, {error: code, message});
  }

  async #follow(ctx: Context, found: FoundLink, status: number): Promise<void> {
    if (ctx.method !== 'HEAD' && !isPrefetch(ctx)) {
      const isCounted = this.#isCounted(ctx);
      if (isCounted === true || (await isCounted)) {
        this.#announceVisit(found.record, await this.#dependencies.visits.count(found));
      }
    }
    redirect(ctx, status, found.record.target);
  }

  #isCounted(ctx: Context): boolean | Promise<boolean> {
    const {countVisit, report} = this.#dependencies;
    const countInSpite = (cause: unknown): true => {
      const message = "The host's `countVisit` failed; the visit was counted.";
      report(new ShortUrlError('internal_error', message, {cause}), ctx);
      return true;
    };
    try {
      const isCounted = countVisit(ctx);
      return typeof isCounted === 'boolean' ? isCounted : Promise.resolve(inTime(isCounted)).catch(countInSpite);
    } catch (cause) {
      return countInSpite(cause);
    }
  }

  #announceVisit(record: LinkRecord, at: number): void {
    const {announcer, bases} = this.#dependencies;
    if (!announcer.isHeard('visit')) return;
    announcer.announce('visit', {account: record.account, link: toVisitedLink(record, bases, at), at: new Date(at)});
  }

  async #askPassword(ctx: Context, found: FoundLink, hash: string): Promise<void> {
    const shortUrl = this.#dependencies.bases.shortUrl(found.record);
    if (ctx.method !== 'POST') {
      await this.#show(ctx, 200, 'password', {shortUrl, wasWrong: false});
      return;
    }
    // Koa forgets it once the connection is gone.
    const {ip} = ctx;
    const password = await readPassword(ctx);
    // Whoever hung up has tried nothing.
    if (ctx.req.destroyed && !ctx.req.complete) return;
    try {
      if (!(await this.#isRight(password, {hash, link: linkKey(found.record), ip}))) {
        this.#deny(ip, 'invalid_password', shortUrl);
        await this.#show(ctx, 401, 'password', {shortUrl, wasWrong: true});
        return;
      }
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'too_many_requests') throw error;
      this.#deny(ip, error.code, shortUrl);
      await this.refuse(ctx, error);
      return;
    }
    await this.#follow(ctx, found, 303);
  }

  /** What no link can have is no try: it tells nothing, and would cost the store a write. */
  async #isRight(
    password: string | undefined,
    {hash, link, ip}: Record<'hash' | 'link' | 'ip', string>,
  ): Promise<boolean> {
    if (password === undefined || !isPassword(password)) return false;
    return this.#dependencies.attempts.try(link, clientOf(ip), async () => verifyPassword(password, hash));
  }

  #deny(ip: string, reason: 'invalid_password' | 'too_many_requests', shortUrl: string): void {
    const {announcer, now} = this.#dependencies;
    announcer.announce('denied', {reason, ip, shortUrl, at: new Date(now())});
  }

  async #showGone(ctx: Context, record: LinkRecord): Promise<void> {
    const shortUrl = this.#dependencies.bases.shortUrl(record);
    await this.#show(
      ctx,
      410,
      'gone',
      {shortUrl},
      {
        status: statusOf(record, this.#dependencies.now()),
        message: 'The short URL has expired or was taken out of service.',
      },
    );
  }

  /** @param data the same for a client that prefers JSON; a page without it is HTML for everybody */
  async #show<Name extends keyof Pages>(
    ctx: Context,
    status: number,
    name: Name,
    page: Omit<PageOf<Name>, 'language'>,
    data?: Record<string, string>,
  ): Promise<void> {
    discardBody(ctx);
    ctx.status = status;
    ctx.set(pageHeaders);
    if (data !== undefined) ctx.vary('Accept');
    if (data !== undefined && ctx.accepts('html', 'json') === 'json') {
      ctx.set('Content-Type', contentType('json'));
      const date_time = formatDateTime(this.#dependencies.now());
      ctx.body = writeEnvelope({code: status, data: {...data, date_time}}, 'json');
      return;
    }
    ctx.vary('Accept-Language');
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    ctx.body = await this.#render(ctx, name, {...page, language: languageOf(ctx)});
  }

  async #render(ctx: Context, name: keyof Pages, page: object): Promise<string> {
    const {pages, report} = this.#dependencies;
    // The two types that belong to a name cannot be told apart by the compiler once the name is a variable.
    const builtIn = builtInPages[name] as RenderPage<unknown>;
    const own = pages[name] as RenderPage<unknown> | undefined;
    try {
      const html: unknown = await inTime((own ?? builtIn)(page, ctx));
      if (typeof html !== 'string') throw new TypeError(`Expected a string of HTML, got ${typeof html}`);
      return html;
    } catch (cause) {
      report(
        new ShortUrlError('internal_error', `The host's page \`${name}\` failed; the built-in one was shown.`, {cause}),
        ctx,
      );
      // The host's page may have set headers that fit it.
      ctx.set(pageHeaders);
      return builtIn(page, ctx);
    }
  }
}
