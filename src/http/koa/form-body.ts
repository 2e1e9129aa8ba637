import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import {isRead, parsedBody, readStream, tooLarge} from './body.ts';

/** The fields of a form by name. If a name occurs twice, the first value counts. */
export type Fields = ReadonlyMap<string, string>;

/** Far more than any form has. Without a bound, a million bytes could be half a million fields. */
const maxFields = 1000;

/**
 * Reads the fields of a posted form, from the request or from the result of the host's body parser.
 *
 * @param limit the maximum size of the body, in bytes
 * @returns undefined if the body is not a form
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off, and the connection ends then;
 *   or for one with more than 1,000 fields
 * @throws ShortUrlError `internal_error` if the body was read before and `ctx.request.body` has nothing of it
 */
export async function readForm(ctx: Context, limit: number): Promise<Fields | undefined> {
  // `ctx.is` needs a Content-Length, which a form over HTTP/2 may not have.
  const isForm = ctx.request.type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
  if (!isRead(ctx)) return isForm ? fieldsIn((await readStream(ctx, limit)).toString()) : undefined;
  const body = parsedBody(ctx);
  if (Buffer.isBuffer(body)) return isForm ? fieldsIn(body.toString()) : undefined;
  if (typeof body === 'object' && body !== null) return fieldsOf(body);
  if (!isForm) return undefined;
  if (typeof body === 'string') return fieldsIn(body);
  throw new ShortUrlError(
    'internal_error',
    'A middleware before koa-short-url consumed the form without setting `ctx.request.body`.',
  );
}

function fieldsIn(form: string): Fields {
  if (form.split('&', maxFields + 1).length > maxFields) throw tooLarge('The form has too many fields');
  return new Map(Array.from(new URLSearchParams(form)).reverse());
}

/** Some parsers make an array of every field. */
function fieldsOf(body: object): Fields {
  const entries = Object.entries(body) as Array<[string, unknown]>;
  const first = entries.map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[])[0] : value] as const);
  return new Map(first.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
