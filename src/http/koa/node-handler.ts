import type {IncomingMessage, ServerResponse} from 'node:http';
import Koa, {type Context, type Middleware} from 'koa';
import {describe} from '../../values/describe.ts';
import {checkOptions} from '../../values/options.ts';
import type {Shape} from '../../values/shape.ts';
import {flag} from '../../values/shapes.ts';

/** Options of `toNodeHandler`. */
export interface NodeHandlerOptions {
  /**
   * Whether to trust `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`, like Koa's `app.proxy`. Set it only
   * behind a proxy.
   * @default false
   */
  readonly proxy?: boolean | undefined;
}

const rules: Record<keyof NodeHandlerOptions, Shape> = {
  proxy: flag,
};

/**
 * A middleware of Express, Connect and `node:http`. `next` is called for every request that it does not answer. Without
 * `next` it answers 404 itself.
 */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Turns a shortener or its dashboard into a handler for a site without Koa (docs/frameworks.md). Mount it after the
 * site's own routes: it gets the requests that they have not answered, and calls `next()` for those it does not answer.
 *
 * @param middleware the shortener, or what `dashboard()` returns
 * @throws TypeError for anything else, and for an invalid or unknown option
 * @example
 *   app.use(toNodeHandler(shortener)); // app is an Express app
 */
export function toNodeHandler(middleware: Middleware, options: NodeHandlerOptions = {}): NodeHandler {
  if (typeof middleware !== 'function') {
    const expected = 'the shortener that `shortUrl` returned, or what `dashboard` returned';
    throw new TypeError(`Expected the first argument to be ${expected}, got ${describe(middleware)}`);
  }
  checkOptions(options, rules);
  const {proxy = false} = options;
  const alone = new Koa({proxy}).use((ctx) => middleware(ctx, nothing) as unknown).callback();
  const app = new Koa({proxy});
  /** The requests to pass on, each with the error of the middleware, if it failed. */
  const passedOn = new WeakMap<IncomingMessage, unknown>();
  app.use(async (ctx) => {
    try {
      await middleware(ctx, nothing);
      if (isAnswered(ctx)) return;
      passedOn.set(ctx.req, undefined);
    } catch (error) {
      passedOn.set(ctx.req, error);
    }
    // Koa leaves the response to the site.
    ctx.respond = false;
  });
  const answer = app.callback();
  return (request, response, next) => {
    if (next === undefined) {
      void alone(request, response);
      return;
    }
    const {statusCode} = response;
    void answer(request, response).then(() => {
      if (!passedOn.has(request)) return;
      // Koa begins every response with 404.
      response.statusCode = statusCode;
      next(passedOn.get(request));
    });
  };
}

async function nothing(): Promise<void> {
  // The site has no page for the request.
}

function isAnswered(ctx: Context): boolean {
  return ctx.status !== 404 || ctx.body !== undefined || ctx.headerSent;
}
