import type {Hints} from '../site/hints.ts';
import {isNativeError} from 'node:util/types';
import type {Context, Middleware, Next} from 'koa';
import type {LinkServices} from '../links/services.ts';
import {isUnavailable, toShortUrlError} from '../host/errors.ts';
import type {LinkName} from '../link/bases.ts';
import type {Found, Redirects} from '../visits/redirects.ts';
import {apiChannel, type ApiTrace, redirectChannel, type RedirectTrace, traced, withoutCause} from '../host/tracing.ts';
import type {Api} from './api/api.ts';
import {type Call, parseCall} from './call.ts';
import {readJsonObject} from './json-body.ts';
import {operations} from './api/operations.ts';
import {isPrefetch, isVisit, linkAt, looseLinkAt, publicPath} from './request.ts';
import {respondWithAnswer} from './response.ts';
import {linkOfForm} from './visit/form.ts';
import type {Visitor} from './visit/visitor.ts';

export interface MiddlewareDependencies extends Pick<LinkServices, 'bases' | 'reserved' | 'announcer'> {
  readonly api: Api;
  readonly visitor: Visitor;
  readonly redirects: Pick<Redirects, 'find' | 'isUnknown'>;
  readonly hints: Hints;
  /** Whether the host's own pages answer first. */
  readonly defer: boolean;
}

/** The calls that a shortener has answered: to another one in the same app, a 404 is not that of the site. */
const answered = new WeakSet<object>();

/** Makes the Koa middleware. It answers API calls before the host's own middleware, and short URLs as `defer` says. */
export function createMiddleware(dependencies: MiddlewareDependencies): Middleware {
  const {api, visitor, redirects, bases, reserved, announcer, hints, defer} = dependencies;
  const apiPrefix = `${bases.main.path}/api/v1/`;

  async function answerCall(ctx: Context, call: Call): Promise<void> {
    const {method, ip} = ctx;
    answered.add(ctx.req);
    const caller = {
      method,
      isPrefetch: isPrefetch(ctx),
      ip,
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
    respondWithAnswer(ctx, answer, (cause) => {
      announcer.reportIn(ctx, toShortUrlError(cause));
    });
  }

  async function answerForm(ctx: Context, name: LinkName): Promise<void> {
    answered.add(ctx.req);
    await tracedVisit(ctx, name, async (trace) => {
      const isOpened = ctx.method === 'POST' && (await answerVisit(ctx, redirects.find(name), trace, 'form'));
      if (!isOpened) visitor.lead(ctx, name);
      if (trace) trace.status = ctx.status;
      return true;
    });
  }

  async function answerVisit(
    ctx: Context,
    decision: Promise<Found>,
    trace?: RedirectTrace,
    by: 'path' | 'loose path' | 'form' | 'preview' = 'path',
  ): Promise<boolean> {
    try {
      const found = await decision;
      const answer = by === 'preview' ? visitor.preview(ctx, found) : visitor.answer(ctx, found);
      // Each `await` takes time, and most answers are redirects, which are ready.
      const isAnswered = typeof answer === 'boolean' ? answer : await answer;
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

  /**
   * Lets the link answer if the host has no page: its 404 may have a body, be a thrown error, or be Koa's default.
   *
   * @param decision the result of the lookup, if the link was looked up before
   */
  async function answerAfterHost(ctx: Context, next: Next, decision?: Promise<Found>): Promise<void> {
    try {
      await next();
    } catch (error) {
      const status = statusOf(error, ctx);
      const isMissing = isNoPage(status, ctx.req);
      if (!isMissing && isChosen(status)) noteSiteAnswer(ctx, status);
      // Koa has to end the request: a host that has set `ctx.respond = false` and failed will not.
      if (!isMissing || isPastKoa(ctx) || !(await answerMissing(ctx, decision))) throw error;
      return;
    }
    const {status} = ctx.response;
    if (isNoPage(status, ctx.req)) await answerMissing(ctx, decision);
    else if (isChosen(status)) noteSiteAnswer(ctx, status);
  }

  function answerMissing(ctx: Context, decision?: Promise<Found>): boolean | Promise<boolean> {
    if (isPastKoa(ctx)) {
      noteSiteAnswer(ctx);
      return true;
    }
    const path = publicPath(ctx);
    hints.warnOfDashboard(path);
    const name = linkAt(ctx, path, bases);
    if (name === undefined) {
      const loose = looseLinkAt(ctx, path, bases);
      if (loose !== undefined) return answerLoose(ctx, loose);
      if (isVisit(ctx, path, bases)) hints.warnOfHost(ctx);
      else if (!answered.has(ctx.req)) hints.warnOfPath(path, ctx);
      return false;
    }
    hints.siteMissed(ctx, name);
    // `answerBeforeHost` traced the decision.
    if (decision !== undefined) return answerVisit(ctx, decision);
    return tracedVisit(ctx, name, (trace) => answerVisit(ctx, visitor.decide(ctx, name), trace));
  }

  function answerLoose(
    ctx: Context,
    {name, isPreview}: {readonly name: LinkName; readonly isPreview: boolean},
  ): boolean | Promise<boolean> {
    if (!mayBeLink(name)) return false;
    return tracedVisit(ctx, name, (trace) =>
      isPreview
        ? answerVisit(ctx, redirects.find(name), trace, 'preview')
        : answerVisit(ctx, visitor.decide(ctx, name), trace, 'loose path'),
    );
  }

  /** Where links answer first, they never hide what is reserved. */
  function mayBeLink({slug}: LinkName): boolean {
    return defer || !reserved.has(slug);
  }

  function tracedVisit(
    {method}: Context,
    name: LinkName,
    work: (trace?: RedirectTrace) => Promise<boolean>,
  ): Promise<boolean> {
    return traced(redirectChannel, () => ({shortUrl: bases.shortUrl(name), method, status: undefined}), work);
  }

  function noteSiteAnswer(ctx: Context, status = ctx.status): void {
    // Where links answer first, no page of the site hides one.
    const name = defer ? linkAt(ctx, publicPath(ctx), bases) : undefined;
    if (name !== undefined) hints.siteAnswered(ctx, name, status);
  }

  /** Lets the link answer first. While the store is unavailable the host's own page answers, if it has one. */
  async function answerBeforeHost(ctx: Context, next: Next, name: LinkName): Promise<void> {
    let decision: Promise<Found> | undefined;
    const isAnswered = await tracedVisit(ctx, name, (trace) => {
      decision = visitor.decide(ctx, name);
      return answerIfFound(ctx, decision, trace);
    });
    if (!isAnswered) await answerAfterHost(ctx, next, decision);
  }

  /** @returns whether the visit was answered; false while the store does not answer */
  async function answerIfFound(ctx: Context, decision: Promise<Found>, trace?: RedirectTrace): Promise<boolean> {
    let failure: unknown;
    try {
      const found = await decision;
      if (found.status === 'unknown') return false;
      if (found.status !== 'unavailable') return await answerVisit(ctx, decision, trace);
      failure = found.error;
    } catch (error) {
      // The decision is answered after the host, with its failure.
      failure = error;
    }
    const error = toShortUrlError(failure);
    if (trace) Object.assign(trace, {status: error.status, error: withoutCause(error)});
    return false;
  }

  return function shortUrl(ctx, next) {
    const path = publicPath(ctx);
    hints.reached(ctx.req);
    const call = parseCall(path, apiPrefix);
    if (call !== undefined) {
      const form = linkOfForm(ctx, call, bases);
      return form === undefined ? answerCall(ctx, call) : answerForm(ctx, form);
    }
    if (defer) return answerAfterHost(ctx, next);
    const name = linkAt(ctx, path, bases);
    if (name !== undefined && mayBeLink(name)) {
      // Most requests of a site are for its own pages.
      const isUnknown = !redirectChannel.hasSubscribers && redirects.isUnknown(name);
      return isUnknown ? answerAfterHost(ctx, next) : answerBeforeHost(ctx, next, name);
    }
    const mayAnswer =
      looseLinkAt(ctx, path, bases) !== undefined ||
      hints.shouldWarnOfHost(ctx) ||
      hints.shouldWarnOfPath(path, ctx) ||
      hints.shouldWarnOfDashboard(path);
    return mayAnswer ? answerAfterHost(ctx, next) : next();
  };
}

/** Leaves out an unknown operation, because it may be an API key in the wrong place. */
function apiTrace({operation, format = 'json'}: Call, method: string): ApiTrace {
  const known = operations.has(operation) ? operation : undefined;
  return {operation: known, format, method, status: undefined, code: undefined};
}

/** Whether the host answers through the response of Node.js, without Koa. */
function isPastKoa({respond, headerSent}: Context): boolean {
  return respond === false || headerSent;
}

/** A host's router may refuse the POST of the password form with 405 or 501 where it would answer a GET with 404. */
function isNoPage(status: unknown, {method}: Context['req']): boolean {
  return status === 404 || (method === 'POST' && (status === 405 || status === 501));
}

/** Whether a site may answer every path like this: with a page, a redirect, or a refusal such as a login wall's. */
function isChosen(status: unknown): status is number {
  return typeof status === 'number' && (status < 400 || [401, 403, 405].includes(status));
}

/** The status with which Koa answers a thrown value; undefined if it is no error, which Koa answers with 500. */
function statusOf(error: unknown, ctx: Context): unknown {
  // Koa also accepts errors of another realm, such as those of `node:vm`.
  if (!(error instanceof Error) && !isNativeError(error)) return undefined;
  const {status, statusCode, code} = error as Error & Record<'status' | 'statusCode' | 'code', unknown>;
  // Koa 2 answers a missing file with 404, Koa 3 with 500. Only Koa 3 has `ctx.back`.
  if (code === 'ENOENT' && !('back' in ctx)) return 404;
  // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing -- as in Koa, a status of 0 counts as none
  return status || statusCode;
}
