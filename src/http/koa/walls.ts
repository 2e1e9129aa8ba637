import type {Context} from 'koa';
import type {HostContext} from './host-context.ts';
import type {RequestServices, Responder} from './responder.ts';
import {parseCall} from '../call.ts';
import {hasDotSegments, hasHiddenSlashes, isReadAlike} from '../path.ts';
import {type Asked, askedAt, publicPath, publicTarget} from './request.ts';

/**
 * Makes the function with which a wall of the host, such as a login, lets the shortener answer: `answers` of the public
 * interface. The site behind the wall never sees what it answers, so no path is let through that only looks like a link.
 */
export function createWallAnswers(
  responder: Responder,
  {bases, reserved, sitePages, visitor, redirects, hints}: RequestServices,
) {
  const apiPrefix = `${bases.main.path}/api/v1/`;

  /** The link that a path names, unless the path could be that of a page of the site. */
  function linkBehind(ctx: Context, path: string): Asked | undefined {
    // In a call of the API, slashes belong to base64.
    if (hasHiddenSlashes(path)) return undefined;
    const asked = askedAt(ctx, path, bases);
    if (asked === undefined || reserved.has(asked.name.slug) || reserved.hasPath(path)) return undefined;
    return sitePages.has(asked.name) ? undefined : asked;
  }

  return async function answers(context: HostContext): Promise<boolean> {
    const ctx = context as Context;
    hints.asked(ctx.req);
    const path = publicPath(ctx);
    if (!isReadAlike(path, publicTarget(ctx)) || hasDotSegments(path)) return false;
    const call = parseCall(path, apiPrefix);
    if (call !== undefined) {
      await responder.call(ctx, call);
      return true;
    }
    const learning = responder.learn(ctx, path);
    if (learning !== undefined) await learning;
    const asked = linkBehind(ctx, path);
    if (asked === undefined || !(await redirects.has(asked.name))) return false;
    if (!(await responder.visit(ctx, asked))) {
      if (ctx.method !== 'POST') return false;
      // It was posted to a link without a form.
      visitor.lead(ctx, asked.name);
    }
    // A shortener in front of the wall must not take the answer for one of the site.
    responder.keep(ctx);
    return true;
  };
}
