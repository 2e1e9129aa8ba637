import {planted} from '../../planted.ts';
import type {Context} from 'koa';
import {isRead} from '../../http/koa/body.ts';
import {type Fields, readForm} from '../../http/koa/form-body.ts';
import {limits} from '../generated/limits.ts';

/**
 * In bytes. A character may take nine. A form may have three URLs twice, and those of the rules. The other fields need
 * less than the rest.
 */
export const maxForm = (planted('form-without-rules') ? 2 : 2 * 3 + limits.rules) * 9 * limits.url + 70_000;

/** In bytes. The address to which the login returns has room for less. */
const maxEntered = 16_384;

/**
 * Reads a form that was posted to the dashboard. Strangers get no work done: of theirs, a long form is not read, and only
 * its values would be lost at the login.
 */
export async function readPosted(ctx: Context, isStranger: boolean): Promise<Fields | undefined> {
  if (!isStranger) return readForm(ctx, maxForm);
  const length = isRead(ctx) ? 0 : (ctx.request.length as number | undefined);
  return length === undefined || length > maxEntered ? undefined : readForm(ctx, maxEntered);
}
