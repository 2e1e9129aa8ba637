import {bodyParser} from '@koa/bodyparser';
import type {Context, Middleware} from 'koa';

/** Parses a form. Only routes with a form use it, but a parser for the whole site would work as well. */
export function readForm(limit = '10kb'): Middleware {
  return bodyParser({enableTypes: ['form'], formLimit: limit});
}

/** A field of the form; an empty string if the form lacks it or has it twice. */
export function formField(ctx: Context, name: string): string {
  const fields = (ctx.request.body ?? {}) as Record<string, unknown>;
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
