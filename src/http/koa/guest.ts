import Koa, {type Context, type Middleware} from 'koa';
import {describe} from '../../values/describe.ts';
import {checkOptions} from '../../values/options.ts';
import {flag, type Shape} from '../../values/shape.ts';

/** Options of `toNodeHandler` and `toWebHandler`. */
export interface HandlerOptions {
  /**
   * Whether to trust `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`, like Koa's `app.proxy`. Set it only
   * behind a proxy.
   * @default false
   */
  readonly proxy?: boolean | undefined;
}

const rules: Record<keyof HandlerOptions, Shape> = {
  proxy: flag,
};

/** @throws TypeError for anything that cannot be a middleware, and for an invalid or unknown option */
export function checkGuest(middleware: unknown, options: unknown): void {
  if (typeof middleware !== 'function') {
    const expected = 'the shortener that `shortUrl` returned, or what `dashboard` returned';
    throw new TypeError(`Expected the first argument to be ${expected}, got ${describe(middleware)}`);
  }
  checkOptions(options, rules);
}

/** Says that the site has no page for the request. */
export async function noPage(): Promise<void> {
  // Koa then answers 404, unless the shortener answers.
}

/**
 * An app of Koa in which a middleware is alone, on a site without Koa.
 *
 * @param passOn gets the requests that the site has to answer, each with the error of the middleware if it failed
 */
export function guestOf(
  middleware: Middleware,
  {proxy = false}: HandlerOptions,
  passOn: (ctx: Context, failure?: {readonly error: unknown}) => void,
): Koa {
  return new Koa({proxy}).use(async (ctx) => {
    try {
      await middleware(ctx, noPage);
      if (isAnswered(ctx)) return;
      passOn(ctx);
    } catch (error) {
      passOn(ctx, {error});
    }
    // Koa leaves the response to the site.
    ctx.respond = false;
  });
}

function isAnswered(ctx: Context): boolean {
  return ctx.status !== 404 || ctx.body !== undefined || ctx.headerSent;
}
