import type {Context} from 'koa';
import {isRead, readStream} from '../../web/body.ts';
import type {Fields} from '../../web/form.ts';

/** A posted form with a file. */
export interface Upload {
  readonly fields: Fields;
  /** The bytes of the file; empty if none was chosen. */
  readonly file: Uint8Array;
}

/**
 * Reads a form with a file.
 *
 * @param limit the maximum size of the body, in bytes
 * @returns undefined if the body is no such form, or was read by the host
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off; the connection ends then
 */
export async function readUpload(ctx: Context, limit: number): Promise<Upload | undefined> {
  if (ctx.request.type.trim().toLowerCase() !== 'multipart/form-data' || isRead(ctx)) return undefined;
  const body = await readStream(ctx, limit);
  const fields = new Map<string, string>();
  let file = new Uint8Array();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- discouraged because it buffers, and the body is bounded
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
