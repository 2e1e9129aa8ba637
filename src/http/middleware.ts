import {isNativeError} from 'node:util/types';
import type {Context, Middleware, Next} from 'koa';
import {type ShortUrlError, toShortUrlError} from '../errors.ts';
import type {Bases, LinkName} from '../links/bases.ts';
import {isSlug, type ReservedSlugs} from '../links/slug.ts';
import type {Found} from '../links/redirects.ts';
import type {Api} from './api.ts';
import {type Call, parseCall} from './call.ts';
import {isPrefetch, publicPath, type Report} from './request.ts';
import {respondWithAnswer} from './response.ts';
import type {Visitor} from './visitor.ts';

export interface MiddlewareDependencies {
  readonly api: Api;
  readonly visitor: Visitor;
  readonly bases: Bases;
  readonly reserved: ReservedSlugs;
  readonly report: Report;
  /** Tells the host's listeners of a fault that Koa will tell the host's app of. */
  readonly tell: (error: ShortUrlError) => void;
  /** Whether the host's own pages answer first. */
  readonly defer: boolean;
}

/** The one middleware: calls of the API are answered before the host sees them, short URLs as `defer` says. */
export function createMiddleware(dependencies: MiddlewareDependencies): Middleware {
  const {api, visitor, bases, reserved, report, tell, defer} = dependencies;
  const apiPrefix = `${bases.main.path}/api/v1/`;

  async function answerCall(ctx: Context, call: Call): Promise<void> {
    const answer = await api.answer(call, {method: ctx.method, isPrefetch: isPrefetch(ctx), ip: ctx.ip});
    if (answer.error !== undefined && answer.error.status >= 500) report(answer.error, ctx);
    respondWithAnswer(ctx, answer, (cause) => {
      report(toShortUrlError(cause), ctx);
    });
  }

  async function answerVisit(ctx: Context, decision: Promise<Found>): Promise<boolean> {
    try {
      return await visitor.answer(ctx, await decision);
    } catch (failure) {
      const error = toShortUrlError(failure);
      if (error.code === 'store_unavailable') {
        await visitor.refuse(ctx, error);
        return true;
      }
      tell(error);
      // Koa answers it, and tells the host's app.
      throw error;
    }
  }

  /**
   * The link answers only where the host has no page, be its 404 a page, a thrown error or nothing at all. The path is
   * not looked at before.
   *
   * @param decision what is at the short URL, if it was looked up before
   */
  function answerAfterHost(ctx: Context, next: Next, decision?: Promise<Found>): Promise<void> {
    return Promise.resolve(next()).then(
      async () => {
        if (isNoPage(ctx.status, ctx.method)) await answerMissing(ctx, decision);
      },
      async (error: unknown) => {
        const isMissing = isNoPage(statusOf(error, ctx), ctx.method);
        if (!isMissing || !(await answerMissing(ctx, decision))) throw error;
      },
    );
  }

  async function answerMissing(ctx: Context, decision?: Promise<Found>): Promise<boolean> {
    if (ctx.respond === false || ctx.headerSent) return true;
    const name = parseVisit(ctx, publicPath(ctx), bases);
    return name !== undefined && answerVisit(ctx, decision ?? visitor.decide(ctx, name));
  }

  /** The link answers first; where the store fails, the host's pages still do. */
  async function answerBeforeHost(ctx: Context, next: Next, name: LinkName): Promise<void> {
    const decision = visitor.decide(ctx, name);
    const status = await decision.then(
      (found) => found.status,
      () => 'unavailable',
    );
    if (status === 'unavailable') await answerAfterHost(ctx, next, decision);
    else if (!(await answerVisit(ctx, decision))) await next();
  }

  return function shortUrl(ctx, next) {
    const path = publicPath(ctx);
    const call = parseCall(path, apiPrefix);
    if (call !== undefined) return answerCall(ctx, call);
    if (defer) return answerAfterHost(ctx, next);
    const name = parseVisit(ctx, path, bases);
    return name === undefined || reserved.has(name.slug) ? next() : answerBeforeHost(ctx, next, name);
  };
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** The link that a request would visit, if it has the form of a short URL on one of the site's domains. */
function parseVisit(ctx: Context, path: string, bases: Bases): LinkName | undefined {
  const slug = path.slice(path.lastIndexOf('/') + 1);
  if (!isSlug(slug) || !methods.has(ctx.method)) return undefined;
  const base = bases.find(ctx.host);
  return base !== undefined && path === `${base.path}/${slug}` ? {domain: base.domain, slug} : undefined;
}

/** Where the host has a page for any name and finds none of this one, its router may refuse the POST of a form. */
function isNoPage(status: unknown, method: string): boolean {
  return status === 404 || (method === 'POST' && (status === 405 || status === 501));
}

/** The status with which Koa answers an error; undefined for what is no error, which Koa answers with 500. */
function statusOf(error: unknown, ctx: Context): unknown {
  // Koa also takes errors of another realm.
  if (!(error instanceof Error) && !isNativeError(error)) return undefined;
  const {status, statusCode, code} = error as Error & Record<'status' | 'statusCode' | 'code', unknown>;
  // Koa 3, which has brought `ctx.back`, answers a missing file with 500.
  if (code === 'ENOENT' && !('back' in ctx)) return 404;
  // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing -- Koa takes the second for an empty first
  return status || statusCode;
}
