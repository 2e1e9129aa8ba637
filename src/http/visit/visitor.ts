import type {Context} from 'koa';
import type {ShortUrlError} from '../../errors.ts';
import type {LinkName} from '../../link/bases.ts';
import {targetOfUrl} from '../../link/long-url.ts';
import {asksFirst, hasForm} from '../../link/confirm.ts';
import {isLimited, type LinkRecord, statusOf} from '../../link/record.ts';
import type {Found, FoundLink} from '../../visits/redirects.ts';
import {isPrefetch, publicQuery} from '../koa/request.ts';
import {redirect, refusePrefetch} from '../koa/response.ts';
import {passesPassword} from './ask-password.ts';
import {isOffice} from './agents.ts';
import {showsCard} from './cards.ts';
import {VisitCount} from './count.ts';
import {readConfirmation} from './visitor-form.ts';
import {Following} from './follow.ts';
import {VisitorPages} from './pages/visitor-pages.ts';
import type {VisitorServices} from './visitor-services.ts';

/** Answers visitors of short URLs, stage by stage. */
export class Visitor {
  readonly #dependencies: VisitorServices;
  readonly #count: VisitCount;
  readonly #following: Following;
  readonly #pages: VisitorPages;

  constructor(dependencies: VisitorServices) {
    this.#dependencies = dependencies;
    this.#count = new VisitCount(dependencies);
    this.#following = new Following(dependencies);
    this.#pages = new VisitorPages(dependencies);
  }

  /** Looks up a short URL. Counts the visit if the link can redirect this request and `countVisit` allows it. */
  decide(ctx: Context, name: LinkName): Promise<Found> {
    return this.#count.decide(ctx, name);
  }

  /** @returns false if there is no link to answer with; the request belongs to the host then */
  answer(ctx: Context, found: Found): boolean | Promise<boolean> {
    if (found.status === 'unknown') return false;
    if (refusesPrefetch(ctx, found)) return true;
    if (found.status === 'unavailable') return this.refuse(ctx, found.error);
    const {password} = found.value;
    if (found.status === 'gone') return this.#answerGone(ctx, found.value);
    if (found.status === 'loop') return this.#pages.gone(ctx, found.value, 'disabled');
    if (ctx.req.method !== 'POST' && showsCard(ctx, found.value)) return this.preview(ctx, found);
    if (password !== undefined) return this.#askPassword(ctx, found, password);
    if (asksFirst(found.value, this.#dependencies.fieldDefaults.confirm)) return this.#confirm(ctx, found);
    if (ctx.req.method === 'POST') return false;
    return this.#follow(ctx, found, this.#dependencies.redirectStatus);
  }

  /** @returns false if there is no link; the request belongs to the host then */
  preview(ctx: Context, found: Found): boolean | Promise<boolean> {
    if (found.status === 'unknown') return false;
    if (refusesPrefetch(ctx, found)) return true;
    if (found.status === 'unavailable') return this.refuse(ctx, found.error);
    const {status, value} = found;
    const isHidden = isLimited(value) || hasForm(value, this.#dependencies.fieldDefaults.confirm);
    if (status !== 'active' || isHidden) return this.#pages.preview(ctx, found);
    return this.#following
      .targetOf(ctx, found)
      .then((target) =>
        typeof target === 'string'
          ? this.#pages.preview(ctx, found, this.#dependencies.destinations.forward(ctx, value, target))
          : this.preview(ctx, target),
      );
  }

  /** Sends a visitor from the address of the form to the short URL: after a reload, or if there is no form any more. */
  lead(ctx: Context, name: LinkName): void {
    const query = publicQuery(ctx);
    const address = this.#dependencies.bases.shortUrl(name) + (query === '' ? '' : `?${query}`);
    if (isPrefetch(ctx)) refusePrefetch(ctx);
    else redirect(ctx, ctx.req.method === 'POST' ? 303 : 302, address);
  }

  /** Answers that the link cannot be opened now, and when to retry. */
  refuse(ctx: Context, error: ShortUrlError): Promise<true> {
    return this.#pages.unavailable(ctx, error);
  }

  /** Visitors of an expired link may be redirected. They do not count. */
  #answerGone(ctx: Context, record: LinkRecord): true | Promise<true> {
    const {expiredUrl} = record;
    this.#dependencies.expiry.notice(record);
    if (expiredUrl === undefined || statusOf(record, this.#dependencies.now()) !== 'expired') {
      return this.#pages.gone(ctx, record);
    }
    // As for a password: the browser must not post the form on.
    redirect(ctx, ctx.req.method === 'POST' ? 303 : 302, targetOfUrl(expiredUrl));
    return true;
  }

  async #askPassword(ctx: Context, asked: FoundLink, hash: string): Promise<boolean> {
    if (!(await passesPassword(this.#dependencies, this.#pages, ctx, {record: asked.value, hash}))) return true;
    return this.#open(ctx, asked, hash);
  }

  /** Asks with a page and its button. A visit that was counted before the link began to ask goes on. */
  async #confirm(ctx: Context, asked: FoundLink): Promise<boolean> {
    if (ctx.req.method === 'POST') {
      // A visit of nobody would use up the limit.
      return (await readConfirmation(ctx)) ? this.#open(ctx, asked) : true;
    }
    const target = await this.#following.targetOf(ctx, asked);
    return typeof target === 'string' ? this.#pages.confirm(ctx, asked.value, target) : this.answer(ctx, target);
  }

  /** Counts the visit of somebody who has posted a form, and redirects. */
  async #open(ctx: Context, asked: FoundLink, password?: string): Promise<boolean> {
    const found = await this.#count.posted(ctx, asked, password);
    if (found.status !== 'active') return this.answer(ctx, found);
    const isOpen = this.#dependencies.redirects.isOpenTo(found.value, {password, isPosted: true});
    return isOpen ? this.#follow(ctx, found, 303) : this.#pages.password(ctx, 200, found.value);
  }

  /**
   * Redirects the visitor. Without a counted visit, the destination of a link with a limit is not shown. Office does not
   * learn any, so that it opens the short URL in the browser.
   */
  #follow(ctx: Context, found: FoundLink, status: number): boolean | Promise<boolean> {
    // The visit may have been the last one.
    if (isLimited(found.value)) this.#dependencies.expiry.notice(found.seen.granted.entry?.value ?? found.value);
    if (found.visitedAt === undefined && (isLimited(found.value) || (ctx.req.method !== 'POST' && isOffice(ctx)))) {
      return this.#pages.preview(ctx, found);
    }
    const followed = this.#following.follow(ctx, found, status);
    // Most redirects are ready.
    if (followed === undefined) return true;
    return followed.then((changed) => changed === undefined || this.answer(ctx, changed));
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
