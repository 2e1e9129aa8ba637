import {isDeepStrictEqual} from 'node:util';
import type {Context} from 'koa';
import type {Found, FoundLink} from '../../visits/redirects.ts';
import {redirect} from '../koa/response.ts';
import {needsDetails} from './destination.ts';
import type {VisitorServices} from './visitor-services.ts';

/** Redirects visitors, announces their visits and marks them with the link. */
export class Following {
  readonly #dependencies: VisitorServices;

  constructor(dependencies: VisitorServices) {
    this.#dependencies = dependencies;
  }

  /**
   * Redirects a visitor.
   *
   * @returns undefined if that was possible at once; otherwise, once it was done, undefined too, or the link as it is now if
   *   it has changed while the host's callbacks ran
   */
  follow(ctx: Context, found: FoundLink, status: number): Promise<Found | undefined> | undefined {
    const {value, visitedAt} = found;
    if (visitedAt !== undefined) this.#announceVisit(found, visitedAt);
    const {destinations, marker} = this.#dependencies;
    const isPlain = marker === undefined && !destinations.isDecidedFirst(value) && destinations.isPlain(value);
    if (!isPlain) return this.#followChosen(ctx, found, status);
    redirect(ctx, status, destinations.choose(ctx, value, {}));
    return undefined;
  }

  /** Redirects a visitor whose destination depends on the visit, or who is marked. */
  async #followChosen(ctx: Context, found: FoundLink, status: number): Promise<Found | undefined> {
    const target = await this.targetOf(ctx, found);
    if (typeof target !== 'string') return target;
    const {value, visitedAt, decided} = found;
    const {destinations, marker} = this.#dependencies;
    const via = {...value, variant: decided?.variant};
    const marked = visitedAt && (await marker?.mark(ctx, via, visitedAt, target));
    redirect(ctx, status, destinations.forward(ctx, value, marked ? marked.target : target));
    if (marked && marked.cookie !== undefined) ctx.append('Set-Cookie', marked.cookie);
    return undefined;
  }

  /**
   * The destination of a visitor, without the query of the visit; the link as it is now if it has changed while the host's
   * callbacks ran.
   */
  async targetOf(ctx: Context, found: FoundLink): Promise<string | Found> {
    const {value, visitedAt} = found;
    const {destinations, redirects} = this.#dependencies;
    let {decided, details} = found;
    if (visitedAt === undefined && (destinations.isDecidedFirst(value) || needsDetails(value))) {
      if (needsDetails(value)) details = await this.#dependencies.details.read(ctx);
      if (destinations.isDecidedFirst(value)) decided = await destinations.decide(ctx, found, details ?? {});
      const again = await redirects.find(value);
      if (again.status !== 'active' || !isDeepStrictEqual(again.value, value)) return again;
    }
    return destinations.choose(ctx, value, details ?? {}, decided);
  }

  #announceVisit(found: FoundLink, at: number): void {
    const {announcer, redirects} = this.#dependencies;
    if (!announcer.hasListener('visit')) return;
    const {value, details} = found;
    const link = redirects.shown(found, at);
    announcer.announce('visit', {account: value.account, link, details: {...details}, at: new Date(at)});
  }
}
