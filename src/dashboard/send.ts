import type {Context} from 'koa';
import type {FileReply} from './request.ts';

/** Sends the browser on with a GET. */
export function sendOn(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set({'Cache-Control': 'no-store', Location: location});
  ctx.body = '';
}

/** @param scope who may keep it: every cache, or only the browser of this visitor */
export function sendFile(ctx: Context, {type, body, maxAge}: FileReply, scope: 'public' | 'private'): void {
  ctx.status = 200;
  ctx.set({
    'Cache-Control': maxAge > 0 ? `${scope}, max-age=${maxAge}${scope === 'public' ? ', immutable' : ''}` : 'no-cache',
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.body = body;
}

export function refuseMethod(ctx: Context, allowed: string): void {
  ctx.status = 405;
  ctx.set('Allow', allowed);
}
