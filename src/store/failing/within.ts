import {clearTimeout, setTimeout} from 'node:timers';
import {unavailable} from '../../errors.ts';

/**
 * Waits for the store for at most `timeout` milliseconds.
 *
 * @throws ShortUrlError `store_unavailable` after that
 */
export async function within<Result>(timeout: number, reading: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable('The store does not answer.'));
    }, timeout);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
