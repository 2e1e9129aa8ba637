import type {IncomingMessage, ServerResponse} from 'node:http';
import Koa, {type Middleware} from 'koa';
import {checkGuest, guestOf, type HandlerOptions, noPage} from './guest.ts';

/** Options of `toNodeHandler`. */
export type NodeHandlerOptions = HandlerOptions;

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
  checkGuest(middleware, options);
  const alone = new Koa({proxy: options.proxy ?? false}).use((ctx) => middleware(ctx, noPage) as unknown).callback();
  /** The requests to pass on, each with the error of the middleware, if it failed. */
  const passedOn = new WeakMap<IncomingMessage, unknown>();
  const answer = guestOf(middleware, options, (ctx, failure) => passedOn.set(ctx.req, failure?.error)).callback();
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
