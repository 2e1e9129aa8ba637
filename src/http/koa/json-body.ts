import type {Context} from 'koa';
import {ShortUrlError} from '../../errors.ts';
import {isObject} from '../../values/describe.ts';
import {isRead, parsedBody, readStream} from './body.ts';

/** In bytes. */
const maxBody = 256 * 1024;

/** Enough for every operation, and safe for code that reads the values by recursion. */
const maxDepth = 16;

const utf8 = new TextDecoder('utf-8', {fatal: true});

/**
 * Reads the JSON object in the body of a request, from the request or from the result of the host's body parser.
 *
 * @throws ShortUrlError `malformed_body`: with 415 for another content type, another charset or a content encoding, with
 *   413 for more than 256 kB, with 400 for a body that is no JSON object or was cut off; `internal_error` if the body was
 *   read before and `ctx.request.body` has nothing of it
 */
export async function readJsonObject(ctx: Context): Promise<object> {
  checkType(ctx);
  const body = isRead(ctx) ? fromParser(ctx) : await read(ctx);
  const value = typeof body === 'string' || Buffer.isBuffer(body) ? parse(body) : body;
  if (!isObject(value) || Array.isArray(value)) throw malformed('The body must be a JSON object.');
  if (isDeep(value)) throw malformed(`The JSON in the body must be nested at most ${maxDepth} deep.`);
  return value;
}

function checkType({request, req: {headers}}: Context): void {
  const {'content-type': type = '', 'content-encoding': encoding = 'identity'} = headers;
  // `request.type` has no parameters, and `request.charset` throws for some malformed headers.
  const isJson = request.type.trim().toLowerCase() === 'application/json';
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(type) ?? [];
  // `utf8` is a name of it too, which programs use that know databases.
  if (!isJson || !/^utf-?8$/i.test(charset)) {
    throw malformed('The body must be JSON in UTF-8, with the header `Content-Type: application/json`.', 415);
  }
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw malformed('The body must not be compressed: send it without the header `Content-Encoding`.', 415);
  }
}

async function read(ctx: Context): Promise<Buffer> {
  try {
    return await readStream(ctx, maxBody);
  } catch (error) {
    if ((error as {readonly status?: unknown}).status === 413) throw tooLarge();
    throw malformed('The body ended before its announced length.');
  }
}

/** A parser makes an empty object of an empty body. */
function fromParser(ctx: Context): unknown {
  if (ctx.req.headers['content-length'] === '0') return '';
  const body = parsedBody(ctx);
  if (body !== undefined) return body;
  throw new ShortUrlError(
    'internal_error',
    'A middleware before koa-short-url consumed the body without setting `ctx.request.body`.',
  );
}

function parse(body: string | Buffer): unknown {
  if (Buffer.byteLength(body) > maxBody) throw tooLarge();
  try {
    // V8 reads nested values without recursion, so their depth is limited only by the size of the body.
    return JSON.parse(typeof body === 'string' ? body : utf8.decode(body)) as unknown;
  } catch {
    throw malformed('The body must be a JSON object in UTF-8.');
  }
}

/** Looks at a level at a time, without recursion. */
function isDeep(value: object): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 1; depth <= maxDepth; depth++) {
    level = level.filter(isObject).flatMap((each) => Object.values(each));
  }
  return level.some(isObject);
}

function tooLarge(): ShortUrlError {
  return malformed('The body must be at most 256 kB.', 413);
}

function malformed(message: string, status?: 413 | 415): ShortUrlError {
  return new ShortUrlError('malformed_body', message, status && {status});
}
