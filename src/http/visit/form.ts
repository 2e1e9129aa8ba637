import type {Context} from 'koa';
import {ShortUrlError} from '../../host/errors.ts';
import {readForm} from '../../web/form.ts';

/** In bytes: more than any percent-encoded password needs. */
const maxBody = 4096;

/**
 * Reads the field `password` of a posted form.
 *
 * @returns undefined if the body has no such field, is no form, is too long or was cut off
 * @throws ShortUrlError `internal_error` if a middleware of the host has read the body and kept no parsed form
 */
export async function readPassword(ctx: Context): Promise<string | undefined> {
  try {
    return (await readForm(ctx, maxBody))?.get('password');
  } catch (error) {
    if (error instanceof ShortUrlError) throw error;
    return undefined;
  }
}
