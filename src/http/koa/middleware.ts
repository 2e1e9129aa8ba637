import {isNativeError} from 'node:util/types';
import type {Context} from 'koa';
import {toShortUrlError} from '../../errors.ts';
import {redirectChannel, type RedirectTrace, withoutCause} from '../../tracing.ts';
import type {Found} from '../../visits/redirects.ts';
import type {HostMiddleware} from './host-context.ts';
import type {RequestServices, Responder} from './responder.ts';
import {parseCall} from '../call.ts';
import {hasHiddenSlashes} from '../path.ts';
import {type Asked, askedAt, hostOf, linkAt, publicPath} from './request.ts';

/** A visit that was looked up before the host was asked. */
interface Decided {
  readonly asked: Asked;
  readonly decision: Promise<Found>;
}

/** Makes the Koa middleware. It answers API calls before the host's own middleware, and short URLs as `defer` says. */
export function createMiddleware(
  responder: Responder,
  {redirects, bases, reserved, hints, defer}: RequestServices,
): HostMiddleware {
  const apiPrefix = `${bases.main.path}/api/v1/`;

  /**
   * Lets the link answer if the host has no page: its 404 may have a body, be a thrown error, or be Koa's default.
   *
   * @param before the result of the lookup, if the link was looked up before
   */
  async function answerAfterHost(ctx: Context, next: () => Promise<unknown>, before?: Decided): Promise<void> {
    try {
      await next();
    } catch (error) {
      const status = statusOf(error, ctx);
      const isMissing = isNoPage(status, ctx.req);
      if (!isMissing && isChosen(status)) noteSiteAnswer(ctx, status);
      // Koa has to end the request: a host that has set `ctx.respond = false` and failed will not.
      if (!isMissing || isPastKoa(ctx) || !(await answerMissing(ctx, before))) throw error;
      return;
    }
    const {status} = ctx.response;
    if (isNoPage(status, ctx.req)) await answerMissing(ctx, before);
    else if (isChosen(status)) noteSiteAnswer(ctx, status);
  }

  function answerMissing(ctx: Context, before?: Decided): boolean | Promise<boolean> {
    if (isPastKoa(ctx)) {
      noteSiteAnswer(ctx, ctx.status);
      return true;
    }
    if (responder.has(ctx)) return false;
    const path = publicPath(ctx);
    const learning = responder.learn(ctx, path);
    return learning === undefined
      ? answerKnown(ctx, path, before)
      : learning.then(() => answerKnown(ctx, path, before));
  }

  function answerKnown(ctx: Context, path: string, before?: Decided): boolean | Promise<boolean> {
    const asked = askedAt(ctx, path, bases);
    hints.nobodyAnswered(ctx, path, asked?.by === 'path' ? asked.name : undefined);
    if (asked === undefined || (asked.by !== 'path' && !mayBeLink(asked))) return false;
    // `answerBeforeHost` traced the decision.
    return before === undefined ? responder.visit(ctx, asked) : responder.decided(ctx, asked, before.decision);
  }

  /** Where links answer first, they never hide what is reserved. */
  function mayBeLink({name: {slug}}: Asked): boolean {
    return defer || !reserved.has(slug);
  }

  function noteSiteAnswer(ctx: Context, status: number): void {
    // Where links answer first, no page of the site hides one.
    const name = defer ? linkAt(ctx, publicPath(ctx), bases) : undefined;
    if (name === undefined || responder.has(ctx)) return;
    hints.siteAnswered(ctx, name, status, isPastKoa(ctx));
  }

  /** Lets the link answer first. While the store is unavailable the host's own page answers, if it has one. */
  async function answerBeforeHost(ctx: Context, next: () => Promise<unknown>, asked: Asked): Promise<void> {
    let decision: Promise<Found> | undefined;
    const isAnswered = await responder.traced(ctx, asked.name, (trace) => {
      decision = responder.decide(ctx, asked);
      return answerIfFound(ctx, {asked, decision}, trace);
    });
    if (!isAnswered) await answerAfterHost(ctx, next, decision && {asked, decision});
  }

  /** @returns whether the visit was answered; false while the store does not answer */
  async function answerIfFound(ctx: Context, {asked, decision}: Decided, trace?: RedirectTrace): Promise<boolean> {
    let failure: unknown;
    try {
      const found = await decision;
      if (found.status === 'unknown') return false;
      if (found.status !== 'unavailable') return await responder.decided(ctx, asked, decision, trace);
      failure = found.error;
    } catch (error) {
      // The decision is answered after the host, with its failure.
      failure = error;
    }
    const error = toShortUrlError(failure);
    if (trace) Object.assign(trace, {status: error.status, error: withoutCause(error)});
    return false;
  }

  /** Whether a link is asked for before the host: with a looser path only if that can be no page of the site. */
  function isAskedFirst(asked: Asked, path: string): boolean {
    return mayBeLink(asked) && (asked.by === 'path' || !(hasHiddenSlashes(path) || reserved.hasPath(path)));
  }

  function answerFirst(ctx: Context, next: () => Promise<unknown>, path: string): Promise<void> {
    const asked = askedAt(ctx, path, bases);
    if (asked !== undefined && isAskedFirst(asked, path)) {
      // Most requests of a site are for its own pages.
      const isUnknown = !redirectChannel.hasSubscribers && redirects.isUnknown(asked.name);
      return isUnknown ? answerAfterHost(ctx, next) : answerBeforeHost(ctx, next, asked);
    }
    const isLoose = asked !== undefined && asked.by !== 'path';
    return isLoose || hints.listens(hostOf(ctx), path) ? answerAfterHost(ctx, next) : (next() as Promise<void>);
  }

  return function shortUrl(context, next) {
    const ctx = context as Context;
    const path = publicPath(ctx);
    hints.reached(ctx.req);
    const call = parseCall(path, apiPrefix);
    if (call !== undefined) return responder.call(ctx, call);
    if (defer) return answerAfterHost(ctx, next);
    const learning = responder.learn(ctx, path);
    return learning === undefined ? answerFirst(ctx, next, path) : learning.then(() => answerFirst(ctx, next, path));
  };
}

/** Whether the host answers through the response of Node.js, without Koa. */
function isPastKoa({respond, res}: Context): boolean {
  return respond === false || res.headersSent;
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
  // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- as in Koa, a status of 0 counts as none
  return status || statusCode;
}
