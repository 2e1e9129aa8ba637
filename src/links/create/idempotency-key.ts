import {ShortUrlError} from '../../host/errors.ts';
import type {CreateOptions} from '../../link/link.ts';
import {readFields} from '../../link/readers.ts';

/**
 * The idempotency key of a creation; undefined if it has none.
 *
 * @throws ShortUrlError `malformed_parameter`, or `unknown_parameter` for another option
 */
export function readIdempotencyKey(options: CreateOptions | undefined): string | undefined {
  return readFields(options, 'The options of a creation are', {idempotencyKey: readKey}).idempotencyKey;
}

function readKey(value: unknown): string {
  if (typeof value === 'string' && /^[!-~]{1,64}$/.test(value)) return value;
  throw new ShortUrlError(
    'malformed_parameter',
    'The idempotency key must be 1 to 64 visible ASCII characters, without spaces.',
  );
}
