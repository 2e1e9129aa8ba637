import {createReadStream} from 'node:fs';
import type {Context} from 'koa';
import {isRead, parsedBody, readStream, tooLarge} from '../../http/koa/body.ts';
import {type Fields, readForm} from '../../http/koa/form-body.ts';
import {isObject} from '../../values/describe.ts';

/** A posted form with a file. */
export interface Upload {
  readonly fields: Fields;
  /** The bytes of the file; empty if none was chosen. */
  readonly file: Uint8Array;
}

/** More than the form has, with a menu for each column of a table. Each part takes far more time than its bytes. */
const maxParts = 250;

/**
 * Reads a form with a file.
 *
 * @param limit the maximum size of the body, in bytes
 * @returns undefined if the body is no such form, or if the host's parser has read it and kept nothing
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off, and the connection ends then;
 *   or for one with more than 250 parts
 */
export async function readUpload(ctx: Context, limit: number): Promise<Upload | undefined> {
  if (ctx.request.type.trim().toLowerCase() !== 'multipart/form-data') return undefined;
  const body = isRead(ctx) ? parsedBody(ctx) : await readStream(ctx, limit);
  if (!Buffer.isBuffer(body)) return readParsed(ctx, limit);
  if (hasMoreParts(body, ctx.get('Content-Type'))) throw tooLarge('The form has too many parts');
  const fields = new Map<string, string>();
  let file = new Uint8Array();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- discouraged because it buffers, and the body is bounded
    const form = await new Response(body, {headers: {'Content-Type': ctx.get('Content-Type')}}).formData();
    for (const [name, value] of form) {
      if (typeof value === 'string') fields.set(name, value);
      else file = new Uint8Array(await value.arrayBuffer());
    }
  } catch {
    // The parts are malformed. Without its token, the form is refused.
    return undefined;
  }
  return {fields, file};
}

/** Whether a body has more parts than the form, counted without reading them. */
function hasMoreParts(body: Buffer, type: string): boolean {
  const [, quoted, plain = quoted] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  if (plain === undefined) return false;
  const delimiter = Buffer.from(`--${plain}`);
  let parts = 0;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    // The last one ends the form.
    if (++parts > maxParts + 1) return true;
  }
  return false;
}

/** What parsers know of a file: koa-body and Egg write it to a path, and @koa/multer may keep it. */
interface ParsedFile {
  readonly filepath?: string;
  readonly path?: string;
  readonly buffer?: Buffer;
}

/** What the host's parser has made of the form: its fields, and the first of its files. */
async function readParsed(ctx: Context, limit: number): Promise<Upload | undefined> {
  const fields = await readForm(ctx, limit);
  if (fields === undefined) return undefined;
  const request = ctx.request as {files?: unknown; file?: unknown};
  const [file] = [request.files, request.file, (ctx as {file?: unknown}).file].flatMap(filesIn);
  const {buffer, filepath, path} = file ?? {};
  const name = filepath ?? path;
  const bytes = buffer ?? (name === undefined ? new Uint8Array() : await readStart(name, limit + 1));
  if (bytes.length > limit) throw tooLarge('The file is too long');
  return {fields, file: bytes};
}

/** The files in a list or, by the names of their fields, in an object. */
function filesIn(parsed: unknown): ParsedFile[] {
  if (!isObject(parsed)) return [];
  // A visitor chooses the names of the fields.
  const {filepath, path, buffer} = parsed;
  const isFile = typeof filepath === 'string' || typeof path === 'string' || Buffer.isBuffer(buffer);
  return isFile ? [parsed] : Object.values(parsed).flatMap(filesIn);
}

async function readStart(name: string, length: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(name, {end: length - 1})) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
