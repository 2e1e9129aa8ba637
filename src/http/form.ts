import type {Context} from 'koa';
import {ShortUrlError} from '../errors.ts';
import {readForm} from '../form.ts';

/** More than any password needs, percent-encoded: in bytes. */
const longestBody = 4096;

/**
 * The field `password` of a form that was posted; undefined if there is no such field, or no such form.
 *
 * @throws ShortUrlError `internal_error` if it was read already and nobody can say what was in it
 */
export async function readPassword(ctx: Context): Promise<string | undefined> {
  try {
    return (await readForm(ctx, longestBody))?.get('password');
  } catch (error) {
    if (error instanceof ShortUrlError) throw error;
    // Too long or cut off.
    return undefined;
  }
}
