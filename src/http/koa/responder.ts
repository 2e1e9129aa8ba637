import type {Context} from 'koa';
import type {Access} from '../../accounts/accounts.ts';
import {isUnavailable, toShortUrlError} from '../../errors.ts';
import {apiChannel, type ApiTrace, redirectChannel, type RedirectTrace, traced, withoutCause} from '../../tracing.ts';
import type {LinkName} from '../../link/bases.ts';
import type {LinkServices} from '../../links/services.ts';
import type {Hints} from '../../site/hints.ts';
import type {UserDomains} from '../../links/user-domains.ts';
import type {Found, Redirects} from '../../visits/redirects.ts';
import type {Api} from '../api/api.ts';
import {operations} from '../api/operations.ts';
import type {Call} from '../call.ts';
import {addressOf} from './client-address.ts';
import {readJsonObject} from './json-body.ts';
import {type Asked, hostOf, isPrefetch, isVisit} from './request.ts';
import {respondWithAnswer} from './response.ts';
import {isForm, linkOfForm} from '../visit/visitor-form.ts';
import type {Visitor} from '../visit/visitor.ts';

/** What answers requests: for the middleware, and for the walls of the host. */
export interface RequestServices extends Pick<LinkServices, 'bases' | 'reserved' | 'sitePages' | 'announcer'> {
  readonly api: Api;
  readonly visitor: Visitor;
  readonly redirects: Redirects;
  readonly hints: Hints;
  readonly userDomains: UserDomains;
  /** Whether the host's own pages answer first. */
  readonly defer: boolean;
  /** Called once, with the first request that is answered. */
  readonly onFirst: () => void;
}

/** The requests that were answered before a shortener of this process got them back from the site: their answer stays. */
const answered = new WeakSet<object>();

/** Answers calls of the API and visits: for the middleware, and for the walls of the host that ask `answers`. */
export class Responder {
  readonly #dependencies: RequestServices;
  #isFirst = true;

  constructor(dependencies: RequestServices) {
    this.#dependencies = dependencies;
  }

  /** Whether a shortener behind this one, or a wall of the site, has answered the request with `call` or `keep`. */
  has({req}: Context): boolean {
    return answered.has(req);
  }

  /** Keeps the answer that the request has now. */
  keep({req}: Context): void {
    answered.add(req);
  }

  /** Answers a call of the API, or the form of a link, which has an address among them. */
  async call(ctx: Context, call: Call): Promise<void> {
    this.keep(ctx);
    const {bases, userDomains} = this.#dependencies;
    if (isForm(call)) await userDomains.learn(hostOf(ctx));
    const form = linkOfForm(ctx, call, bases);
    return form === undefined ? this.#call(ctx, call) : this.#form(ctx, form);
  }

  /** Asks the host about the domain of a visit, if it may be that of a user; undefined if there is nothing to ask. */
  learn(ctx: Context, path: string): Promise<void> | undefined {
    const {bases, userDomains} = this.#dependencies;
    return bases.hasUserDomains && isVisit(ctx, path, bases) ? userDomains.learn(hostOf(ctx)) : undefined;
  }

  /** Answers a call from a page of the site, which the host has checked. No cache may store any answer. */
  async callFromPage(ctx: Context, operation: string, access: () => Promise<Access>): Promise<void> {
    this.keep(ctx);
    await this.#call(ctx, {apiKey: undefined, operation, format: 'json', segments: []}, access);
    ctx.set('Cache-Control', 'no-store');
  }

  async #call(ctx: Context, call: Call, access?: () => Promise<Access>): Promise<void> {
    this.#noteFirst(ctx);
    const {api, announcer, hints} = this.#dependencies;
    hints.askedFrom(ctx);
    const {method} = ctx;
    const caller = {
      method,
      isPrefetch: isPrefetch(ctx),
      ip: addressOf(ctx),
      access,
      authorization: ctx.get('Authorization'),
      idempotencyKey: ctx.req.headers['idempotency-key'] as string | undefined,
      readBody: () => readJsonObject(ctx),
    };
    const answer = await traced(
      apiChannel,
      () => apiTrace(call, method),
      async (trace) => {
        const given = await api.answer(call, caller);
        if (trace) Object.assign(trace, {status: given.envelope.code, code: given.error?.code});
        return given;
      },
    );
    if (answer.error !== undefined && answer.error.status >= 500) announcer.reportIn(ctx, answer.error);
    await respondWithAnswer(ctx, answer, (cause) => {
      announcer.reportIn(ctx, toShortUrlError(cause));
    });
  }

  async #form(ctx: Context, name: LinkName): Promise<void> {
    const {visitor, redirects} = this.#dependencies;
    await this.traced(ctx, name, async (trace) => {
      const open = (): Promise<boolean> => this.decided(ctx, {name, by: 'form'}, redirects.find(name), trace);
      if (ctx.method !== 'POST' || !(await open())) visitor.lead(ctx, name);
      if (trace) trace.status = ctx.status;
      return true;
    });
  }

  /** Answers a visit if there is a link, and counts it. Returns whether it has. */
  visit(ctx: Context, asked: Asked): Promise<boolean> {
    return this.traced(ctx, asked.name, (trace) => this.decided(ctx, asked, this.decide(ctx, asked), trace));
  }

  decide(ctx: Context, {name, by}: Asked): Promise<Found> {
    const {visitor, redirects} = this.#dependencies;
    return by === 'preview' ? redirects.find(name) : visitor.decide(ctx, name);
  }

  async decided(ctx: Context, {by}: Asked, decision: Promise<Found>, trace?: RedirectTrace): Promise<boolean> {
    const {visitor, hints, announcer} = this.#dependencies;
    try {
      const found = await decision;
      const answer = by === 'preview' ? visitor.preview(ctx, found) : visitor.answer(ctx, found);
      // Each `await` takes time, and most answers are redirects, which are ready.
      const isAnswered = typeof answer === 'boolean' ? answer : await answer;
      if (isAnswered) this.#noteFirst(ctx);
      if (isAnswered && 'value' in found) hints.linkAnswered(found.value, by === 'path');
      if (isAnswered && trace) trace.status = ctx.status;
      if (trace && found.status === 'unavailable') trace.error = withoutCause(found.error);
      return isAnswered;
    } catch (failure) {
      const error = toShortUrlError(failure);
      if (trace) trace.status = error.status;
      if (isUnavailable(error)) {
        if (trace) trace.error = withoutCause(error);
        return await visitor.refuse(ctx, error);
      }
      // Koa answers with 500 and emits `error` on the host's app.
      announcer.report(error);
      throw error;
    }
  }

  #noteFirst(ctx: Context): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    this.#dependencies.hints.askedFrom(ctx);
    this.#dependencies.onFirst();
  }

  traced({method}: Context, name: LinkName, work: (trace?: RedirectTrace) => Promise<boolean>): Promise<boolean> {
    const {bases} = this.#dependencies;
    return traced(redirectChannel, () => ({shortUrl: bases.shortUrl(name), method, status: undefined}), work);
  }
}

/** Leaves out an unknown operation, because it may be an API key in the wrong place. */
function apiTrace({operation, format = 'json'}: Call, method: string): ApiTrace {
  const known = operations.has(operation) ? operation : undefined;
  return {operation: known, format, method, status: undefined, code: undefined};
}
