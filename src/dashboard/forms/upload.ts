import type {Context} from 'koa';
import {isRead, readStream} from '../../web/body.ts';
import type {Fields} from '../../web/form.ts';

/**
 * Reads the fields of a form with a file, whose text becomes the value of its field.
 *
 * @param limit the maximum size of the body, in bytes
 * @returns undefined if the body is no such form, or was read by the host
 * @throws HttpError of raw-body, with `status`, for a body that is too long or was cut off; the connection ends then
 */
export async function readUpload(ctx: Context, limit: number): Promise<Fields | undefined> {
  if (ctx.request.type.trim().toLowerCase() !== 'multipart/form-data' || isRead(ctx)) return undefined;
  const body = await readStream(ctx, limit);
  const fields = new Map<string, string>();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- discouraged because it buffers, and the body is bounded
    const form = await new Response(body, {headers: {'Content-Type': ctx.get('Content-Type')}}).formData();
    for (const [name, value] of form) fields.set(name, typeof value === 'string' ? value : await value.text());
  } catch {
    // The parts are malformed. Without its token, the form is refused.
    return undefined;
  }
  return fields;
}
