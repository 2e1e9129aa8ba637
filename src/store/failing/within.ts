import {setTimeout as delay} from 'node:timers/promises';
import {unavailable} from '../../host/errors.ts';

/**
 * Waits for the store for at most `timeout` milliseconds.
 *
 * @throws ShortUrlError `store_unavailable` after that
 */
export async function within<Result>(timeout: number, reading: Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const {signal} = controller;
  const late = delay(timeout, undefined, {signal}).then(() => {
    throw unavailable('The store does not answer.');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([reading, late]);
  } finally {
    controller.abort();
  }
}
