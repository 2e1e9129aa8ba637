import type {Context} from 'koa';
import {replaceHeaders} from '../web/headers.ts';
import type {FileReply} from './request.ts';

/** Redirects the browser to a GET. */
export function redirectTo(ctx: Context, location: string): void {
  ctx.status = 303;
  replaceHeaders(ctx, {'Cache-Control': 'no-store', Location: location});
  ctx.body = '';
}

/** @param scope which caches may store the file: all of them, or only the browser of this user */
export function sendFile(ctx: Context, {type, body, maxAge}: FileReply, scope: 'public' | 'private'): void {
  ctx.status = 200;
  replaceHeaders(ctx, {
    'Cache-Control': maxAge > 0 ? `${scope}, max-age=${maxAge}${scope === 'public' ? ', immutable' : ''}` : 'no-cache',
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.body = body;
}

export function refuseMethod(ctx: Context, allowed: string): void {
  ctx.status = 405;
  replaceHeaders(ctx, {'Cache-Control': 'no-store', Allow: allowed});
}
