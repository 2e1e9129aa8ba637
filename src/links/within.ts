import {setTimeout as delay} from 'node:timers/promises';
import {ShortUrlError} from '../errors.ts';

/**
 * Waits for the store no longer than `timeout` milliseconds.
 *
 * @throws ShortUrlError `store_unavailable` after that
 */
export async function within<Result>(timeout: number, reading: Promise<Result>): Promise<Result> {
  const moment = new AbortController();
  const {signal} = moment;
  const late = delay(timeout, undefined, {signal}).then(() => {
    throw new ShortUrlError('store_unavailable', 'The store does not answer.', {retryAfter: 1});
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([reading, late]);
  } finally {
    moment.abort();
  }
}
