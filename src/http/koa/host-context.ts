import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Middleware} from 'koa';

/**
 * The context of a request: Koa's, or that of a framework on Koa, such as Egg or Midway, whose types differ from Koa's in
 * what is not needed here.
 */
export interface HostContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: object;
  readonly response: object;
  readonly originalUrl: string;
}

/** A middleware for Koa and for frameworks on Koa. TypeScript infers the types of Koa's `use` from Koa's signature. */
export interface HostMiddleware extends Middleware {
  (ctx: HostContext, next: () => Promise<unknown>): Promise<void>;
}
