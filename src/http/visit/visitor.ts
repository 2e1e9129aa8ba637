import {linkKey} from '../../records.ts';
import {isDeepStrictEqual} from 'node:util';
import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import {inTime, isThenable, requireBoolean} from '../../values/callback.ts';
import {languageOf} from '../../values/language.ts';
import type {PasswordAttempts} from '../../visits/attempts.ts';
import type {LinkName} from '../../link/bases.ts';
import {formatDateTime} from '../../link/dates.ts';
import type {Details} from '../../visits/detail-values.ts';
import {targetOfUrl} from '../../link/long-url.ts';
import {isPassword, verifyPassword} from '../../link/password.ts';
import type {VisitedLink} from '../../link/link.ts';
import {isLimited, type LinkRecord, statusOf, targetOf} from '../../link/record.ts';
import {toVisitedLink} from '../../link/to-link.ts';
import type {LinkServices} from '../../links/services.ts';
import {changing} from '../../link/refusals.ts';
import type {Found, FoundLink, Redirects, VisitOptions} from '../../visits/redirects.ts';
import {addressOf, clientOf} from '../koa/client.ts';
import {isNoBot, isOffice, isPreview} from './bots.ts';
import {cardOf} from './cards.ts';
import {formPath, readPassword} from './form.ts';
import {contentType, writeEnvelope} from '../envelope.ts';
import {pageHeaders} from '../koa/headers.ts';
import {policyOfOwnPage} from './pages/layout.ts';
import {BuiltInPages, type PageName, type PageOf, type Pages, type RenderPage} from './pages/pages.ts';
import {publicMessage} from '../public-message.ts';
import {isPrefetch, prefersJson} from '../koa/request.ts';
import {discardBody, redirect, refusePrefetch} from '../koa/response.ts';
import {type Destinations, needsDetails} from './destination.ts';
import type {Marker} from './via.ts';
import type {VisitDetails} from './visit-details.ts';

export interface VisitorDependencies extends Pick<
  LinkServices,
  'bases' | 'calendar' | 'schemes' | 'announcer' | 'fieldDefaults' | 'now'
> {
  readonly redirects: Redirects;
  readonly destinations: Destinations;
  readonly attempts: PasswordAttempts;
  readonly redirectStatus: number;
  /** The host's own rule; undefined for the list of bots. */
  readonly countVisit: ((ctx: Context, link: VisitedLink) => boolean | Promise<boolean>) | undefined;
  readonly details: VisitDetails;
  /** Undefined if visitors are not marked. */
  readonly marker?: Marker | undefined;
  readonly pages: Pages;
}

/** How often a visit is retried while its link keeps changing. */
const maxTries = 10;

const policyHeader = 'Content-Security-Policy';

export class Visitor {
  readonly #dependencies: VisitorDependencies;
  readonly #builtIn: BuiltInPages;
  readonly #pageHeaders: Readonly<Record<string, string>>;

  constructor(dependencies: VisitorDependencies) {
    this.#dependencies = dependencies;
    this.#builtIn = new BuiltInPages(dependencies.pages, dependencies.schemes, dependencies.calendar.timeZone);
    this.#pageHeaders = {...pageHeaders, [policyHeader]: this.#builtIn.contentSecurityPolicy};
  }

  /** Looks up a short URL. Counts the visit if the link can redirect this request and `countVisit` allows it. */
  decide(ctx: Context, name: LinkName): Promise<Found> {
    const {redirects} = this.#dependencies;
    if (ctx.req.method !== 'GET' || isPrefetch(ctx)) return redirects.find(name);
    const seen = redirects.seen(name);
    if (seen !== undefined) return this.#visit(ctx, seen) ?? redirects.find(name);
    return redirects.find(name).then((found) => {
      const isOpen = found.status === 'active' && found.value.password === undefined;
      return isOpen ? (this.#visit(ctx, found) ?? found) : found;
    });
  }

  /** Counts the visit of a link without a password; undefined if `countVisit` does not allow it. */
  #visit(ctx: Context, found: FoundLink): Promise<Found> | undefined {
    const {redirects, countVisit} = this.#dependencies;
    if (showsCard(ctx, found.value) || (countVisit !== undefined && isOffice(ctx))) return undefined;
    const isCounted = this.#isCounted(ctx, found.value);
    if (isCounted === false) return undefined;
    const read = (): Details | Promise<Details> => this.#dependencies.details.read(ctx);
    const details = isCounted === true ? read() : isCounted.then((isAllowed) => (isAllowed ? read() : undefined));
    if (!isThenable(details)) return this.#count(ctx, found, {details});
    // Look again: the link may have changed while the host's callbacks ran.
    const {value: name} = found;
    return details.then(async (given) => {
      if (given === undefined) return redirects.find(name);
      return this.#count(ctx, redirects.seen(name) ?? (await redirects.find(name)), {details: given});
    });
  }

  /** Counts a visit. If the host chooses the destination, it is asked first, and again for a link that has changed. */
  #count(ctx: Context, found: Found, options: VisitOptions): Promise<Found> {
    const {redirects, destinations} = this.#dependencies;
    return destinations.isAsked ? this.#countAsked(ctx, found, options) : redirects.visit(found, options);
  }

  async #countAsked(ctx: Context, link: Found, options: VisitOptions): Promise<Found> {
    const {redirects, destinations} = this.#dependencies;
    let found = link;
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (found.status !== 'active' || (found.value.password ?? options.password) !== options.password) return found;
      const destination = await destinations.ask(ctx, found.value);
      found = await redirects.visit(found, {...options, isOnlyAsSeen: true});
      if (found.status === 'active' && found.visitedAt !== undefined) return {...found, destination};
    }
    return {status: 'unavailable', error: changing()};
  }

  /** @returns false if there is no link to answer with; the request belongs to the host then */
  answer(ctx: Context, found: Found): boolean | Promise<boolean> {
    if (found.status === 'unknown') return false;
    if (refusesPrefetch(ctx, found)) return true;
    if (found.status === 'unavailable') return this.refuse(ctx, found.error);
    const {password} = found.value;
    if (found.status === 'gone') return this.#answerGone(ctx, found.value);
    if (found.status === 'loop') return this.#showGone(ctx, found.value, 'disabled');
    if (ctx.req.method !== 'POST' && showsCard(ctx, found.value)) return this.preview(ctx, found);
    if (password !== undefined) return this.#askPassword(ctx, found, password);
    if (ctx.req.method === 'POST') return false;
    return this.#follow(ctx, found, this.#dependencies.redirectStatus);
  }

  /** @returns false if there is no link; the request belongs to the host then */
  preview(ctx: Context, found: Found): boolean | Promise<boolean> {
    if (found.status === 'unknown') return false;
    if (refusesPrefetch(ctx, found)) return true;
    if (found.status === 'unavailable') return this.refuse(ctx, found.error);
    const {status, value} = found;
    const isOpen = status === 'active' && value.password === undefined && !isLimited(value);
    if (!isOpen) return this.#showPreview(ctx, found);
    return this.#targetOf(ctx, found).then((target) =>
      typeof target === 'string' ? this.#showPreview(ctx, found, target) : this.preview(ctx, target),
    );
  }

  /** Sends a visitor from the address of the form to the short URL: after a reload, or if there is no form any more. */
  lead(ctx: Context, name: LinkName): void {
    if (isPrefetch(ctx)) refusePrefetch(ctx);
    else redirect(ctx, ctx.req.method === 'POST' ? 303 : 302, this.#dependencies.bases.shortUrl(name));
  }

  /** Answers that the link cannot be opened now, and when to retry. */
  async refuse(ctx: Context, error: ShortUrlError): Promise<true> {
    const {code, status, retryAfter = 1} = error;
    ctx.set('Retry-After', String(retryAfter));
    const reason = code === 'too_many_requests' ? code : 'store_unavailable';
    return this.#show(ctx, status, 'unavailable', {reason, retryAfter}, {error: code, message: publicMessage(error)});
  }

  /**
   * Redirects the visitor. Without a counted visit, the destination of a link with a limit is not shown. Office does not
   * learn any, so that it opens the short URL in the browser.
   */
  #follow(ctx: Context, found: FoundLink, status: number): boolean | Promise<boolean> {
    const {value, visitedAt, details} = found;
    if (visitedAt !== undefined) this.#announceVisit(value, visitedAt, details);
    else if (isLimited(value) || (ctx.req.method !== 'POST' && isOffice(ctx))) return this.#showPreview(ctx, found);
    const {destinations, marker} = this.#dependencies;
    const isPlain = marker === undefined && !destinations.isAsked && destinations.isPlain(value);
    if (!isPlain) return this.#followChosen(ctx, found, status);
    redirect(ctx, status, targetOf(value));
    return true;
  }

  /** Redirects a visitor whose destination depends on the visit, or who is marked. */
  async #followChosen(ctx: Context, found: FoundLink, status: number): Promise<boolean> {
    const target = await this.#targetOf(ctx, found);
    if (typeof target !== 'string') return this.answer(ctx, target);
    const {value, visitedAt} = found;
    const marked = visitedAt && (await this.#dependencies.marker?.mark(ctx, value, visitedAt, target));
    redirect(ctx, status, marked ? marked.target : target);
    if (marked && marked.cookie !== undefined) ctx.append('Set-Cookie', marked.cookie);
    return true;
  }

  /** Where a visitor is redirected; the link as it is now if it has changed while the host's callbacks ran. */
  async #targetOf(ctx: Context, found: FoundLink): Promise<string | Found> {
    const {value, visitedAt} = found;
    const {destinations, redirects} = this.#dependencies;
    let {destination, details} = found;
    if (visitedAt === undefined && (destinations.isAsked || needsDetails(value))) {
      if (needsDetails(value)) details = await this.#dependencies.details.read(ctx);
      if (destinations.isAsked) destination = await destinations.ask(ctx, value);
      const again = await redirects.find(value);
      if (again.status !== 'active' || !isDeepStrictEqual(again.value, value)) return again;
    }
    return destinations.choose(ctx, value, details ?? {}, destination);
  }

  /** Visitors of an expired link may be redirected. They do not count. */
  #answerGone(ctx: Context, record: LinkRecord): true | Promise<true> {
    const {expiredUrl} = record;
    if (expiredUrl === undefined || statusOf(record, this.#dependencies.now()) !== 'expired') {
      return this.#showGone(ctx, record);
    }
    // As for a password: the browser must not post the form on.
    redirect(ctx, ctx.req.method === 'POST' ? 303 : 302, targetOfUrl(expiredUrl));
    return true;
  }

  async #showPreview(
    ctx: Context,
    {status, value: record}: FoundLink,
    destination: string | null = null,
  ): Promise<true> {
    const {bases, pages} = this.#dependencies;
    const isActive = status === 'active';
    const card = (isActive ? cardOf(record) : undefined) ?? null;
    await this.#show(ctx, 200, 'preview', {
      shortUrl: bases.shortUrl(record),
      destination,
      isActive,
      created: record.state === 'removed' ? null : new Date(record.created),
      card,
    });
    if (card?.image && !pages.preview) ctx.set(policyHeader, this.#builtIn.policyWithImage(card.image));
    return true;
  }

  #isCounted(ctx: Context, record: LinkRecord): boolean | Promise<boolean> {
    const {countVisit, announcer, now} = this.#dependencies;
    if (countVisit === undefined) return isNoBot(ctx);
    const countAnyway = (cause: unknown): true => {
      const message = "The host's `countVisit` failed. The visit was counted.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return true;
    };
    try {
      const isCounted = countVisit(ctx, toVisitedLink(record, this.#dependencies, now()));
      if (typeof isCounted === 'boolean') return isCounted;
      return Promise.resolve(inTime(isCounted)).then(requireBoolean).catch(countAnyway);
    } catch (cause) {
      return countAnyway(cause);
    }
  }

  #announceVisit(record: LinkRecord, at: number, details: Details = {}): void {
    const {announcer} = this.#dependencies;
    if (!announcer.hasListener('visit')) return;
    const link = toVisitedLink(record, this.#dependencies, at);
    announcer.announce('visit', {account: record.account, link, details: {...details}, at: new Date(at)});
  }

  async #askPassword(ctx: Context, found: FoundLink, hash: string): Promise<boolean> {
    const shortUrl = this.#dependencies.bases.shortUrl(found.value);
    if (ctx.method !== 'POST') return this.#showForm(ctx, 200, found.value);
    // Read it now: Koa loses the address when the connection closes.
    const ip = addressOf(ctx);
    const password = await readPassword(ctx, (error) => {
      this.#dependencies.announcer.reportIn(ctx, error);
    });
    // Neither an incomplete request nor one without a password is counted as an attempt.
    if (ctx.req.destroyed && !ctx.req.complete) return true;
    if (password === undefined) return this.#showForm(ctx, 400, found.value);
    try {
      if (!(await this.#isRight(password, {hash, record: found.value, ip}))) {
        this.#deny(ip, 'invalid_password', shortUrl);
        return await this.#showForm(ctx, 401, found.value);
      }
    } catch (error) {
      if (!(error instanceof ShortUrlError) || error.code !== 'too_many_requests') throw error;
      this.#deny(ip, error.code, shortUrl);
      return this.refuse(ctx, error);
    }
    return this.#followVerified(ctx, found, hash);
  }

  /** Looks the link up again, because it may have changed while its password was verified. */
  async #followVerified(ctx: Context, verified: FoundLink, hash: string): Promise<boolean> {
    const isCounted = await this.#isCounted(ctx, verified.value);
    const {redirects, details} = this.#dependencies;
    const found = isCounted
      ? await this.#count(ctx, verified, {password: hash, details: await details.read(ctx)})
      : await redirects.find(verified.value);
    if (found.status !== 'active') return this.answer(ctx, found);
    if ((found.value.password ?? hash) === hash) return this.#follow(ctx, found, 303);
    return this.#showForm(ctx, 200, found.value);
  }

  #showForm(ctx: Context, status: 200 | 400 | 401, record: LinkRecord): Promise<true> {
    const {bases} = this.#dependencies;
    const page = {shortUrl: bases.shortUrl(record), action: formPath(record, bases), wasWrong: status === 401};
    return this.#show(ctx, status, 'password', page);
  }

  /** An empty or overlong password is not counted as an attempt: no link can have it, so it costs no write. */
  async #isRight(
    password: string,
    {hash, record, ip}: {hash: string; record: LinkRecord; ip: string},
  ): Promise<boolean> {
    if (!isPassword(password)) return false;
    const visitor = {account: record.account, client: clientOf(ip)};
    return this.#dependencies.attempts.try(linkKey(record), visitor, () => verifyPassword(password, hash, visitor));
  }

  #deny(ip: string, reason: 'invalid_password' | 'too_many_requests', shortUrl: string): void {
    const {announcer, now} = this.#dependencies;
    announcer.announce('denied', {reason, ip, shortUrl, at: new Date(now())});
  }

  #showGone(ctx: Context, record: LinkRecord, status = statusOf(record, this.#dependencies.now())): Promise<true> {
    const {bases} = this.#dependencies;
    const message = 'The short URL has expired or is disabled.';
    return this.#show(ctx, 410, 'gone', {shortUrl: bases.shortUrl(record)}, {status, message});
  }

  /** @param data the content for a client that prefers JSON; without it every client gets HTML */
  async #show<Name extends PageName>(
    ctx: Context,
    status: number,
    name: Name,
    page: Omit<PageOf<Name>, 'language'>,
    data?: Record<string, string>,
  ): Promise<true> {
    discardBody(ctx);
    ctx.status = status;
    const policyOfSite = [ctx.res.getHeader(policyHeader) ?? []].flat().map(String);
    ctx.set(this.#pageHeaders);
    if (data !== undefined) ctx.vary('Accept');
    if (data !== undefined && prefersJson(ctx)) {
      ctx.set('Content-Type', contentType('json'));
      const date_time = formatDateTime(this.#dependencies.now());
      ctx.body = writeEnvelope({code: status, data: {...data, date_time}}, 'json');
      return true;
    }
    ctx.vary('Accept-Language');
    ctx.set('Content-Type', 'text/html; charset=utf-8');
    if (this.#dependencies.pages[name] !== undefined)
      ctx.set(policyHeader, policyOfOwnPage(policyOfSite, this.#dependencies.schemes));
    ctx.body = await this.#render(ctx, name, {...page, language: languageOf(ctx)});
    return true;
  }

  async #render(ctx: Context, name: PageName, page: object): Promise<string> {
    const {pages, announcer} = this.#dependencies;
    // TypeScript cannot relate the type of the page to a name that is a variable.
    const builtIn: RenderPage<unknown> = (each) => this.#builtIn[name](each as never);
    const own = pages[name] as RenderPage<unknown> | undefined;
    try {
      const html: unknown = await inTime((own ?? builtIn)(page, ctx));
      if (typeof html !== 'string') throw new TypeError(`Expected a string of HTML, got ${typeof html}`);
      return html;
    } catch (cause) {
      const message = `The host's page \`${name}\` failed. The built-in page was shown.`;
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      // The host's page may have set other headers before it failed.
      ctx.set(this.#pageHeaders);
      return builtIn(page, ctx);
    }
  }
}

/**
 * Answers a prefetch so that a click cannot use it. With a redirect in hand the browser would never ask again, and the
 * visit would not be counted.
 */
function refusesPrefetch(ctx: Context, found: Exclude<Found, {status: 'unknown'}>): boolean {
  // A counted visit was asked before.
  if (('visitedAt' in found && found.visitedAt !== undefined) || !isPrefetch(ctx)) return false;
  refusePrefetch(ctx);
  return true;
}

/** Whether the visitor gets the card of the link instead of a redirect. */
function showsCard(ctx: Context, record: LinkRecord): boolean {
  return cardOf(record) !== undefined && isPreview(ctx);
}
