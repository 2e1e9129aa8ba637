import {planted} from '../../planted.ts';
import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import type {LinkName} from '../../link/bases.ts';
import {changing} from '../../link/refusals.ts';
import {inTime, isThenable, requireBoolean} from '../../values/callback.ts';
import type {Details} from '../../visits/detail-values.ts';
import type {Found, FoundLink, VisitOptions} from '../../visits/redirects.ts';
import {isPrefetch} from '../koa/request.ts';
import {isNoBot, isOffice} from './agents.ts';
import {showsCard} from './cards.ts';
import type {CountVisit, VisitorServices} from './visitor-services.ts';

/** How often a visit is retried while its link keeps changing. */
const maxTries = 10;

/** Looks links up for visitors, and counts the visits that count. */
export class VisitCount {
  readonly #dependencies: VisitorServices;

  constructor(dependencies: VisitorServices) {
    this.#dependencies = dependencies;
  }

  /** Looks up a short URL. Counts the visit if the link can redirect this request and `countVisit` allows it. */
  decide(ctx: Context, name: LinkName): Promise<Found> {
    const {redirects} = this.#dependencies;
    if (!(planted('head-counted') && ctx.req.method === 'HEAD') && (ctx.req.method !== 'GET' || isPrefetch(ctx)))
      return redirects.find(name);
    const seen = redirects.seen(name);
    if (seen !== undefined) return this.#visit(ctx, seen) ?? redirects.find(name);
    return redirects.find(name).then((found) => {
      const isOpen = found.status === 'active' && redirects.isOpenTo(found.value, {});
      return isOpen ? (this.#visit(ctx, found) ?? found) : found;
    });
  }

  /** Counts the visit of somebody who has posted a form, if it counts. Looks the link up again: it may have changed. */
  async posted(ctx: Context, asked: FoundLink, password?: string): Promise<Found> {
    const {redirects, details} = this.#dependencies;
    if (!(await this.#isCounted(ctx, asked))) return redirects.find(asked.value);
    return this.#count(ctx, asked, {password, isPosted: true, details: await details.read(ctx)});
  }

  /** Counts the visit of a link without a form; undefined if `countVisit` does not allow it. */
  #visit(ctx: Context, found: FoundLink): Promise<Found> | undefined {
    const {countVisit, details} = this.#dependencies;
    if (showsCard(ctx, found.value) || (countVisit !== undefined && isOffice(ctx))) return undefined;
    const isCounted = this.#isCounted(ctx, found);
    if (isCounted === false) return undefined;
    const read = isCounted === true ? details.read(ctx) : this.#readIf(isCounted, ctx);
    return isThenable(read) ? this.#countLater(ctx, found.value, read) : this.#count(ctx, found, {details: read});
  }

  async #readIf(isCounted: Promise<boolean>, ctx: Context): Promise<Details | undefined> {
    return (await isCounted) ? this.#dependencies.details.read(ctx) : undefined;
  }

  /** Looks again: the link may have changed while the host's callbacks ran. */
  async #countLater(ctx: Context, name: LinkName, read: Promise<Details | undefined>): Promise<Found> {
    const {redirects} = this.#dependencies;
    const details = await read;
    if (details === undefined) return redirects.find(name);
    return this.#count(ctx, redirects.seen(name) ?? (await redirects.find(name)), {details});
  }

  /** Counts a visit. What depends on the visitor is decided first, and again for a link that has changed. */
  #count(ctx: Context, found: Found, given: VisitOptions, tries = 1): Promise<Found> {
    const {redirects, destinations} = this.#dependencies;
    if (found.status !== 'active' || !redirects.isOpenTo(found.value, given)) return Promise.resolve(found);
    if (tries > maxTries) return Promise.resolve({status: 'unavailable', error: changing()});
    const changed = (now: Found): Promise<Found> => this.#count(ctx, now, given, tries + 1);
    if (!destinations.isDecidedFirst(found.value)) return redirects.visit(found, given, changed);
    return destinations
      .decide(ctx, found, given.details ?? {})
      .then((decided) => redirects.visit(found, {...given, decided}, changed));
  }

  #isCounted(ctx: Context, found: FoundLink): boolean | Promise<boolean> {
    const {countVisit} = this.#dependencies;
    return countVisit === undefined ? isNoBot(ctx) : this.#ask(countVisit, ctx, found);
  }

  #ask(countVisit: CountVisit, ctx: Context, found: FoundLink): boolean | Promise<boolean> {
    const {redirects, announcer, now} = this.#dependencies;
    const countAnyway = (cause: unknown): true => {
      const message = "The host's `countVisit` failed. The visit was counted.";
      announcer.reportIn(ctx, new ShortUrlError('internal_error', message, {cause}));
      return true;
    };
    try {
      const isCounted = countVisit(ctx, redirects.shown(found, now()));
      if (typeof isCounted === 'boolean') return isCounted;
      return Promise.resolve(inTime(isCounted)).then(requireBoolean).catch(countAnyway);
    } catch (cause) {
      return countAnyway(cause);
    }
  }
}
