import {bodyParser} from '@koa/bodyparser';
import type {Context, Middleware} from 'koa';

/** Reads a form. It stands only on routes that have one; a parser for the whole site would harm nothing either. */
export function readForm(limit = '10kb'): Middleware {
  return bodyParser({enableTypes: ['form'], formLimit: limit});
}

/** A field of the form; an empty string if the form lacks it or has it twice. */
export function formField(ctx: Context, name: string): string {
  const fields = (ctx.request.body ?? {}) as Record<string, unknown>;
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
